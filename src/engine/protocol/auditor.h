#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/engine/audit.h"
#include "engine/protocol/command.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// Looks for what must not be, as claims change: a device that two claims have, a claim that is
/// kept for a pod that is gone, and one that has devices and no user. The fence and the admission
/// policies make the first impossible but for what others write; the second is the claim
/// controller's to mend, which forgets pods that it has never seen; the third nobody mends, since
/// that controller looks at users. What is found is looked at again after a while, its pods are
/// asked of the API server, and only then something is taken away: from claims of dray's pods that
/// have no node, and from pods that are not there. What is not dray's to take, as a claim without
/// users, which somebody may have allocated for later, is told in an Event, once.
class Auditor {
 public:
  /// Watches of claims and pods are apart: what one of them shows early is no finding.
  static constexpr Duration double_use_patience = std::chrono::seconds(10);
  /// The claim controller is given that long to do its work.
  static constexpr Duration orphan_patience = std::chrono::seconds(60);
  /// Whoever allocates a claim for later, and uses it by then, is not told of it.
  static constexpr Duration unused_patience = std::chrono::minutes(5);

  struct View {
    /// As AuditView::ours.
    std::function<bool(const Pod&)> ours;
    /// A write for the pod is under way: its claims are looked at again later.
    std::function<bool(const Uid&)> busy;
  };
  Auditor(const cluster::ClusterState& cluster, View view);

  /// The claim as it is now. Costs what its devices and users are.
  void put(const ResourceClaim& claim, Time now);
  void erase(const ClaimKey& claim);
  void pod_gone(const Uid& pod, Time now);

  /// A read is over.
  [[nodiscard]] Commands step(const ForAudit& purpose, const WriteOutcome& outcome, Time now);
  /// The first claim whose time has come is looked at; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;
  /// Leadership changed: who leads looks at all that is wrong now.
  void lead(bool leading, Time now);

  struct Figures {
    std::size_t devices_in_two_claims = 0;  ///< now
    std::uint64_t claims_healed = 0;        ///< that gave way to another
    std::uint64_t orphans_released = 0;     ///< users taken off that were gone
  };
  [[nodiscard]] Figures figures() const;

 private:
  struct Known {
    std::vector<DeviceId> devices;  ///< exclusive ones
    std::vector<Uid> users;
  };
  /// A claim that something is to be taken from: its pods are asked for, then it is given back.
  struct Run {
    std::uint64_t number = 0;
    Uid uid;
    std::vector<ClaimConsumer> users;  ///< to be taken off
    bool gives_way = false;            ///< else they are orphans
    std::size_t unread = 0;            ///< none: it is being given back
  };

  [[nodiscard]] AuditView view() const;
  void forget(const ClaimKey& key);
  void look_later(const ClaimKey& key, Time at);
  void look_at_users(const ResourceClaim& claim, Time now);
  [[nodiscard]] bool contested(const Known& known) const;
  [[nodiscard]] bool loses(const ResourceClaim& claim) const;
  [[nodiscard]] Commands check(const ResourceClaim& claim, Time now);
  [[nodiscard]] Commands start(const ResourceClaim& claim, std::vector<ClaimConsumer> users,
                               bool gives_way);
  [[nodiscard]] Commands tell_of_two(const ResourceClaim& claim);
  [[nodiscard]] Commands tell(const ResourceClaim& claim, const char* reason, std::string note);
  void note_given_back(const ResourceClaim& claim);

  const cluster::ClusterState& cluster_;
  View view_;
  // No hash tables: one that grows makes the strand wait for all its keys.
  std::map<ClaimKey, Known> known_;
  std::map<DeviceId, std::set<ClaimKey>> holders_;
  std::map<Uid, std::set<ClaimKey>> used_by_;  ///< by user
  std::set<DeviceId> contested_;               ///< that several claims have
  std::map<ClaimKey, Run> runs_;
  std::set<std::tuple<ClaimKey, Uid, std::string>> told_;  ///< and what of
  Timers<ClaimKey> timers_;
  std::uint64_t next_run_ = 1;
  bool leading_ = false;
  Figures figures_;
};

}  // namespace dray::engine
