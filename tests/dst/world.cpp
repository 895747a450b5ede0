#include "tests/dst/world.h"

#include <memory>

#include "tests/objects/devices.h"

namespace dray::dst {

Faults Faults::of(Dice dice) {
  Faults faults;
  for (const auto& [fault, name] : all_faults) faults.*fault = dice.chance(30);
  return faults;
}

World world_of(Dice dice) {
  World world;
  const bool large = dice.chance(3);
  world.nodes = static_cast<int>(large ? dice.between(20, 40) : dice.between(1, 4));
  world.devices = static_cast<int>(dice.between(1, 3));
  world.pods = static_cast<int>(large ? dice.between(40, 80) : dice.between(4, 16));
  world.gangs = dice.chance(60) ? static_cast<int>(dice.between(1, large ? 8 : 3)) : 0;
  world.replicas = static_cast<int>(dice.between(1, 3));
  world.gated = dice.chance(65);
  world.protect_claims = dice.chance(50);
  world.nominate = dice.chance(30);
  world.plan_inline = dice.chance(30);
  world.queues = dice.chance(35);
  world.priorities = world.queues && dice.chance(50);
  world.budgets = world.queues && dice.chance(40);
  world.fabric = dice.chance(20);
  world.parts = dice.chance(25);
  world.counters = dice.chance(25);
  world.conditions = dice.chance(20);
  world.plan_pause = std::chrono::milliseconds(dice.chance(50) ? 50 : 0);
  world.bind_timeout = std::chrono::seconds(dice.chance(50) ? 30 : 4);
  world.reservation_life = std::chrono::seconds(dice.chance(60) ? 90 : 3);
  world.models = dice.chance(40);
  return world;
}

sim::LoopOptions loop_options(const World& world, std::uint64_t seed) {
  sim::LoopOptions options;
  options.server.gate_pods = world.gated;
  options.server.protect_claims = world.protect_claims;
  options.server.seed = seed;
  options.scheduler.seed = seed;
  options.engine.nominate_from_nodes = world.nominate ? 1 : 1000;
  options.engine.plan_inline = world.plan_inline;
  options.engine.plan_pause = world.plan_pause;
  options.engine.reservation_life = world.reservation_life;
  options.bind_timeout = world.bind_timeout;
  return options;
}

std::shared_ptr<const policy::PolicyConfig> policy_of(const World& world, int reload) {
  if (!world.queues) return nullptr;
  auto config = std::make_shared<policy::PolicyConfig>();
  policy::CountingRule rule;
  rule.device_class = ClassName(testing::gpu_driver);
  config->resources = {{"gpu", {rule}}};
  const std::int64_t all = static_cast<std::int64_t>(world.nodes) * world.devices;
  for (const std::string name : {"a", "b"}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    queue.quota["gpu"] = Quantity(all / 2);
    // A gang must fit in, or nobody could say when its queue is idle.
    const auto room =
        world.gangs > 0 ? std::max<std::int64_t>(5, all) : std::max<std::int64_t>(3, all * 2 / 3);
    const auto most = room - (reload % 2 == 0 ? 1 : 0);
    if (name == "a") queue.limit["gpu"] = Quantity(most);
    config->queues.push_back(std::move(queue));
  }
  config->pod_queues.otherwise = policy::QueueName("b");
  config->reclaim.enabled = true;
  config->preemption.enabled = world.priorities;
  config->consolidation.enabled = world.moves;
  config->budgets.victim_cooldown = std::chrono::seconds(30);
  return config;
}

}  // namespace dray::dst
