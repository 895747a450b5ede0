#include "planner/state/overlay.h"

#include <algorithm>

#include "dray/base/check.h"
#include "planner/state/shape.h"

namespace dray::planner {

PlanOverlay::PlanOverlay(std::shared_ptr<const cluster::Snapshot> snapshot, PlanNodes& nodes,
                         policy::QueueTree& queues)
    : nodes_(nodes), queues_(queues), soon_(std::move(snapshot)), splits_(nodes.size(), 0) {}

void PlanOverlay::open_step() {
  changes_.push_back({.now = now_ ? std::optional(now_->checkpoint()) : std::nullopt,
                      .soon = soon_.checkpoint(),
                      .nodes = node_changes_.size(),
                      .rows = rows_.size(),
                      .queues = queue_changes_.size(),
                      .tasks = task_changes_.size(),
                      .promises = promises_.size(),
                      .shared_split = shared_split_});
}

void PlanOverlay::touch(cluster::NodeIndex node, const Need& need, double sign) {
  node_changes_.push_back({node, nodes_.stamp(node), splits_[node.get()]});
  const auto row = nodes_.free(node);
  rows_.insert(rows_.end(), row.begin(), row.end());
  add_need(row, need, sign);
  nodes_.set_stamp(node, nodes_.new_stamp());
}

void PlanOverlay::count(const PlanJob& job, const Need& need, bool more) {
  if (!job.queue) return;
  for (std::optional at = *job.queue; at; at = queues_[*at].parent_index) {
    const auto& queue = queues_[*at];
    queue_changes_.push_back({*at, queue.allocated, queue.allocated_nonpreemptible});
  }
  if (more) {
    queues_.add_allocated(*job.queue, need.counts, job.job->preemptible);
  } else {
    queues_.remove_allocated(*job.queue, need.counts, job.job->preemptible);
  }
}

void PlanOverlay::set(PlanJob& job, PlanTask& task, policy::TaskState state,
                      std::optional<cluster::NodeIndex> node) {
  task_changes_.push_back({&job, &task, task.state, task.node});
  job.set_state(task, state);
  task.node = node;
}

/// Devices of pools that many nodes see: every node may have changed.
void PlanOverlay::revise_shared(const Placement& placement) {
  if (snapshot().shared_pools().empty()) return;
  const bool shared = std::ranges::any_of(
      placement.claims, [](const auto& claim) { return !claim.allocation.devices.empty(); });
  if (shared) nodes_.renew_all();
}

void PlanOverlay::place(PlanJob& job, PlanTask& task, cluster::NodeIndex node,
                        const Placement& placement, bool now) {
  open_step();
  const auto put = [&](cluster::AllocatedState& state) {
    if (placement.node_allocatable.empty()) {
      state.add_use(node, task.need->use);
    } else {
      state.add_use(node, cluster::use_of(task.pod(), placement.node_allocatable));
    }
    state.add_claims(placement);
  };
  if (!now) {
    for (const auto& part : placement.claims) {
      if (now_ && !now_->allocation(part.claim)) promises_.push_back(part.claim);
    }
  }
  put(soon_);
  if (now_) put(*now_);
  touch(node, *task.need, -1);
  count(job, *task.need, true);
  set(job, task, policy::TaskState::placed, node);
  revise_shared(placement);
}

bool PlanOverlay::promised(const ClaimKey& claim) const {
  return std::ranges::find(promises_, claim) != promises_.end();
}

void PlanOverlay::put_back(PlanJob& job, PlanTask& task, const Placement& placement) {
  open_step();
  soon_.add_use(*task.node, task.need->use);
  soon_.add_claims(placement);
  touch(*task.node, *task.need, -1);
  --splits_[task.node->get()];
  count(job, *task.need, true);
  set(job, task, policy::TaskState::placed, task.node);
  revise_shared(placement);
}

void PlanOverlay::free_room(const PlanTask& task) {
  if (!now_) now_.emplace(soon_);
  if (task.node) {
    soon_.remove_use(*task.node, task.need->use);
    touch(*task.node, *task.need, 1);
    ++splits_[task.node->get()];
  }
  for (const auto& claim : task.claims) {
    // A claim that others use as well stays.
    if (used_by_others(*claim, task.pod())) continue;
    if (is_shared(*claim, task.pod()) && claim->reserved_for.empty()) continue;
    soon_.release(claim->key());
    if (!snapshot().shared_pools().empty()) {
      shared_split_ = true;
      nodes_.renew_all();
    }
  }
}

/// What a plan places takes room in both views.
void PlanOverlay::withdraw(const PlanTask& task) {
  const auto take_off = [&](cluster::AllocatedState& state) {
    state.remove_use(*task.node, task.need->use);
    for (const auto& claim : task.claims) state.release(claim->key());
  };
  take_off(soon_);
  if (now_) take_off(*now_);
  touch(*task.node, *task.need, 1);
  if (!snapshot().shared_pools().empty()) nodes_.renew_all();
}

void PlanOverlay::evict(PlanJob& job, PlanTask& task) {
  open_step();
  if (task.just_placed()) {
    withdraw(task);
  } else {
    free_room(task);
  }
  count(job, *task.need, false);
  set(job, task, policy::TaskState::yielding, task.node);
}

void PlanOverlay::let_wait(PlanJob& job, PlanTask& task) {
  open_step();
  set(job, task, policy::TaskState::pending, std::nullopt);
}

void PlanOverlay::let_leave(const PlanJob& /*job*/, const PlanTask& task) {
  open_step();
  free_room(task);
}

void PlanOverlay::let_go(const ClaimKey& claim, cluster::NodeIndex node, const Need& need) {
  open_step();
  if (!now_) now_.emplace(soon_);
  soon_.release(claim);
  touch(node, need, 1);
  ++splits_[node.get()];
  if (snapshot().shared_pools().empty()) return;
  shared_split_ = true;
  nodes_.renew_all();
}

void PlanOverlay::undo(Mark mark) {
  while (changes_.size() > mark) {
    const auto& change = changes_.back();
    soon_.rollback(change.soon);
    if (change.now) {
      now_->rollback(*change.now);
    } else {
      now_.reset();
    }
    shared_split_ = change.shared_split;
    while (node_changes_.size() > change.nodes) {
      const auto& node = node_changes_.back();
      const auto row = nodes_.free(node.node);
      std::copy(rows_.end() - static_cast<std::ptrdiff_t>(row.size()), rows_.end(), row.begin());
      rows_.resize(rows_.size() - row.size());
      nodes_.set_stamp(node.node, node.stamp);
      splits_[node.node.get()] = node.splits;
      node_changes_.pop_back();
    }
    DRAY_CHECK(rows_.size() == change.rows);
    while (queue_changes_.size() > change.queues) {
      auto& queue = queue_changes_.back();
      queues_[queue.queue].allocated = queue.allocated;
      queues_[queue.queue].allocated_nonpreemptible = queue.nonpreemptible;
      queue_changes_.pop_back();
    }
    while (task_changes_.size() > change.tasks) {
      const auto& task = task_changes_.back();
      task.job->set_state(*task.task, task.state);
      task.task->node = task.node;
      task_changes_.pop_back();
    }
    promises_.resize(change.promises);
    changes_.pop_back();
  }
  if (!snapshot().shared_pools().empty()) nodes_.renew_all();
}

}  // namespace dray::planner
