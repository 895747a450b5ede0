#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "engine/protocol/command.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// Claims that only one waiting pod uses, allocated where the pod cannot go (after a crash between
/// allocation and binding, or a failed undo): given back, so that the pod can go elsewhere. That it
/// waits is asked of the API server first: after a take-over the watch may not show yet that the
/// leader before has bound it. A release without an answer may still land: it is sent again until
/// there is one, and the pod is not bound before. One that is refused is left alone for a while,
/// one that is done until the watch shows another version of the claim.
class ClaimReleases {
 public:
  /// `waits`: whether a pod still has no place.
  ClaimReleases(cluster::ClusterState& cluster, std::function<bool(const Uid&)> waits)
      : cluster_(cluster), waits_(std::move(waits)) {}

  /// Gives back all that the pod alone holds, each claim once at a time.
  [[nodiscard]] Commands start(const Pod& pod);
  /// A read or a write is over, whatever came of it.
  [[nodiscard]] Commands step(const ForRelease& purpose, const WriteOutcome& outcome, Time now);
  /// Takes the claim from these users, of whom the API server has been asked already.
  [[nodiscard]] Commands give_back(const GiveBack& command);
  /// Something of the pod's is being given back.
  [[nodiscard]] bool under_way(const Uid& pod) const;
  /// The first release whose time has come is sent again; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const { return timers_.next(); }
  /// Leadership changed.
  void reset();

 private:
  using Key = std::pair<ClaimKey, Uid>;  ///< and the pod
  struct Run {
    Write write;
    bool sent = false;
    bool unanswered = false;  ///< it may still land
    bool rests = false;       ///< it was refused: the next plan need not ask again
    std::uint32_t attempts = 0;
  };
  [[nodiscard]] static bool to_be_sent(const Run& run) { return !run.sent && !run.rests; }
  void add(const ClaimKey& claim, const Uid& pod, Write write);
  void remember(const Key& key);
  [[nodiscard]] Commands ask_for(const Pod& pod);
  [[nodiscard]] Commands pod_read(const Uid& pod, const WriteOutcome& outcome, Time now);

  cluster::ClusterState& cluster_;
  std::function<bool(const Uid&)> waits_;
  std::map<Key, Run> runs_;
  std::map<Key, ResourceVersion> done_;  ///< and the claim's that the watch showed then
  std::set<Uid> reading_;                ///< what is theirs is sent if they still wait then
  Timers<Key> timers_;
};

}  // namespace dray::engine
