#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/cluster_loop.h"
#include "tests/dst/bias.h"
#include "tests/dst/dice.h"

namespace dray::dst {

/// What goes wrong in a seed: a random subset, so that rare faults are not drowned by common ones.
struct Faults {
  bool lost_writes = false;
  bool unanswered_writes = false;
  bool late_writes = false;
  bool refused_writes = false;
  bool overload = false;
  bool lost_calls = false;
  bool repeated_binds = false;
  bool slow_watches = false;
  bool slow_lists = false;
  bool slow_writes = false;
  bool slow_plans = false;
  bool broken_watches = false;
  bool compaction = false;
  bool crashes = false;
  bool pauses = false;
  bool drains = false;
  bool odd_clocks = false;
  bool touches = false;
  bool rival = false;
  bool replaced_claims = false;
  bool nodes_change = false;
  bool taints = false;
  bool pods_deleted = false;
  bool policy_reloads = false;
  bool unreadable = false;
  bool doomed = false;
  bool devices_change = false;

  static Faults of(Dice dice);
};

/// A fault and its name, to take them away one by one.
inline constexpr std::array<std::pair<bool Faults::*, const char*>, 27> all_faults{{
    {&Faults::lost_writes, "lost writes"},
    {&Faults::unanswered_writes, "unanswered writes"},
    {&Faults::late_writes, "late writes"},
    {&Faults::refused_writes, "refused writes"},
    {&Faults::overload, "overload"},
    {&Faults::lost_calls, "lost calls"},
    {&Faults::repeated_binds, "repeated binds"},
    {&Faults::slow_watches, "slow watches"},
    {&Faults::slow_lists, "slow lists"},
    {&Faults::slow_writes, "slow writes"},
    {&Faults::slow_plans, "slow plans"},
    {&Faults::broken_watches, "broken watches"},
    {&Faults::compaction, "compaction"},
    {&Faults::crashes, "crashes"},
    {&Faults::pauses, "pauses"},
    {&Faults::drains, "drains"},
    {&Faults::odd_clocks, "odd clocks"},
    {&Faults::touches, "touches"},
    {&Faults::rival, "rival"},
    {&Faults::replaced_claims, "replaced claims"},
    {&Faults::nodes_change, "nodes change"},
    {&Faults::taints, "taints"},
    {&Faults::pods_deleted, "pods deleted"},
    {&Faults::policy_reloads, "policy reloads"},
    {&Faults::unreadable, "unreadable objects"},
    {&Faults::doomed, "doomed pods"},
    {&Faults::devices_change, "devices change"},
}};

/// The cluster and the workload of a seed.
struct World {
  int nodes = 1;
  int devices = 1;  ///< of each node
  int pods = 1;
  int gangs = 0;
  int replicas = 1;
  bool gated = false;
  bool protect_claims = false;
  bool nominate = false;
  bool plan_inline = false;
  bool queues = false;      ///< two queues with limits; they take back from each other
  bool moves = false;       ///< and who is in the way of others may be moved
  bool priorities = false;  ///< and jobs preempt others of their queue
  bool budgets = false;     ///< disruption budgets cover some pods
  bool fabric = false;      ///< a pool that all nodes reach
  bool parts = false;       ///< devices of which parts can be had
  bool counters = false;    ///< devices that are cut from one whole
  bool conditions = false;  ///< devices that have to be attached first
  bool models = false;      ///< GPUs of two models, which some pods tell apart by a selector
  Duration plan_pause{};
  Duration bind_timeout{};
  Duration reservation_life{};
};

World world_of(Dice dice);
inline std::string node_name(int index) {
  return "n" + std::to_string(index);
}
/// What the cluster of this world is made with.
sim::LoopOptions loop_options(const World& world, std::uint64_t seed);
/// The policy file; none: no queues. `reload` counts from 0: each has other limits.
std::shared_ptr<const policy::PolicyConfig> policy_of(const World& world, int reload);

struct Oddity;

/// All of one run, but for the seed: what is made smaller when a seed fails.
struct Story {
  std::uint64_t seed = 0;
  Faults faults;
  World world;
  // Of odd seeds only.
  std::vector<const Oddity*> oddities = {};
  Bias bias = {};
  Strictness strict = {};
  bool others_queue = false;  ///< queue a is for pods of another namespace
  Duration more_calm{};       ///< fair weather lasts so much longer

  static Story of(std::uint64_t seed) {
    return {seed, Faults::of(Dice(seed, 1)), world_of(Dice(seed, 2))};
  }
};

// The drivers of the world, which are also the names of their classes.
inline constexpr const char* fabric_driver = "fabric.example.com";
inline constexpr const char* parts_driver = "parts.example.com";
inline constexpr const char* counters_driver = "counters.example.com";
inline constexpr std::int64_t parts_of_device = 4;
inline constexpr std::int64_t counters_of_node = 2;
inline constexpr const char* attached_driver = "attached.example.com";
inline constexpr const char* attached_condition = "example.com/attached";
inline constexpr const char* attach_failed_condition = "example.com/failed";
inline constexpr const char* queue_label = "dray.dev/queue";
// An attribute of GPUs where there are two models.
inline constexpr const char* model_attribute = "model";
inline constexpr const char* large_model = "large";
inline constexpr const char* small_model = "small";

}  // namespace dray::dst
