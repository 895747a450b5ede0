#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dray/cluster/allocated_state.h"
#include "dray/model/placement.h"
#include "dray/policy/queue_tree.h"
#include "planner/state/jobs.h"
#include "planner/state/nodes.h"

namespace dray::planner {

/// What a pod gets: room that is idle, or room that others are releasing (KAI's terms).
enum class Room : std::uint8_t { idle, releasing };

/// The cluster as a plan changes it, with undo. Two views of what is free: *idle*, in which nobody
/// has gone, and *releasing*, in which those who leave or are evicted have gone as well. What is
/// placed is placed in both. A node from which nobody goes is the same in both, but for a claim
/// whose devices are being released: it is open on every node in one view, bound to its own in the
/// other.
class Overlay {
 public:
  Overlay(std::shared_ptr<const cluster::Snapshot> snapshot, NodeTable& nodes,
          policy::QueueTree& queues);

  [[nodiscard]] const cluster::Snapshot& snapshot() const { return releasing_.snapshot(); }
  [[nodiscard]] const cluster::AllocatedState& releasing() const { return releasing_; }
  [[nodiscard]] const cluster::AllocatedState& idle() const { return idle_ ? *idle_ : releasing_; }
  [[nodiscard]] const cluster::AllocatedState& view(Room room) const {
    return room == Room::idle ? idle() : releasing();
  }
  /// Whether somebody goes from the node, so that the views may differ.
  [[nodiscard]] bool split(cluster::NodeIndex node) const {
    return splits_[node.get()] > 0 || shared_split_;
  }
  /// Whether one of the claims keeps its devices in the idle view and has released them in the
  /// other.
  [[nodiscard]] bool split(const PodClaims& claims) const;
  [[nodiscard]] NodeTable& nodes() { return nodes_; }
  [[nodiscard]] const NodeTable& nodes() const { return nodes_; }
  [[nodiscard]] policy::QueueTree& queues() { return queues_; }
  [[nodiscard]] const policy::QueueTree& queues() const { return queues_; }

  /// A member gets its place, in room that is idle or that others are releasing. One that was
  /// evicted gets another. `takes`: what it takes there; null: what it asks for.
  void place(PlanJob& job, Task& task, cluster::NodeIndex node, const Placement& placement,
             Room room, const Kept<PodDemand>::Value& takes = nullptr);
  /// Whether the claim gets devices that others are releasing: all who share it wait for them.
  [[nodiscard]] bool from_releasing(const ClaimKey& claim) const;
  /// A member that was evicted stays after all, with all that it had.
  void reprieve(PlanJob& job, Task& task, const Placement& placement);
  /// A member goes: it is releasing its room (what this plan gave it is idle again), and its queue
  /// holds less. A claim that it shares is released when the last of its users goes.
  void evict(PlanJob& job, Task& task);
  /// A member that goes and has no other place waits again.
  void return_to_waiting(PlanJob& job, Task& task);
  /// A member that was leaving before the plan is releasing its room.
  void release_leaving(const Task& task);

  /// Room for a waiting member is nobody's from now on, though the member does not get it yet and
  /// its queue holds no more: others may be using it still.
  void reserve(const Task& task, cluster::NodeIndex node, const Placement& placement);
  /// The opposite of reserve().
  void unreserve(const Task& task, cluster::NodeIndex node, const Placement& placement);
  /// Whether the claim has its devices by reserve() alone: nobody may start with them.
  [[nodiscard]] bool is_reserved(const ClaimKey& claim) const;

  /// The claim of a pod that is gone is releasing its devices.
  void release_claim(const ClaimKey& claim, cluster::NodeIndex node, const PodDemand& demand);

  /// A point to go back to.
  using Mark = std::size_t;
  [[nodiscard]] Mark mark() const { return changes_.size(); }
  /// Takes back everything since.
  void undo(Mark mark);

 private:
  struct NodeChange {
    cluster::NodeIndex node;
    std::uint64_t stamp;
    std::uint32_t splits;
  };
  struct QueueChange {
    policy::QueueIndex queue;
    policy::Amounts allocated;
    policy::Amounts nonpreemptible;
  };
  struct TaskChange {
    PlanJob* job;
    Task* task;
    policy::TaskState state;
    std::optional<cluster::NodeIndex> node;
    Kept<PodDemand>::Value demand;
    bool moved;
  };
  /// One step: what was before, in the stacks below.
  struct Change {
    std::optional<cluster::AllocatedState::Checkpoint> idle;
    cluster::AllocatedState::Checkpoint releasing;
    std::size_t nodes, rows, queues, tasks, from_releasing, reserved, users;
    bool shared_split;
  };

  void open_step();
  void renew(cluster::NodeIndex node);
  void add(const Task& task, cluster::NodeIndex node, const Placement& placement);
  void touch(cluster::NodeIndex node, const PodDemand& demand, double sign);
  void count(const PlanJob& job, const policy::Amounts& amounts, bool more);
  void free_room(const Task& task);
  void free_claim(const ResourceClaim& claim, const Pod& pod);
  [[nodiscard]] bool has_left(const ClaimKey& claim, const Uid& user) const;
  void release(const ClaimKey& claim);
  void withdraw(const Task& task);
  void set(PlanJob& job, Task& task, policy::TaskState state,
           std::optional<cluster::NodeIndex> node);
  void revise_shared(const Placement& placement);
  [[nodiscard]] bool revise_shared(const AllocationResult& devices);

  NodeTable& nodes_;
  policy::QueueTree& queues_;
  cluster::AllocatedState releasing_;
  std::optional<cluster::AllocatedState> idle_;  ///< absent: nobody goes
  std::vector<std::uint32_t> splits_;
  bool shared_split_ = false;
  std::vector<Change> changes_;
  std::vector<NodeChange> node_changes_;
  std::vector<double> rows_;
  std::vector<QueueChange> queue_changes_;
  std::vector<TaskChange> task_changes_;
  std::vector<ClaimKey> from_releasing_;
  std::vector<std::pair<ClaimKey, bool>> reserved_;  ///< what was said of a claim last counts
  /// A user of a claim that several pods share has left it, or is back.
  struct UserChange {
    ClaimKey claim;
    Uid user;
    bool left = true;
  };
  std::vector<UserChange> user_changes_;
};

}  // namespace dray::planner
