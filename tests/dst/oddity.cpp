#include "tests/dst/oddity.h"

#include <array>
#include <chrono>
#include <initializer_list>

namespace dray::dst {
namespace {

using Lists = std::initializer_list<std::span<const Oddity>>;

std::vector<const Oddity*> all_of(Lists lists) {
  std::vector<const Oddity*> all;
  for (const auto some : lists) {
    for (const auto& each : some) all.push_back(&each);
  }
  return all;
}

/// Of the first oddity whose seeds are shared.
constexpr std::uint64_t first_shared = 3;

/// Each oddity has its turn. Those that came later have every other turn of one of the first, so
/// that the seeds by which faults are known stay what they are.
const Oddity* oddity_of(std::uint64_t seed) {
  const auto all = all_of({odd_claims(), odd_queues(), odd_leases(), odd_pods()});
  const auto later = all_of({odd_waits(), odd_terms()});
  const auto place = seed % all.size();
  const bool is_shared = place >= first_shared && place - first_shared < later.size();
  if (is_shared && seed / all.size() % 2 == 1) return later[place - first_shared];
  return all[place];
}

World small_world(Dice& dice) {
  World world;
  world.nodes = static_cast<int>(dice.between(1, 2));
  world.devices = 2;
  world.pods = 0;
  world.replicas = static_cast<int>(dice.between(1, 2));
  world.gated = dice.chance(50);
  world.protect_claims = dice.chance(50);
  world.nominate = dice.chance(20);
  world.plan_pause = std::chrono::milliseconds(dice.chance(50) ? 50 : 0);
  world.bind_timeout = std::chrono::seconds(30);
  world.reservation_life = std::chrono::seconds(90);
  return world;
}

}  // namespace

Story odd_story(std::uint64_t seed) {
  Dice dice(seed, 10);
  Story story{.seed = seed, .faults = {}, .world = small_world(dice)};
  story.oddities = {oddity_of(seed)};
  story.oddities.front()->shape(story);
  return story;
}

}  // namespace dray::dst
