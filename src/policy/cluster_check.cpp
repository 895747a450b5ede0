#include "dray/policy/cluster_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dray/base/suggest.h"
#include "dray/policy/device_amounts.h"
#include "policy/config_check.h"

namespace dray::policy {
namespace {

/// Quotas may exceed a cluster that is to grow, or of which a part is down for a while.
constexpr double several = 2;
/// So many names at most are listed where none is near.
constexpr std::size_t few_names = 5;

using Names = std::vector<std::string>;

std::string near_name(std::string_view name, const Names& known) {
  return known.size() <= few_names ? suggest(name, known) : suggest_near(name, known);
}

Names class_names(const cluster::Snapshot& snapshot) {
  Names names;
  for (const auto& each : snapshot.classes()) names.push_back(each->object->meta.name);
  return names;
}

/// What the nodes have of something that they share, each object once: sorted.
template <class Visit>
Names names_of_nodes(const cluster::Snapshot& snapshot, Visit&& visit) {
  std::set<std::string, std::less<>> names;
  std::set<const void*> seen;
  for (const auto node : snapshot.nodes_by_name()) visit(snapshot.facts(node), seen, names);
  return {names.begin(), names.end()};
}

Names node_resources(const cluster::Snapshot& snapshot) {
  return names_of_nodes(snapshot, [](const auto& facts, auto& seen, auto& names) {
    if (!seen.insert(facts.allocatable.get()).second) return;
    for (const auto& [name, amount] : facts.allocatable->others) names.insert(name);
  });
}

Names node_labels(const cluster::Snapshot& snapshot) {
  return names_of_nodes(snapshot, [](const auto& facts, auto& seen, auto& names) {
    if (facts.hostname_label) names.insert(label_hostname);
    if (!seen.insert(facts.labels.get()).second) return;
    for (const auto& [key, value] : *facts.labels) names.insert(key);
  });
}

bool has(const Names& sorted, std::string_view name) {
  return std::ranges::binary_search(sorted, name);
}

/// One check of a policy against a cluster.
class ClusterCheck {
 public:
  ClusterCheck(const PolicyConfig& config, const cluster::Snapshot& snapshot)
      : config_(config),
        snapshot_(snapshot),
        classes_(class_names(snapshot)),
        resources_(node_resources(snapshot)) {}

  std::vector<ConfigProblem> run() && {
    for (const auto& resource : config_.resources) check_rules(resource);
    for (std::size_t i = 0; i < config_.queues.size(); ++i) check_queue(i);
    if (!no_nodes()) check_quotas();
    if (config_.fractions) {
      check_class(config_.fractions->device_class.get(), "fractions.deviceClass",
                  "no pod can get a part of a device");
    }
    if (!no_nodes()) check_topology();
    return std::move(problems_).take();
  }

 private:
  /// They may not be known: whoever asks may not list them.
  [[nodiscard]] bool no_nodes() const { return snapshot_.node_count() == 0; }

  /// Whether there is one.
  bool check_class(const std::string& name, std::string path, std::string_view consequence) {
    if (name.empty() || has(classes_, name)) return true;
    problems_.warn(std::move(path), "{}: there is no DeviceClass {}{}", consequence, name,
                   near_name(name, classes_));
    return false;
  }

  /// Whether there may be something that the rule counts.
  [[nodiscard]] bool may_count(const CountingRule& rule) const {
    const auto& device_class = rule.device_class.get();
    if (!device_class.empty()) return has(classes_, device_class);
    return no_nodes() || has(resources_, rule.node_resource);
  }

  void check_rules(const CountedResource& resource) {
    const bool some_count = std::ranges::any_of(
        resource.rules, [this](const CountingRule& rule) { return may_count(rule); });
    if (!some_count) uncounted_.insert(resource.name);
    const auto consequence =
        some_count ? std::string("counts nothing")
                   : fmt::format("counts nothing, so that quotas and limits of {} do not apply",
                                 resource.name);
    for (std::size_t i = 0; i < resource.rules.size(); ++i) {
      const auto& rule = resource.rules[i];
      if (may_count(rule)) continue;
      const auto path = fmt::format("resources.{}[{}]", resource.name, i);
      if (!rule.device_class.get().empty()) {
        check_class(rule.device_class.get(), path + ".deviceClass", consequence);
        continue;
      }
      problems_.warn(path + ".nodeResource", "{}: no node has the resource {}{}", consequence,
                     rule.node_resource, near_name(rule.node_resource, resources_));
    }
  }

  void check_queue(std::size_t index) {
    const auto& queue = config_.queues[index];
    const auto check = [&](const char* key, const Bounds& bounds) {
      for (const auto& [name, bound] : bounds) {
        if (!name.ends_with(class_resource_suffix)) continue;
        const bool known = check_class(
            name.substr(0, name.size() - class_resource_suffix.size()),
            fmt::format("queues[{}].{}.{}", index, key, name),
            fmt::format("the {} of queue {} applies to nothing", key, queue.name.get()));
        if (!known) uncounted_.insert(name);
      }
    };
    check("quota", queue.quota);
    check("limit", queue.limit);
  }

  /// The quotas of the top queues, which bound those below.
  void check_quotas() {
    const auto tree = make_tree(config_);
    // What an autoscaler may add is not there yet.
    if (!tree || !config_.node_groups.empty()) return;
    const Counting counting(config_);
    const auto have = capacity_of(counting, snapshot_);
    Amounts owed(have.size());
    for (const auto top : tree->tops()) {
      for (std::size_t r = 0; r < owed.size(); ++r) {
        if (std::isfinite((*tree)[top].quota[r])) owed[r] += (*tree)[top].quota[r];
      }
    }
    for (std::size_t r = 0; r < owed.size(); ++r) {
      if (owed[r] <= several * have[r]) continue;
      const auto& resource = counting.resources()[r];
      if (have[r] == 0 && uncounted_.contains(resource.name)) continue;  // said already
      const auto amount = [&](double value) {
        return humanize(value, resource.unit) + " " + display_unit(resource);
      };
      problems_.warn("queues", "the quotas of {} add up to {}, and the cluster has {}{}",
                     resource.name, amount(owed[r]), have[r] > 0 ? amount(have[r]) : "none",
                     have[r] > 0 ? ": not every queue can get its quota" : "");
    }
  }

  void check_topology() {
    if (config_.topology.empty()) return;
    const auto labels = node_labels(snapshot_);
    for (std::size_t i = 0; i < config_.topology.size(); ++i) {
      const auto& level = config_.topology[i];
      if (has(labels, level)) continue;
      problems_.warn(fmt::format("topology[{}]", i),
                     "the level has no domains: no node has the label {}{}", level,
                     suggest_near(level, labels));
    }
  }

  const PolicyConfig& config_;
  const cluster::Snapshot& snapshot_;
  Names classes_;
  Names resources_;
  std::set<std::string, std::less<>> uncounted_;  ///< a rule of these counts nothing
  ConfigProblems problems_;
};

}  // namespace

std::vector<ConfigProblem> check_against(const PolicyConfig& config,
                                         const cluster::Snapshot& snapshot) {
  if (snapshot.node_count() == 0 && snapshot.classes().empty()) return {};
  return ClusterCheck(config, snapshot).run();
}

std::string text_of(const ConfigProblem& problem) {
  return problem.path.empty() ? problem.text : problem.path + ": " + problem.text;
}

}  // namespace dray::policy
