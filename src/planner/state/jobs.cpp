#include "planner/state/jobs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "planner/state/claim_use.h"

namespace dray::planner {
namespace {

/// With more shapes than this all are forgotten, and those that are still in use made again.
constexpr std::size_t most_shapes = 16'384;

/// Between the numbers of neighbours, for those that come between them.
constexpr std::uint64_t gap = std::uint64_t{1} << 24;

/// One pod that is all of its job: no tree is walked for it.
bool is_single(const Job& job) {
  const auto& gang = job.gang;
  return job.members.size() == 1 && gang.sub_groups.empty() && gang.pod_sets.size() == 1 &&
         gang.pod_sets.front().min_member == 1 && gang.pod_sets.front().tasks.size() == 1 &&
         gang.topology.topology.empty() && gang.topology.required.empty() &&
         gang.topology.preferred.empty() && !gang.min_sub_group &&
         gang.pod_sets.front().topology == policy::TopologyConstraint{};
}

void link(policy::SubGroup& group, std::vector<Task>& tasks) {
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

}  // namespace

void JobTable::forget() {
  jobs_.clear();
  listed_ = {};
  order_ = {};
  slots_ = {};
  demands_.clear();
  shapes_.clear();
  leaves_.clear();
}

bool JobTable::goes_on(const PlanInput& input, const policy::Policy& policy) const {
  return rules_ == &policy && policy_ == input.policy && snapshot_ &&
         snapshot_->origin() == input.snapshot->origin() &&
         snapshot_->class_epoch() == input.snapshot->class_epoch();
}

bool JobTable::read_ahead(const PlanInput& input, const policy::Policy& policy, std::size_t most) {
  const auto known = goes_on(input, policy) ? jobs_.size() : 0;
  if (known + most >= input.jobs.size()) return false;
  PlanInput part;
  part.snapshot = input.snapshot;
  part.policy = input.policy;
  part.jobs = input.jobs.first(known + most);
  update(part, policy);
  return true;
}

void JobTable::update(const PlanInput& input, const policy::Policy& policy) {
  if (!goes_on(input, policy) || shapes_.size() > most_shapes) forget();
  // The list is another where a node came or went: an index may be nobody's by now, or another's.
  const bool other_nodes =
      !snapshot_ || snapshot_->nodes_by_name().data() != input.snapshot->nodes_by_name().data();
  changed_claims_ =
      snapshot_ ? input.snapshot->claim_parts_changed_since(*snapshot_) : std::vector<bool>();
  snapshot_ = input.snapshot;
  policy_ = input.policy;
  rules_ = &policy;
  demands_.update(snapshot_, policy);
  // Waiting tasks point to theirs until they have been looked at again, below.
  const auto last_singular = shapes_.take_singular();
  if (leaves_.empty()) {
    leaves_.assign(policy.queues.queues().size(), LeafSums(policy.counting.resources().size()));
  }
  counted_.clear();
  keep_or_make(input, other_nodes);
  if (std::exchange(moved_, false)) put_in_order();
  for (auto* job : order_.waiting) refresh_waiting(*job);
}

void JobTable::come(std::unique_ptr<PlanJob> job) {
  moved_ = true;
  if (slots_.free.empty()) slots_.free.push_back(slots_.next++);
  job->slot = slots_.free.back();
  slots_.free.pop_back();
  if (job->queue) leaves_[job->queue->get()].come(amounts_of(*job));
  const bool leaves = std::ranges::any_of(
      job->tasks, [](const Task& task) { return task.member->state == MemberState::leaving; });
  const bool waits = job->waiting > 0;
  jobs_.push_back({.job = std::move(job), .order = 0, .waits = waits, .leaves = leaves});
}

/// The job is not what it was, or not there any more.
void JobTable::leave(const PlanJob& job) {
  moved_ = true;
  slots_.free.push_back(job.slot);
  if (job.queue) leaves_[job.queue->get()].go(amounts_of(job));
}

/// Jobs of the last plan and of this one stand in the same order: one walk over both, which passes
/// over chunks that are in both.
void JobTable::keep_or_make(const PlanInput& input, bool other_nodes) {
  Old old{std::exchange(jobs_, {})};
  jobs_.reserve(input.jobs.size());
  moved_ = moved_ || old.jobs.size() != input.jobs.size();
  const auto before = std::exchange(listed_, {.jobs = input.jobs, .fixed = {}});
  const auto known = old.jobs.empty() ? std::span<const JobList::Chunk>() : before.jobs.chunks();
  std::size_t i = 0;
  for (const auto& chunk : input.jobs.chunks()) {
    const auto& first = chunk->front()->uid;
    while (i < known.size() && known[i]->front()->uid < first) ++i;
    const auto size = static_cast<std::ptrdiff_t>(chunk->size());
    if (i < known.size() && known[i] == chunk && before.fixed[i] && !before.victims &&
        !other_nodes) {
      leave_before(first, old);
      const auto from = old.jobs.begin() + static_cast<std::ptrdiff_t>(old.at);
      jobs_.insert(jobs_.end(), std::move_iterator(from), std::move_iterator(from + size));
      old.at += chunk->size();
      listed_.fixed.push_back(true);
      continue;
    }
    for (const auto& job : *chunk) keep_or_make(job, old, other_nodes);
    listed_.fixed.push_back(std::none_of(jobs_.end() - size, jobs_.end(),
                                         [](const auto& row) { return row.job->shares_claims; }));
  }
  while (old.next() != nullptr) leave(*old.jobs[old.at++].job);
}

void JobTable::leave_before(const Uid& job, Old& old) {
  while (old.next() != nullptr && old.next()->job->uid < job) leave(*old.jobs[old.at++].job);
}

void JobTable::keep_or_make(const std::shared_ptr<const Job>& job, Old& old, bool other_nodes) {
  ++read_.jobs;
  if (old.next() != nullptr && old.next()->job != job) leave_before(job->uid, old);
  const auto* same = old.next();
  if (same != nullptr && same->job == job && !claims_moved(*same)) {
    jobs_.push_back(std::move(old.jobs[old.at++]));
    auto& kept = *jobs_.back().job;
    kept.forget_victims();
    if (other_nodes) find_nodes(kept);
    return;
  }
  if (same != nullptr && same->job->uid == job->uid) leave(*old.jobs[old.at++].job);
  come(make(job));
}

/// What a claim of several pods counts for one of them changes when another comes or goes.
bool JobTable::claims_moved(const PlanJob& job) {
  if (!job.shares_claims) return false;
  auto& counted = counted_[job.queue];
  return std::ranges::any_of(job.tasks, [&](const Task& task) {
    if (!has_room(task.member->state)) return false;
    const auto claims = claims_of(*snapshot_, task.pod());
    return (claims ? *claims : PodClaims()) != task.claims ||
           demands_.demand_of(task.member->pod, task.claims, counted) != task.demand;
  });
}

void JobTable::find_nodes(PlanJob& job) const {
  for (auto& task : job.tasks) {
    const auto& member = *task.member;
    if (has_room(member.state) && member.node) task.node = snapshot_->node(*member.node);
  }
}

void JobTable::put_in_order() {
  if (!give_numbers()) {
    for (auto& row : jobs_) row.order = 0;
    static_cast<void>(give_numbers());
  }
  order_.all.clear();
  order_.waiting.clear();
  order_.leaving.clear();
  for (const auto& row : jobs_) {
    order_.all.push_back(row.job.get());
    if (row.waits) order_.waiting.push_back(row.job.get());
    if (row.leaves) order_.leaving.push_back(row.job.get());
  }
}

/// Numbers for those that have none, between those of their neighbours. False: there are too few.
bool JobTable::give_numbers() {
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    if (jobs_[i].order != 0) continue;
    auto last = i + 1;
    while (last < jobs_.size() && jobs_[last].order == 0) ++last;
    const auto before = i == 0 ? 0 : jobs_[i - 1].order;
    const auto step = last == jobs_.size() ? gap : (jobs_[last].order - before) / (last - i + 1);
    if (step == 0) return false;
    for (auto number = before; i < last; ++i) {
      ++read_.counted;
      jobs_[i].order = jobs_[i].job->order = number += step;
    }
  }
  return true;
}

std::unique_ptr<PlanJob> JobTable::make(std::shared_ptr<const Job> job) {
  auto made = std::make_unique<PlanJob>();
  made->queue = rules_->queues.find(job->queue.get());
  if (made->queue && !rules_->queues[*made->queue].children.empty()) made->queue.reset();
  const auto resources = rules_->counting.resources().size();
  made->held = policy::Amounts(resources);
  made->leaving = policy::Amounts(resources);
  made->tasks.reserve(job->members.size());
  auto& counted = counted_[made->queue];
  for (const auto& member : job->members) {
    Task task{.member = &member,
              .state = state_of(member.state),
              .node = {},
              .demand = nullptr,
              .shape = nullptr,
              .claims = {},
              .not_ready = {},
              .slot = nullptr};
    if (has_room(member.state)) {
      read_claims(task);
      task.demand = demands_.demand_of(member.pod, task.claims, counted);
      const bool leaves = member.state != MemberState::placed;
      made->held += leaves ? task.demand->stays : task.demand->counts;
      if (leaves) made->leaving += task.demand->freed();
      made->shares_claims =
          made->shares_claims || std::ranges::any_of(task.claims, [&](const auto& claim) {
            return is_shared(*claim, task.pod());
          });
    }
    if (task.state == policy::TaskState::placed) ++made->placed;
    if (task.state == policy::TaskState::pending) ++made->waiting;
    made->tasks.push_back(std::move(task));
  }
  find_nodes(*made);
  if (!is_single(*job)) {
    made->gang = job->gang;
    link(*made->gang, made->tasks);
  }
  made->job = std::move(job);
  return made;
}

void JobTable::read_claims(Task& task) const {
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
void JobTable::refresh_waiting(PlanJob& job) {
  if (stays_settled(job)) return;
  const auto asked = amounts_of(job);
  CountedClaims counted;
  for (const auto& task : job.tasks) {
    if (task.state == policy::TaskState::pending) continue;
    for (const auto& claim : task.claims) counted.emplace(claim->key(), task.pod().meta.uid);
  }
  for (auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending) continue;
    if (task.shape != nullptr && task.pod().resource_claims.empty() && !task.shape->singular) {
      continue;
    }
    const auto before = std::move(task.claims);
    ++read_.claims;
    read_claims(task);
    const bool same = task.demand != nullptr && !task.not_ready && before == task.claims;
    if (!same || task.shape == nullptr || task.shape->singular) {
      task.shape = nullptr;
      if (!task.not_ready) task.shape = shape_of(task, counted);
    }
    task.demand = task.shape != nullptr ? demands_.intern(task.shape->demand) : nullptr;
  }
  if (const auto asks = amounts_of(job); job.queue && asks != asked) {
    leaves_[job.queue->get()].go(asked);
    leaves_[job.queue->get()].come(asks);
  }
  settle(job);
  if (job.gang) pass_over_unready(job);
}

bool JobTable::stays_settled(const PlanJob& job) const {
  return job.settled && std::ranges::none_of(*job.settled, [this](std::uint16_t part) {
           return changed_claims_[part];
         });
}

void JobTable::settle(PlanJob& job) {
  auto& parts = job.settled.emplace();
  for (const auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending) continue;
    if (task.shape == nullptr || task.shape->singular) return job.settled.reset();
    for (const auto& claim : task.claims) {
      parts.push_back(static_cast<std::uint16_t>(cluster::Snapshot::claim_part(claim->key())));
    }
  }
}

/// Members whose claims are not there yet do not hold up those that make a gang without them, as in
/// upstream, where PreEnqueue keeps them out of the gang. Where they are needed they stay: the gang
/// waits for them, and says so.
void JobTable::pass_over_unready(PlanJob& job) {
  const auto mark_unready = [&](policy::TaskState state) {
    bool any = false;
    for (auto& task : job.tasks) {
      if (task.state != policy::TaskState::pending || task.slot == nullptr) continue;
      const bool unready = task.shape == nullptr;
      task.slot->state = unready ? state : policy::TaskState::pending;
      any = any || unready;
    }
    return any;
  };
  if (!mark_unready(policy::TaskState::other)) return;
  const auto chunk = job.next_chunk(false);
  if (chunk.empty() || !job.reaches_minimum(chunk)) mark_unready(policy::TaskState::pending);
}

const Shape* JobTable::shape_of_victim(const Task& task) {
  listed_.victims = true;
  CountedClaims counted;
  return shape_of(task, counted);
}

const Shape* JobTable::shape_of(const Task& task, CountedClaims& counted) {
  const auto& pod = task.member->pod;
  auto resources = class_resources(*snapshot_, *pod);
  const bool leaves = task.state == policy::TaskState::yielding;
  const bool singular = !resources.empty() || is_singular(*snapshot_, *pod, task.claims, leaves);
  if (!singular) {
    if (const auto* known = shapes_.find(*pod, task.claims)) return known;
  }
  return shapes_.add({.pod = pod,
                      .fit = cluster::NodeFit(*pod, *snapshot_),
                      .claims = task.claims,
                      .class_resources = std::move(resources),
                      .demand = singular ? demands_.read(pod, task.claims, counted)
                                         : demands_.read_as_asked(pod, task.claims, counted),
                      .partial = asks_for_part(task.claims),
                      .singular = singular});
}

PlanJob* JobTable::find(const Uid& uid) const {
  const auto at = std::ranges::lower_bound(
      order_.all, uid, {}, [](const PlanJob* job) -> const Uid& { return job->job->uid; });
  return at != order_.all.end() && (*at)->job->uid == uid ? *at : nullptr;
}

/// Of queues whose sums depend on the order of their jobs.
void JobTable::sum_up() {
  if (std::ranges::none_of(leaves_, &LeafSums::stale)) return;
  std::vector<bool> anew(leaves_.size());
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    anew[i] = leaves_[i].stale();
    if (anew[i]) leaves_[i].restart();
  }
  for (const auto* job : order_.all) {
    if (!job->queue || !anew[job->queue->get()]) continue;
    ++read_.counted;
    leaves_[job->queue->get()].add(amounts_of(*job));
  }
}

void JobTable::count(policy::QueueTree& tree) {
  sum_up();
  held_ = policy::Amounts(tree.resources());
  for (std::size_t index = 0; index < leaves_.size(); ++index) {
    const auto& sum = leaves_[index].get();
    held_ += sum.held;
    held_ += sum.present;
    tree.upwards(policy::QueueIndex(static_cast<std::uint32_t>(index)), [&](policy::Queue& queue) {
      queue.allocated += sum.held;
      queue.allocated_nonpreemptible += sum.held_nonpreemptible;
      queue.requested += sum.requested;
    });
  }
}

}  // namespace dray::planner
