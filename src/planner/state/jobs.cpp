#include "planner/state/jobs.h"

#include <algorithm>
#include <utility>

#include "planner/state/shape.h"

namespace dray::planner {
namespace {

/// One pod that is all of its job: no tree is walked for it.
bool is_single(const Job& job) {
  const auto& gang = job.gang;
  return job.members.size() == 1 && gang.sub_groups.empty() && gang.pod_sets.size() == 1 &&
         gang.pod_sets.front().min_member == 1 && gang.pod_sets.front().tasks.size() == 1 &&
         gang.topology.topology.empty() && gang.topology.required.empty() &&
         gang.topology.preferred.empty() && !gang.min_sub_group &&
         gang.pod_sets.front().topology == policy::TopologyConstraint{};
}

void link(policy::SubGroup& group, std::vector<PlanTask>& tasks) {
  for (auto& set : group.pod_sets) {
    std::erase_if(set.tasks, [&](const auto& task) { return task.id >= tasks.size(); });
    for (auto& task : set.tasks) {
      task.state = tasks[task.id].state;
      tasks[task.id].slot = &task;
    }
  }
  for (auto& sub : group.sub_groups) link(sub, tasks);
}

policy::TaskState state_of(MemberState state) {
  if (state == MemberState::waiting) return policy::TaskState::pending;
  if (state == MemberState::placed) return policy::TaskState::placed;
  return policy::TaskState::other;
}

bool has_room(MemberState state) {
  return state == MemberState::placed || state == MemberState::leaving ||
         state == MemberState::stuck;
}

}  // namespace

void PlanJob::set_state(PlanTask& task, policy::TaskState state) {
  const auto count = [&](policy::TaskState which, std::size_t by) {
    if (which == policy::TaskState::placed) placed += by;
    if (which == policy::TaskState::pending) waiting += by;
  };
  count(task.state, static_cast<std::size_t>(-1));
  task.state = state;
  count(task.state, 1);
  if (task.slot != nullptr) task.slot->state = state;
}

void PlanJob::forget_victims() {
  for (auto& task : tasks) {
    if (task.state != policy::TaskState::pending) task.shape = nullptr;
  }
}

policy::GangPhase PlanJob::phase() const {
  if (gang) return policy::phase_of(*gang);
  return placed == 0 ? policy::GangPhase::below_minimum : policy::GangPhase::at_minimum;
}

bool PlanJob::has_minimum() const {
  return gang ? policy::has_minimum(*gang) : placed > 0;
}

std::vector<std::uint32_t> PlanJob::next_chunk(bool simulated) const {
  if (gang) return policy::next_to_place(*gang, policy::by_need, simulated);
  const auto state = tasks.front().state;
  const bool waits =
      state == policy::TaskState::pending || (simulated && state == policy::TaskState::yielding);
  return waits ? std::vector<std::uint32_t>{0} : std::vector<std::uint32_t>{};
}

policy::Eviction PlanJob::next_victims() const {
  if (gang) return policy::next_to_evict(*gang, policy::by_need);
  policy::Eviction eviction;
  if (placed > 0) eviction.tasks.push_back(0);
  return eviction;
}

policy::Amounts PlanJob::counts_of(std::span<const std::uint32_t> chunk,
                                   std::size_t resources) const {
  policy::Amounts sum(resources);
  for (const auto task : chunk) {
    if (tasks[task].need != nullptr) sum += tasks[task].need->counts;
  }
  return sum;
}

void PlanJobs::forget() {
  jobs_.clear();
  order_.clear();
  needs_.clear();
  copied_.reset();
  shapes_.clear();
  singular_.clear();
  leaves_.clear();
}

void PlanJobs::update(const PlanInput& input, const policy::Policy& policy) {
  const bool other_rules = rules_ != &policy || policy_ != input.policy ||
                           class_epoch_ != input.snapshot->class_epoch() || !snapshot_ ||
                           snapshot_->origin() != input.snapshot->origin();
  if (other_rules || shapes_.size() > 16'384) forget();
  snapshot_ = input.snapshot;
  policy_ = input.policy;
  rules_ = &policy;
  class_epoch_ = snapshot_->class_epoch();
  // Waiting tasks point to theirs until they have been looked at again, below.
  const auto last_singular = std::exchange(singular_, {});
  next_singular_ = 0;
  devices_.clear();
  leaves_.resize(policy.queues.queues().size());

  std::vector<std::unique_ptr<PlanJob>> old = std::move(jobs_);
  jobs_.clear();
  jobs_.reserve(input.jobs.size());
  bool moved = old.size() != input.jobs.size();
  std::size_t at = 0;
  const auto drop = [&](PlanJob& job) {
    moved = true;
    if (job.queue) leaves_[job.queue->get()].stale = true;
  };
  for (const auto& job : input.jobs) {
    while (at < old.size() && old[at]->job != job && old[at]->job->uid < job->uid) drop(*old[at++]);
    if (at < old.size() && old[at]->job == job) {
      jobs_.push_back(std::move(old[at++]));
      jobs_.back()->forget_victims();
    } else {
      if (at < old.size() && old[at]->job->uid == job->uid) drop(*old[at++]);
      jobs_.push_back(make(job));
      drop(*jobs_.back());
    }
  }
  while (at < old.size()) drop(*old[at++]);
  if (moved) {
    order_.clear();
    for (auto& leaf : leaves_) {
      if (leaf.stale) leaf.jobs.clear();
    }
    for (auto& job : jobs_) {
      job->order = static_cast<std::uint32_t>(order_.size());
      order_.push_back(job.get());
      if (!job->queue) continue;
      auto& leaf = leaves_[job->queue->get()];
      if (leaf.stale) leaf.jobs.push_back(job.get());
    }
  }
  for (auto* job : order_) {
    if (job->waiting > 0) refresh_waiting(*job);
  }
}

std::unique_ptr<PlanJob> PlanJobs::make(std::shared_ptr<const Job> job) {
  auto made = std::make_unique<PlanJob>();
  made->queue = rules_->queues.find(job->queue.get());
  if (made->queue && !rules_->queues[*made->queue].children.empty()) made->queue.reset();
  const auto resources = rules_->counting.resources().size();
  made->held = policy::Amounts(resources);
  made->leaving = policy::Amounts(resources);
  made->tasks.reserve(job->members.size());
  counted_.clear();
  for (const auto& member : job->members) {
    PlanTask task{.member = &member,
                  .state = state_of(member.state),
                  .node = {},
                  .need = nullptr,
                  .shape = nullptr,
                  .claims = {},
                  .not_ready = {},
                  .slot = nullptr};
    if (has_room(member.state) && member.node) task.node = snapshot_->node(*member.node);
    if (has_room(member.state)) {
      read_claims(task);
      task.need = placed_need(task);
      (member.state == MemberState::placed ? made->held : made->leaving) += task.need->counts;
    }
    if (task.state == policy::TaskState::placed) ++made->placed;
    if (task.state == policy::TaskState::pending) ++made->waiting;
    made->tasks.push_back(std::move(task));
  }
  if (!is_single(*job)) {
    made->gang = job->gang;
    link(*made->gang, made->tasks);
  }
  made->job = std::move(job);
  return made;
}

void PlanJobs::read_claims(PlanTask& task) {
  task.not_ready.reset();
  task.claims.clear();
  if (task.pod().resource_claims.empty()) return;
  auto claims = claims_of(*snapshot_, task.pod());
  if (claims) {
    task.claims = std::move(*claims);
  } else {
    task.not_ready = std::move(claims.error());
  }
}

/// The claims of those that wait may be others than in the last plan.
void PlanJobs::refresh_waiting(PlanJob& job) {
  counted_.clear();
  for (const auto& task : job.tasks) {
    if (task.state == policy::TaskState::pending) continue;
    for (const auto& claim : task.claims) counted_.push_back(claim->key());
  }
  for (auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending) continue;
    if (task.shape != nullptr && task.pod().resource_claims.empty() && !task.shape->singular) {
      continue;
    }
    const auto before = std::move(task.claims);
    const auto* need = task.need;
    read_claims(task);
    const bool same = need != nullptr && !task.not_ready && before == task.claims;
    if (!same || task.shape == nullptr || task.shape->singular) {
      task.shape = nullptr;
      if (!task.not_ready) task.shape = shape_of(task);
    }
    task.need = task.shape != nullptr ? intern(task.shape->need) : nullptr;
    if (task.need != need && job.queue) leaves_[job.queue->get()].stale = true;
  }
}

const Shape* PlanJobs::shape_of(PlanTask& task) {
  auto resources = class_resources(*snapshot_, task.pod());
  const bool leaves = task.state == policy::TaskState::yielding;
  const bool singular =
      !resources.empty() || is_singular(*snapshot_, task.pod(), task.claims, leaves);
  auto key = singular ? std::string() : shape_key(task.pod(), task.claims);
  if (!singular) {
    if (const auto known = shapes_.find(key); known != shapes_.end()) return known->second.get();
  }
  auto shape = std::make_unique<Shape>(
      Shape{.pod = task.member->pod,
            .fit = cluster::NodeFit(task.pod(), *snapshot_),
            .claims = task.claims,
            .class_resources = std::move(resources),
            .need = singular ? need_of(task) : need_of(task, true),
            .partial = asks_for_part(task.claims),
            .singular = singular,
            .number = singular ? singular_bit | next_singular_++ : next_shape_++});
  const auto* made = shape.get();
  if (singular) {
    singular_.push_back(std::move(shape));
  } else {
    shapes_.emplace(std::move(key), std::move(shape));
  }
  return made;
}

const Need* PlanJobs::placed_need(const PlanTask& task) {
  if (!task.claims.empty()) return intern(need_of(task));
  if (const auto* same = copied_need(task.member->pod)) {
    if (copied_interned_ == nullptr) copied_interned_ = intern(*same);
    return copied_interned_;
  }
  return intern(pod_need(task.pod()));
}

const Need* PlanJobs::intern(Need need) {
  for (const auto& known : needs_) {
    if (*known == need) return known.get();
  }
  needs_.push_back(std::make_unique<Need>(std::move(need)));
  return needs_.back().get();
}

const Device* PlanJobs::find_device(const DeviceId& id) {
  const auto known = devices_.find(id);
  if (known != devices_.end()) return &known->second;
  auto device = published_device(*snapshot_, id);
  if (!device) return nullptr;
  return &devices_.emplace(id, std::move(*device)).first->second;
}

/// What the pod itself asks for, without its claims.
Need PlanJobs::pod_need(const Pod& pod) const {
  auto use = cluster::use_of(pod);
  const auto& requests = use.requested;
  Need need{.counts = rules_->counting.of(requests),
            .devices = 0,
            .milli_cpu = static_cast<double>(requests.milli_cpu),
            .use = {}};
  for (const auto& [name, amount] : requests.others) need.devices += static_cast<double>(amount);
  need.use = std::move(use);
  return need;
}

/// Pods that stand beside each other are mostly copies of one. Null: not to be had by its requests.
const Need* PlanJobs::copied_need(const std::shared_ptr<const Pod>& pod) {
  if (!pod->node_allocatable_claims.empty()) return nullptr;
  if (copied_ == nullptr || !cluster::same_use(*copied_, *pod)) {
    copied_ = pod;
    copied_need_ = pod_need(*pod);
    copied_interned_ = nullptr;
  }
  return &copied_need_;
}

Need PlanJobs::need_of(const PlanTask& task, bool as_asked) {
  const auto* same = copied_need(task.member->pod);
  Need need = same != nullptr ? *same : pod_need(task.pod());
  for (const auto& claim : task.claims) {
    // A claim that several pods share counts for the first of its users, and once in a job.
    if (!is_first_user(*claim, task.pod())) continue;
    if (is_shared(*claim, task.pod())) {
      if (std::ranges::find(counted_, claim->key()) != counted_.end()) continue;
      counted_.push_back(claim->key());
    }
    std::shared_ptr<const AllocationResult> held;
    const AllocationResult* has = nullptr;
    if (!as_asked) {
      if (!claim->allocation) held = snapshot_->allocation(claim->key());
      has = claim->allocation ? &*claim->allocation : held.get();
    }
    need.counts +=
        rules_->counting.of(*claim, has, [this](const DeviceId& id) { return find_device(id); });
    need.devices += static_cast<double>(devices_in(*claim, has));
  }
  return need;
}

PlanJob* PlanJobs::find(const Uid& uid) const {
  const auto at = std::ranges::lower_bound(
      order_, uid, {}, [](const PlanJob* job) -> const Uid& { return job->job->uid; });
  return at != order_.end() && (*at)->job->uid == uid ? *at : nullptr;
}

void PlanJobs::count(policy::QueueTree& tree) {
  const auto resources = tree.resources();
  held_ = policy::Amounts(resources);
  for (std::size_t index = 0; index < leaves_.size(); ++index) {
    auto& leaf = leaves_[index];
    if (leaf.stale) {
      leaf.held = leaf.held_nonpreemptible = leaf.requested = leaf.present =
          policy::Amounts(resources);
      for (const auto* job : leaf.jobs) {
        leaf.held += job->held;
        if (!job->job->preemptible) leaf.held_nonpreemptible += job->held;
        leaf.requested += job->held;
        leaf.present += job->leaving;
        for (const auto& task : job->tasks) {
          if (task.state != policy::TaskState::pending || task.need == nullptr) continue;
          leaf.requested += task.need->counts;
        }
      }
      leaf.stale = false;
    }
    held_ += leaf.held;
    held_ += leaf.present;
    tree.upwards(policy::QueueIndex(static_cast<std::uint32_t>(index)), [&](policy::Queue& queue) {
      queue.allocated += leaf.held;
      queue.allocated_nonpreemptible += leaf.held_nonpreemptible;
      queue.requested += leaf.requested;
    });
  }
}

}  // namespace dray::planner
