#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"
#include "engine/protocol/command.h"
#include "engine/protocol/eviction_set.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// The sets of evictions that are under way, and their victims until these are gone.
class EvictionRuns {
 public:
  /// A pod that the API server would not evict is not asked for again so soon.
  static constexpr Duration refusal_cooldown = std::chrono::seconds(60);

  /// `needed`: whether somebody still waits for the room of an eviction.
  EvictionRuns(const cluster::ClusterState& cluster,
               std::function<bool(const planner::Eviction&)> needed)
      : cluster_(cluster), needed_(std::move(needed)) {}

  /// Begins one set: all are to go for the same beneficiary. Their pods must be there, and be
  /// nobody's victims yet.
  [[nodiscard]] Commands start(std::vector<planner::Eviction> evictions, Time now);
  [[nodiscard]] Commands step(std::uint64_t set, EvictionSet::Token token,
                              const WriteOutcome& outcome, Time now);
  /// The first set that is due; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const { return timers_.next(); }
  /// Leadership changed: nothing goes on, and nobody counts as leaving for it.
  [[nodiscard]] Commands reset();

  /// The pod is on its way out for dray.
  [[nodiscard]] bool evicting(const Uid& pod) const { return victims_.contains(pod); }
  /// The pod is gone, or keeps running after all.
  void forget(const Uid& pod) { victims_.erase(pod); }

  /// What came of the pods that dray asked to go, by EvictionCause.
  [[nodiscard]] const Engine::Evictions& figures() const { return figures_; }

 private:
  struct Run {
    EvictionSet set;
    std::vector<planner::Eviction> evictions;
    Time since;                 ///< begun
    std::vector<Uid> reserved;  ///< victims without a node yet; none once they were given up
  };
  void look(Run& run) const;
  [[nodiscard]] Commands carry(std::uint64_t id, const EvictionSet::Commands& commands, Time now);
  void end(std::uint64_t id, Time now, Commands& out);
  void end(const planner::Eviction& eviction, const EvictionSet& set, Time since, Commands& out);

  const cluster::ClusterState& cluster_;
  std::function<bool(const planner::Eviction&)> needed_;
  std::map<std::uint64_t, Run> runs_;
  std::map<Uid, std::uint64_t> victims_;  ///< to the set that they are in
  Timers<std::uint64_t> timers_;
  std::uint64_t next_set_ = 1;
  Engine::Evictions figures_;
};

}  // namespace dray::engine
