#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/ids.h"
#include "dray/model/pod.h"
#include "dray/policy/gang.h"
#include "dray/policy/queue_tree.h"

namespace dray::planner {

/// Where a pod of a job is.
enum class MemberState : std::uint8_t {
  waiting,  ///< to be placed
  blocked,  ///< not to be placed now: foreign gates, a claim that is missing
  placed,   ///< has its node: reserved (assumed in the snapshot), bound or running
  leaving,  ///< evicted or deleted: its room is free soon
  stuck,    ///< leaving for so long that nobody may count on its room
  done,     ///< finished, or gone
};

/// It has room on its node, for a while at least.
[[nodiscard]] constexpr bool has_room(MemberState state) {
  return state == MemberState::placed || state == MemberState::leaving ||
         state == MemberState::stuck;
}

/// It is to be placed, now.
[[nodiscard]] constexpr bool waits(MemberState state) {
  return state == MemberState::waiting;
}

/// It has no room yet, whether it may be placed now or not.
[[nodiscard]] constexpr bool is_unplaced(MemberState state) {
  return waits(state) || state == MemberState::blocked;
}

/// A pod of a job.
struct Member {
  std::shared_ptr<const Pod> pod;
  MemberState state = MemberState::waiting;
  std::optional<NodeName> node;  ///< of placed, leaving and stuck ones

  bool operator==(const Member&) const = default;
};

/// For whom a job was evicted. It may not evict that beneficiary in turn, nor whom the beneficiary
/// was evicted for: it would reclaim back what was just taken from it, without end. A queue that
/// stays within its quota may, because its quota is owed to it.
struct EvictedFor {
  std::string beneficiary;  ///< its lineage
  Time until;               ///< then it is forgotten

  bool operator==(const EvictedFor&) const = default;
};

/// What is placed as one: a gang (a PodGroup's pods), or a single pod. Immutable.
struct Job {
  Uid uid;              ///< of the group, or of its only pod
  std::string name;     ///< for people: namespace/name
  std::string lineage;  ///< what it is known by also when its pods are made anew
  policy::QueueName queue;
  std::int32_t priority = 0;
  bool preemptible = true;
  bool may_evict =
      true;  ///< false: it waits for room, whatever the policy (preemptionPolicy Never)
  bool promised = false;  ///< was lifted before a restart: it comes first
  Time created;
  Time queued;                          ///< waits since: aging, and room kept for it
  std::optional<Time> started;          ///< runs since: minimum run times
  std::optional<Time> evicted;          ///< for the last time: its cool-down
  std::vector<EvictedFor> evicted_for;  ///< sorted by `to`
  std::optional<Duration> evict_delay;  ///< from the later of created and evicted, before it may
                                        ///< take room from others
  /// Nobody is evicted for it before: kube-scheduler has not taken it to room that others left.
  std::optional<Time> evictions_paused_until;
  std::optional<Duration> stale_after;  ///< absent: the policy's; negative: never
  std::optional<Time> stale_since;      ///< as the last plan said

  policy::SubGroup gang;  ///< its tasks' ids are places in `members`; their states are ignored
  std::vector<Member> members;

  /// Its first member's pod; a job has at least one.
  [[nodiscard]] const Pod& first() const { return *members.front().pod; }
  bool operator==(const Job&) const = default;
};

/// A pod that is a job by itself, waiting or, with `node`, placed there.
[[nodiscard]] Job single_pod_job(std::shared_ptr<const Pod> pod, policy::QueueName queue,
                                 Time queued, std::optional<NodeName> node = {});

/// A gang without subgroups: at least `minimum` of the members.
[[nodiscard]] policy::SubGroup plain_gang(std::size_t members, std::int32_t minimum);

}  // namespace dray::planner
