#include "tests/cases/kai_policy.h"

#include <stdexcept>

#include "tests/cases/kai_parts.h"
#include "tests/cases/policy_case.h"

namespace dray::cases {
namespace {

policy::CountedResource gpus(const KaiTraits& traits, const std::vector<DeviceClass>& classes) {
  policy::CountedResource gpu{.name = "gpu", .rules = {}};
  for (const auto& made : classes) {
    // KAI takes a class for a GPU by its name.
    const bool counts = made.meta.name.contains("gpu") || made.meta.name.contains("mig");
    if (!counts) continue;
    policy::CountingRule rule;
    rule.device_class = ClassName(made.meta.name);
    if (traits.sharing && made.meta.name == "gpu") {
      rule.capacity = "memory";
      rule.per = whole(traits.device_memory * 1000);
    }
    gpu.rules.push_back(rule);
  }
  return gpu;
}

policy::QueueConfig queue_of(const Json& json) {
  policy::QueueConfig made;
  made.name = policy::QueueName(json.at("name").get<std::string>());
  if (const auto parent = text_of(json, "parent"); !parent.empty()) {
    made.parent = policy::QueueName(parent);
  }
  made.priority = get_or(json, "priority", 100);
  if (json.contains("preemptMinRuntimeSec")) {
    made.preempt_min_runtime = seconds_of(json["preemptMinRuntimeSec"]);
  }
  if (json.contains("reclaimMinRuntimeSec")) {
    made.reclaim_min_runtime = seconds_of(json["reclaimMinRuntimeSec"]);
  }
  return made;
}

/// What KAI's plugins say of packing and spreading.
void place_as_plugins(const Json& plugins, policy::PolicyConfig& config) {
  bool orders_shares = false;
  bool spreads_shares = false;
  for (const auto& plugin : plugins) {
    const auto name = text_of(plugin, "name");
    orders_shares = orders_shares || name == "gpusharingorder";
    spreads_shares = spreads_shares || name == "gpuspread";
    if (name != "nodeplacement") continue;
    const auto arguments = object_of(plugin, "arguments");
    for (const auto* resource : {"gpu", "cpu"}) {
      if (text_of(arguments, resource) == "spread") {
        config.placement[resource] = policy::PlacementStrategy::spread;
      }
    }
  }
  // Without that plugin, KAI's nodes with shared devices are as any others.
  const auto placed = config.placement.find("gpu");
  if (!orders_shares && placed != config.placement.end()) config.shares = placed->second;
  if (spreads_shares) config.shares = policy::PlacementStrategy::spread;
}

policy::PolicyConfig config_of(const Json& json, const KaiTraits& traits,
                               const std::vector<DeviceClass>& classes) {
  policy::PolicyConfig config;
  config.queues_from = policy::QueueSource::kai;
  config.resources.push_back(gpus(traits, classes));
  for (const auto& queue : json.at("queues")) config.queues.push_back(queue_of(queue));
  const auto& settings = json.at("config");
  config.preemption.enabled = config.reclaim.enabled = config.consolidation.enabled = true;
  const auto most = get_or(settings, "maxConsolidationPreemptees", -1);
  config.consolidation.max_jobs = most < 0 ? 100'000 : most;
  config.gangs.stale_after = seconds_of(get_or(settings, "stalenessGraceSec", Json(0)));
  config.budgets.victim_cooldown = Duration{0};
  place_as_plugins(list_of(settings, "plugins"), config);
  return config;
}

policy::Topologies topologies_of(const Json& json) {
  policy::Topologies topologies;
  for (const auto& topology : list_of(json, "topologies")) {
    auto& levels = topologies[topology.at("name").get<std::string>()];
    for (const auto& level : topology.at("levels")) {
      levels.push_back(level.at("nodeLabel").get<std::string>());
    }
  }
  return topologies;
}

}  // namespace

std::shared_ptr<const policy::Policy> read_kai_policy(const Json& json, const KaiTraits& traits,
                                                      const std::vector<DeviceClass>& classes) {
  auto made = policy::compile(config_of(json, traits, classes), topologies_of(json));
  if (!made) throw std::runtime_error(made.error().message);
  for (const auto& queue : json.at("queues")) {
    const auto read = read_queue(queue, "name");
    auto& to = made->queues[*made->queues.find(queue.at("name").get<std::string>())];
    to.created = minutes_from_start(queue, "createdMin");
    to.quota = read.quota;
    to.limit = read.limit;
    to.over_quota_weight = read.over_quota_weight;
  }
  return std::make_shared<const policy::Policy>(std::move(*made));
}

}  // namespace dray::cases
