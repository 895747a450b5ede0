#include "dray/simulate/jobs_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "simulate/jobs/as_recorded.h"
#include "simulate/jobs/by_planner.h"
#include "simulate/jobs/by_strategy.h"
#include "simulate/jobs/cluster_objects.h"

namespace dray::simulate {

JobsRun run_jobs(const Setting& setting, const Scheduler& scheduler, std::uint64_t seed,
                 const JobsOptions& options) {
  JobsRun run;
  run.policy = scheduler.name;
  run.seed = seed;
  if (const auto* strategy = std::get_if<Strategy>(&scheduler.how)) {
    run_by_strategy(setting, *strategy, seed, options, run);
  } else if (const auto* recorded =
                 std::get_if<std::shared_ptr<const RecordedRun>>(&scheduler.how)) {
    run_as_recorded(setting, **recorded, options, run);
  } else {
    run_by_planner(setting, std::get<std::shared_ptr<const policy::Policy>>(scheduler.how), options,
                   run);
  }
  return run;
}

Result<std::shared_ptr<const policy::Policy>> policy_of(const Workload& workload, bool fair,
                                                        const GpuKind& gpus) {
  policy::PolicyConfig config;
  policy::CountingRule rule;
  if (gpus.device_class.get().empty()) {
    rule.node_resource = gpus.node_resource;
  } else {
    rule.device_class = gpus.device_class;
  }
  config.resources.push_back({.name = "gpu", .rules = {rule}});
  if (fair) {
    std::set<std::string> names;
    for (const auto& job : workload.jobs) names.insert(job.queue);
    for (const auto& name : names) {
      policy::QueueConfig queue;
      queue.name = policy::QueueName(name);
      queue.quota["gpu"] = Quantity(0);
      config.queues.push_back(std::move(queue));
    }
    config.reclaim.enabled = true;
  } else {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(std::string(policy::default_queue));
    config.queues.push_back(std::move(queue));
  }
  auto made = policy::compile(std::move(config));
  if (!made) return std::unexpected(made.error());
  return std::make_shared<const policy::Policy>(std::move(*made));
}

bool counts_gpus(const policy::Policy& policy, const GpuKind& gpus) {
  const auto rules = policy::counting_rules(policy.config);
  return std::ranges::any_of(rules, [&](const auto& of_resource) {
    return std::ranges::any_of(of_resource, [&](const policy::CountingRule& rule) {
      return gpus.device_class.get().empty() ? rule.node_resource == gpus.node_resource
                                             : rule.device_class == gpus.device_class;
    });
  });
}

}  // namespace dray::simulate
