#include "planner/state/overlay.h"

#include <algorithm>

#include "dray/base/check.h"
#include "dray/cluster/pool_reach.h"
#include "planner/state/claim_use.h"

namespace dray::planner {
namespace {

/// What the member takes of its node by the placement, devices apart.
cluster::NodeUse taken_use(const Task& task, const Placement& placement) {
  if (placement.node_allocatable.empty()) return task.demand->use;
  return cluster::use_of(task.pod(), placement.node_allocatable);
}

}  // namespace

Overlay::Overlay(std::shared_ptr<const cluster::Snapshot> snapshot, NodeTable& nodes,
                 policy::QueueTree& queues)
    : nodes_(nodes), queues_(queues), releasing_(std::move(snapshot)), splits_(nodes.size(), 0) {}

void Overlay::open_step() {
  changes_.push_back({.idle = idle_ ? std::optional(idle_->checkpoint()) : std::nullopt,
                      .releasing = releasing_.checkpoint(),
                      .nodes = node_changes_.size(),
                      .rows = rows_.size(),
                      .queues = queue_changes_.size(),
                      .tasks = task_changes_.size(),
                      .from_releasing = from_releasing_.size(),
                      .reserved = reserved_.size(),
                      .users = user_changes_.size(),
                      .shared_split = shared_split_});
}

/// The node is about to change: undo() gives it back its row and its stamp.
void Overlay::renew(cluster::NodeIndex node) {
  node_changes_.push_back({node, nodes_.stamp(node), splits_[node.get()]});
  const auto row = nodes_.free(node);
  rows_.insert(rows_.end(), row.begin(), row.end());
  nodes_.set_stamp(node, nodes_.new_stamp());
}

void Overlay::touch(cluster::NodeIndex node, const PodDemand& demand, double sign) {
  renew(node);
  add_demand(nodes_.free(node), demand, sign);
}

void Overlay::count(const PlanJob& job, const policy::Amounts& amounts, bool more) {
  if (!job.queue) return;
  for (auto at = job.queue; at; at = queues_[*at].parent_index) {
    const auto& queue = queues_[*at];
    queue_changes_.push_back({*at, queue.allocated, queue.allocated_nonpreemptible});
  }
  if (more) {
    queues_.add_allocated(*job.queue, amounts, job.job->preemptible);
  } else {
    queues_.remove_allocated(*job.queue, amounts, job.job->preemptible);
  }
}

void Overlay::set(PlanJob& job, Task& task, policy::TaskState state,
                  std::optional<cluster::NodeIndex> node) {
  task_changes_.push_back({&job, &task, task.state, task.node, task.demand, task.moved});
  job.set_state(task, state);
  task.node = node;
}

/// Devices are taken or given back: other nodes than their own may have changed, which is so where
/// they are of a pool that many nodes see, or of one whose counters do. True: it may be so.
bool Overlay::revise_shared(const AllocationResult& devices) {
  if (!snapshot().shared_pools().empty()) {
    if (!devices.devices.empty()) nodes_.renew_all();
    return !devices.devices.empty();
  }
  if (!nodes_.has_spanning_pools()) return false;
  bool reaches = false;
  const cluster::Pool* last = nullptr;
  for (const auto& each : devices.devices) {
    const auto index = snapshot().find_pool(each.device.driver, each.device.pool);
    const auto* pool = index ? &snapshot().pool(*index) : nullptr;
    if (pool == last || pool == nullptr || !cluster::use_reaches_other_nodes(*pool)) continue;
    last = pool;
    cluster::for_each_node_of(snapshot(), *pool, [&](auto node) { renew(node); });
    reaches = true;
  }
  return reaches;
}

void Overlay::revise_shared(const Placement& placement) {
  for (const auto& claim : placement.claims) {
    static_cast<void>(revise_shared(claim.allocation));
  }
}

void Overlay::place(PlanJob& job, Task& task, cluster::NodeIndex node, const Placement& placement,
                    Room room, const Kept<PodDemand>::Value& takes) {
  open_step();
  const auto before = task.demand;
  if (takes != nullptr) task.demand = takes;
  if (room == Room::releasing) {
    for (const auto& part : placement.claims) {
      if (idle_ && !idle_->allocation(part.claim)) from_releasing_.push_back(part.claim);
    }
  }
  add(task, node, placement);
  count(job, task.comes_on_top(), true);
  const bool moves = task.has_to_leave();
  set(job, task, policy::TaskState::placed, node);
  task_changes_.back().demand = before;
  task.moved = moves;
  revise_shared(placement);
}

/// The member takes its room in both views.
void Overlay::add(const Task& task, cluster::NodeIndex node, const Placement& placement) {
  const auto use = taken_use(task, placement);
  releasing_.add_use(node, use);
  releasing_.add_claims(placement);
  if (idle_) {
    idle_->add_use(node, use);
    idle_->add_claims(placement);
  }
  touch(node, *task.demand, -1);
}

void Overlay::reserve(const Task& task, cluster::NodeIndex node, const Placement& placement) {
  open_step();
  add(task, node, placement);
  for (const auto& part : placement.claims) {
    if (!snapshot().allocation(part.claim)) reserved_.emplace_back(part.claim, true);
  }
  revise_shared(placement);
}

void Overlay::unreserve(const Task& task, cluster::NodeIndex node, const Placement& placement) {
  open_step();
  const auto use = taken_use(task, placement);
  const auto remove = [&](cluster::AllocatedState& state) {
    state.remove_use(node, use);
    for (const auto& part : placement.claims) {
      // Others of the job may share it, and the first of them has taken it off already.
      if (!snapshot().allocation(part.claim)) state.release(part.claim);
    }
  };
  remove(releasing_);
  if (idle_) remove(*idle_);
  for (const auto& part : placement.claims) reserved_.emplace_back(part.claim, false);
  touch(node, *task.demand, 1);
  revise_shared(placement);
}

bool Overlay::is_reserved(const ClaimKey& claim) const {
  const auto last = std::ranges::find(reserved_.rbegin(), reserved_.rend(), claim,
                                      &std::pair<ClaimKey, bool>::first);
  return last != reserved_.rend() && last->second;
}

bool Overlay::split(const PodClaims& claims) const {
  return std::ranges::any_of(claims, [&](const auto& claim) {
    return idle().allocation(claim->key()) && !releasing().allocation(claim->key());
  });
}

bool Overlay::from_releasing(const ClaimKey& claim) const {
  return std::ranges::find(from_releasing_, claim) != from_releasing_.end();
}

void Overlay::reprieve(PlanJob& job, Task& task, const Placement& placement) {
  open_step();
  releasing_.add_use(*task.node, task.demand->use);
  releasing_.add_claims(placement);
  touch(*task.node, *task.demand, -1);
  --splits_[task.node->get()];
  count(job, task.freed(), true);
  set(job, task, policy::TaskState::placed, task.node);
  for (const auto& claim : task.claims) {
    if (is_shared(*claim, task.pod())) {
      user_changes_.push_back({claim->key(), task.pod().meta.uid, false});
    }
  }
  revise_shared(placement);
}

void Overlay::free_room(const Task& task) {
  if (!idle_) idle_.emplace(releasing_);
  if (task.node) {
    releasing_.remove_use(*task.node, task.demand->use);
    touch(*task.node, *task.demand, 1);
    ++splits_[task.node->get()];
  }
  for (const auto& claim : task.claims) free_claim(*claim, task.pod());
}

/// A claim that others use as well stays.
void Overlay::free_claim(const ResourceClaim& claim, const Pod& pod) {
  const auto& key = claim.key();
  if (is_shared(claim, pod)) {
    user_changes_.push_back({key, pod.meta.uid, true});
    if (claim.reserved_for.empty()) return;
  }
  const auto goes = [&](const Uid& user) { return user == pod.meta.uid || has_left(key, user); };
  if (used_by_others(snapshot(), claim, goes)) return;
  release(key);
}

bool Overlay::has_left(const ClaimKey& claim, const Uid& user) const {
  const auto last = std::ranges::find_if(
      user_changes_.rbegin(), user_changes_.rend(),
      [&](const UserChange& change) { return change.claim == claim && change.user == user; });
  return last != user_changes_.rend() && last->left;
}

/// The devices are free in the releasing view alone.
void Overlay::release(const ClaimKey& claim) {
  const auto had = releasing_.allocation(claim);
  releasing_.release(claim);
  if (had && revise_shared(*had)) shared_split_ = true;
}

/// What a plan places takes room in both views. In the idle one, who is moved has its old devices
/// as well.
void Overlay::withdraw(const Task& task) {
  releasing_.remove_use(*task.node, task.demand->use);
  if (idle_) idle_->remove_use(*task.node, task.demand->use);
  for (const auto& claim : task.claims) {
    const auto had = releasing_.allocation(claim->key());
    releasing_.release(claim->key());
    if (had) static_cast<void>(revise_shared(*had));
    if (!idle_) continue;
    if (!task.moved) {
      idle_->release(claim->key());
    } else if (had && *had != *idle_->allocation(claim->key())) {
      idle_->remove_devices(*had);
    }
  }
  touch(*task.node, *task.demand, 1);
  if (!snapshot().shared_pools().empty()) nodes_.renew_all();
}

void Overlay::evict(PlanJob& job, Task& task) {
  open_step();
  if (task.placed_by_plan()) {
    withdraw(task);
  } else {
    free_room(task);
  }
  count(job, task.freed(), false);
  set(job, task, policy::TaskState::yielding, task.node);
}

void Overlay::return_to_waiting(PlanJob& job, Task& task) {
  open_step();
  set(job, task, policy::TaskState::pending, std::nullopt);
  if (task.asked != nullptr) task.demand = task.asked;
}

void Overlay::release_leaving(const Task& task) {
  open_step();
  free_room(task);
}

void Overlay::release_claim(const ClaimKey& claim, cluster::NodeIndex node,
                            const PodDemand& demand) {
  open_step();
  if (!idle_) idle_.emplace(releasing_);
  release(claim);
  touch(node, demand, 1);
  ++splits_[node.get()];
}

void Overlay::undo(Mark mark) {
  while (changes_.size() > mark) {
    const auto& change = changes_.back();
    releasing_.rollback(change.releasing);
    if (change.idle) {
      idle_->rollback(*change.idle);
    } else {
      idle_.reset();
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
      task.task->demand = task.demand;
      task.task->moved = task.moved;
      task_changes_.pop_back();
    }
    from_releasing_.resize(change.from_releasing);
    reserved_.resize(change.reserved);
    user_changes_.resize(change.users);
    changes_.pop_back();
  }
  if (!snapshot().shared_pools().empty()) nodes_.renew_all();
}

}  // namespace dray::planner
