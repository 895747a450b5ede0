#include <fmt/format.h>

#include <array>
#include <set>
#include <string>
#include <string_view>

#include "policy/config_check.h"

namespace dray::policy {
namespace {

/// Without these no pod fits, as for kube-scheduler.
constexpr std::array<std::string_view, 3> needed{"cpu", "memory", "pods"};

void check_node(const Node& node, const std::string& path, ConfigProblems& problems) {
  for (const auto resource : needed) {
    if (!node.allocatable.contains(resource)) {
      problems.error(path, "status.allocatable has no {}: no pod would fit", resource);
    }
  }
}

void check_slice(const ResourceSlice& slice, const std::string& path, ConfigProblems& problems) {
  if (!is_subdomain(slice.driver.get())) {
    problems.error(path, "spec.driver {} is no name of a driver", slice.driver.get());
  }
  if (slice.pool.get().empty()) problems.error(path, "spec.pool.name is missing");
  if (slice.scope.all_nodes || slice.scope.node_selector || slice.per_device_node_selection) {
    problems.error(path, "a new node's slices are of that node alone: leave out {}",
                   slice.scope.all_nodes       ? "allNodes"
                   : slice.scope.node_selector ? "nodeSelector"
                                               : "perDeviceNodeSelection");
  }
}

/// As the API server takes it.
constexpr std::size_t longest_parameter = 255;

void check_provisioning(const PolicyConfig& config, ConfigProblems& problems) {
  if (!config.provisioning) return;
  const std::string path = "provisioningRequests";
  if (!is_subdomain(config.provisioning->class_name)) {
    problems.error(path + ".class", "{} is no name of a class, as {} is",
                   config.provisioning->class_name, "check-capacity.autoscaling.x-k8s.io");
  }
  for (const auto& [key, value] : config.provisioning->parameters) {
    if (value.size() > longest_parameter) {
      problems.error(fmt::format("{}.parameters.{}", path, key),
                     "{} characters, and the API server takes {}", value.size(), longest_parameter);
    }
  }
  if (config.budgets.exposed_jobs == 0) {
    problems.warn(path, "no nodes are asked for while budgets.exposedJobs is 0");
  }
}

}  // namespace

void check_node_groups(const PolicyConfig& config, ConfigProblems& problems) {
  check_provisioning(config, problems);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < config.node_groups.size(); ++i) {
    const auto& group = config.node_groups[i];
    const auto path = fmt::format("nodeGroups[{}]", i);
    if (!is_subdomain(group.name)) {
      problems.error(path + ".name", "{} is no name: lower case letters, digits, - and .",
                     group.name);
    } else if (!seen.insert(group.name).second) {
      problems.error(path + ".name", "there is a node group {} already", group.name);
    }
    if (!group.like && !group.node) {
      problems.error(path, "give node, or like: a node of the cluster");
    }
    if (group.node) check_node(*group.node, path + ".node", problems);
    if (!group.slices) continue;
    for (std::size_t k = 0; k < group.slices->size(); ++k) {
      check_slice((*group.slices)[k], fmt::format("{}.slices[{}]", path, k), problems);
    }
  }
  if (!config.node_groups.empty() && config.budgets.exposed_jobs == 0) {
    problems.warn("nodeGroups", "nothing is shown to an autoscaler while budgets.exposedJobs is 0");
  }
}

}  // namespace dray::policy
