#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "dray/cluster/allocated_state.h"
#include "dray/policy/queue_tree.h"
#include "planner/state/jobs.h"
#include "planner/state/nodes.h"

namespace dray::planner {

/// The cluster as a plan changes it, with undo. Two views of what is free: *now*, in which nobody
/// has gone, and *soon*, in which those who leave or are evicted have. What is placed is placed in
/// both. A node from which nobody goes is the same in both.
class PlanOverlay {
 public:
  PlanOverlay(std::shared_ptr<const cluster::Snapshot> snapshot, PlanNodes& nodes,
              policy::QueueTree& queues);

  [[nodiscard]] const cluster::Snapshot& snapshot() const { return soon_.snapshot(); }
  [[nodiscard]] const cluster::AllocatedState& soon() const { return soon_; }
  [[nodiscard]] const cluster::AllocatedState& now() const { return now_ ? *now_ : soon_; }
  /// Whether somebody goes from the node, so that the views may differ.
  [[nodiscard]] bool split(cluster::NodeIndex node) const {
    return splits_[node.get()] > 0 || shared_split_;
  }
  [[nodiscard]] PlanNodes& nodes() { return nodes_; }
  [[nodiscard]] const PlanNodes& nodes() const { return nodes_; }
  [[nodiscard]] policy::QueueTree& queues() { return queues_; }

  /// A member gets its place, now or (`now` is false) when the room is free. One that was evicted
  /// gets another.
  void place(PlanJob& job, PlanTask& task, cluster::NodeIndex node, const Placement& placement,
             bool now);
  /// Whether the claim gets its devices only when others have gone: so must all who share it.
  [[nodiscard]] bool promised(const ClaimKey& claim) const;
  /// A member that was evicted stays after all, with all that it had.
  void put_back(PlanJob& job, PlanTask& task, const Placement& placement);
  /// A member goes: its room is free soon (of one that this plan placed: now), and its queue holds
  /// less.
  void evict(PlanJob& job, PlanTask& task);
  /// A member that goes and has no other place waits again.
  void let_wait(PlanJob& job, PlanTask& task);
  /// A member that was leaving before the plan: its room is free soon.
  void let_leave(const PlanJob& job, const PlanTask& task);

  /// A claim of a pod that is gone: its devices are free soon.
  void let_go(const ClaimKey& claim, cluster::NodeIndex node, const Need& need);

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
    PlanTask* task;
    policy::TaskState state;
    std::optional<cluster::NodeIndex> node;
  };
  /// One step: what was before, in the stacks below.
  struct Change {
    std::optional<cluster::AllocatedState::Checkpoint> now;
    cluster::AllocatedState::Checkpoint soon;
    std::size_t nodes, rows, queues, tasks, promises;
    bool shared_split;
  };

  void open_step();
  void touch(cluster::NodeIndex node, const Need& need, double sign);
  void count(const PlanJob& job, const Need& need, bool more);
  void free_room(const PlanTask& task);
  void withdraw(const PlanTask& task);
  void set(PlanJob& job, PlanTask& task, policy::TaskState state,
           std::optional<cluster::NodeIndex> node);
  void revise_shared(const Placement& placement);

  PlanNodes& nodes_;
  policy::QueueTree& queues_;
  cluster::AllocatedState soon_;
  std::optional<cluster::AllocatedState> now_;  ///< absent: nobody goes, the same as soon
  std::vector<std::uint32_t> splits_;
  bool shared_split_ = false;
  std::vector<Change> changes_;
  std::vector<NodeChange> node_changes_;
  std::vector<double> rows_;
  std::vector<QueueChange> queue_changes_;
  std::vector<TaskChange> task_changes_;
  std::vector<ClaimKey> promises_;
};

}  // namespace dray::planner
