#include "app/simulate/schedulers.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>
#include <variant>

#include "app/common/policy_file.h"
#include "dray/cluster/state.h"

namespace dray::app {
namespace {

using Recorded = std::shared_ptr<const simulate::RecordedRun>;

Result<simulate::Scheduler> load_scheduler(const std::string& name,
                                           const simulate::Setting& setting,
                                           const Recorded& recorded) {
  if (const auto strategy = simulate::find_strategy(name)) {
    return simulate::Scheduler{name, *strategy};
  }
  if (name == "recorded") {
    if (recorded) return simulate::Scheduler{name, recorded};
    return fail(ErrorCode::invalid,
                "--policy recorded is what happened in --workload recorded:FOLDER, on the cluster "
                "of that record: without --cluster");
  }
  if (name == "fcfs" || name == "fair") {
    auto made = simulate::policy_of(setting.workload(), name == "fair", setting.cluster().gpus);
    if (!made) return std::unexpected(made.error());
    return simulate::Scheduler{name, std::move(*made)};
  }
  if (!is_policy_file(name)) {
    return fail(ErrorCode::invalid,
                fmt::format("--policy {}: no such policy, and no FILE.yaml", name));
  }
  auto config = load_policy(name);
  if (!config) return std::unexpected(std::move(config.error()));
  if (config->queues.empty()) {
    auto& queue = config->queues.emplace_back();
    queue.name = policy::QueueName(std::string(policy::default_queue));
  }
  auto compiled = policy::compile(std::move(*config));
  if (!compiled) return std::unexpected(std::move(compiled.error()).within(name));
  return simulate::Scheduler{name, std::make_shared<const policy::Policy>(std::move(*compiled))};
}

/// What the policy of a file names that the cluster does not have; of one that is nodes alone
/// nothing else is known than what load_schedulers() says of GPUs.
std::vector<std::string> warnings_of(const std::string& file, const policy::PolicyConfig& config,
                                     const simulate::Setting& setting) {
  const auto& objects = setting.cluster().objects;
  if (objects.empty() || !is_policy_file(file)) return {};
  cluster::ClusterState state;
  objects.for_each([&](const KubeObject& object) {
    const bool counts = !std::holds_alternative<Pod>(object);
    if (counts) state.apply(cluster::ObjectChanged{object});
  });
  return warnings_about(file, config, *state.snapshot());
}

/// What people call a policy by.
std::string short_name(const std::string& name) {
  return is_policy_file(name) ? std::filesystem::path(name).stem().string() : name;
}

}  // namespace

bool is_policy_file(std::string_view name) {
  return name.ends_with(".yaml") || name.ends_with(".yml");
}

Result<std::vector<simulate::Scheduler>> load_schedulers(const std::vector<std::string>& names,
                                                         const simulate::Setting& setting,
                                                         const Recorded& recorded,
                                                         std::vector<std::string>& warnings) {
  std::vector<simulate::Scheduler> schedulers;
  for (const auto& name : names) {
    auto scheduler = load_scheduler(name, setting, recorded);
    if (!scheduler) return std::unexpected(scheduler.error());
    if (std::ranges::count(names, short_name(name), short_name) == 1) {
      scheduler->name = short_name(name);
    }
    const auto* policy = std::get_if<std::shared_ptr<const policy::Policy>>(&scheduler->how);
    const auto& gpus = setting.cluster().gpus;
    if (policy != nullptr) {
      std::ranges::move(warnings_of(name, (*policy)->config, setting),
                        std::back_inserter(warnings));
    }
    if (policy != nullptr && !simulate::counts_gpus(**policy, gpus)) {
      const auto& device_class = gpus.device_class.get();
      warnings.push_back(fmt::format(
          "policy {} counts no {}, which the jobs ask for: in its queues GPUs are not shared out",
          name,
          device_class.empty() ? "nodeResource " + gpus.node_resource
                               : "deviceClass " + device_class));
    }
    schedulers.push_back(std::move(*scheduler));
  }
  return schedulers;
}

}  // namespace dray::app
