#include "planner/state/jobs.h"

#include <algorithm>
#include <utility>

#include "planner/state/claim_use.h"

namespace dray::planner {
namespace {

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
  victims_ = false;
  order_ = {};
  slots_ = {};
  demands_.clear();
  shapes_.clear();
  leaves_.clear();
  tolerations_.clear();
}

bool JobTable::goes_on(const PlanInput& input, const policy::Policy& policy) const {
  return rules_ == &policy && policy_ == input.policy && snapshot_ &&
         snapshot_->origin() == input.snapshot->origin() &&
         snapshot_->class_epoch() == input.snapshot->class_epoch();
}

bool JobTable::read_ahead(const PlanInput& input, const policy::Policy& policy, std::size_t most) {
  const bool kept = goes_on(input, policy) && !demands_.outdated();
  const auto known = kept ? order_.all.size() : 0;
  if (known + most >= input.jobs.size()) return false;
  PlanInput part;
  part.snapshot = input.snapshot;
  part.policy = input.policy;
  part.jobs = input.jobs.first(known + most);
  update(part, policy);
  return true;
}

void JobTable::update(const PlanInput& input, const policy::Policy& policy) {
  if (!goes_on(input, policy) || demands_.outdated()) forget();
  // The list is another where a node came or went: an index may be nobody's by now, or another's.
  const bool other_nodes =
      !snapshot_ || snapshot_->nodes_by_name().data() != input.snapshot->nodes_by_name().data();
  changed_claims_ =
      snapshot_ ? input.snapshot->claim_parts_changed_since(*snapshot_) : std::vector<bool>();
  snapshot_ = input.snapshot;
  policy_ = input.policy;
  rules_ = &policy;
  demands_.update(snapshot_, policy);
  if (leaves_.empty()) {
    leaves_.assign(policy.queues.queues().size(), LeafSums(policy.counting.resources().size()));
  }
  counted_.clear();
  keep_or_make(input, other_nodes);
  if (std::exchange(order_.moved, false)) put_in_order();
  for (auto* job : order_.waiting) refresh_waiting(*job);
  refresh_aside();
}

JobTable::Row JobTable::come(std::unique_ptr<PlanJob> job) {
  order_.moved = true;
  order_.aside_by.jobs_moved = true;
  if (slots_.free.empty()) slots_.free.push_back(slots_.next++);
  job->slot = slots_.free.back();
  slots_.free.pop_back();
  if (job->queue) leaves_[job->queue->get()].come(amounts_of(*job));
  const bool leaves = std::ranges::any_of(
      job->tasks, [](const Task& task) { return task.member->state == MemberState::leaving; });
  const bool waits = job->waiting > 0;
  for (const auto& task : job->tasks) {
    tolerations_.add_pod(task.pod(), job->tolerations);
    tolerations_.add_requests(task.claims, job->tolerations);
  }
  return {.job = std::move(job), .order = 0, .waits = waits, .leaves = leaves};
}

/// The job is not what it was, or not there any more.
void JobTable::leave(const PlanJob& job) {
  order_.moved = true;
  slots_.free.push_back(job.slot);
  std::erase(order_.aside_by.changed, &job);
  tolerations_.remove(job.tolerations);
  if (job.queue) leaves_[job.queue->get()].go(amounts_of(job));
}

PlanJob* JobTable::Old::next() {
  for (; chunk < chunks.size(); ++chunk, at = 0) {
    if (at < chunks[chunk].rows.size()) return chunks[chunk].rows[at].job.get();
  }
  return nullptr;
}

JobTable::Rows* JobTable::Old::take_all(const JobList::Chunk& listed) {
  if (next() == nullptr || at != 0 || chunks[chunk].of != listed || !chunks[chunk].fixed) {
    return nullptr;
  }
  return &chunks[chunk++];
}

/// Jobs of the last plan and of this one stand in the same order: one walk over both, which passes
/// over chunks that are in both.
void JobTable::keep_or_make(const PlanInput& input, bool other_nodes) {
  Old old{std::exchange(jobs_, {})};
  const bool any_moved = std::exchange(victims_, false) || other_nodes;
  for (const auto& chunk : input.jobs.chunks()) {
    auto* same = any_moved ? nullptr : old.take_all(chunk);
    if (same == nullptr) {
      leave_before(chunk->front()->uid, old);
      same = any_moved ? nullptr : old.take_all(chunk);
    }
    if (same != nullptr) {
      jobs_.push_back(std::move(*same));
      continue;
    }
    Rows rows{.of = chunk, .rows = {}};
    rows.rows.reserve(chunk->size());
    for (const auto& job : *chunk) {
      rows.rows.push_back(keep_or_make(job, old, other_nodes));
      rows.fixed = rows.fixed && !rows.rows.back().job->shares_claims;
    }
    jobs_.push_back(std::move(rows));
  }
  while (old.next() != nullptr) leave(*old.take().job);
}

void JobTable::leave_before(const Uid& job, Old& old) {
  for (auto* next = old.next(); next != nullptr && next->job->uid < job; next = old.next()) {
    leave(*old.take().job);
  }
}

JobTable::Row JobTable::keep_or_make(const std::shared_ptr<const Job>& job, Old& old,
                                     bool other_nodes) {
  ++read_.jobs;
  if (const auto* next = old.next(); next != nullptr && next->job != job) {
    leave_before(job->uid, old);
  }
  const auto* same = old.next();
  if (same != nullptr && same->job == job && !claims_moved(*same)) {
    auto kept = old.take();
    kept.job->forget_victims();
    if (other_nodes) find_nodes(*kept.job);
    return kept;
  }
  if (same != nullptr && same->job->uid == job->uid) leave(*old.take().job);
  return come(make(job));
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
  if (list()) return;
  for (auto& chunk : jobs_) {
    chunk.place.reset();
    for (auto& row : chunk.rows) row.order = 0;
  }
  static_cast<void>(list());
}

void JobTable::Lists::add(const Row& row) {
  all.push_back(row.job.get());
  if (row.aside) {
    aside.push_back(row.job.get());
    claims.push_back(row.claims);
  } else if (row.waits) {
    waiting.push_back(row.job.get());
  }
  if (row.leaves) leaving.push_back(row.job.get());
}

void JobTable::Lists::add(const Lists& from, const Rows::Place& place) {
  const auto copy = [](const auto& list, std::size_t begin, std::size_t end, auto& to) {
    to.insert(to.end(), list.begin() + static_cast<std::ptrdiff_t>(begin),
              list.begin() + static_cast<std::ptrdiff_t>(end));
  };
  const auto& [begin, end] = place;
  copy(from.all, begin.all, end.all, all);
  copy(from.waiting, begin.waiting, end.waiting, waiting);
  copy(from.aside, begin.aside, end.aside, aside);
  copy(from.claims, begin.aside, end.aside, claims);
  copy(from.leaving, begin.leaving, end.leaving, leaving);
}

/// Jobs in their order; those that have no number get one between those of their neighbours.
/// False: there are too few.
bool JobTable::list() {
  Lists& lists = order_;
  const auto before = std::exchange(lists, {});
  lists.all.reserve(before.all.size() + 1);
  std::uint64_t last = 0;
  std::vector<Row*> run;  // of those without a number
  for (auto& chunk : jobs_) {
    const auto begin = lists.end();
    if (const auto from = std::exchange(chunk.place, std::nullopt)) {
      if (!give_numbers(run, last, chunk.rows.front().order)) return false;
      run.clear();
      last = chunk.rows.back().order;
      lists.add(before, *from);
    } else {
      for (auto& row : chunk.rows) {
        lists.add(row);
        if (row.order == 0) {
          run.push_back(&row);
          continue;
        }
        if (!give_numbers(run, last, row.order)) return false;
        run.clear();
        last = row.order;
      }
    }
    chunk.place = {begin, lists.end()};
  }
  return give_numbers(run, last, last + gap * (run.size() + 1));
}

bool JobTable::give_numbers(std::span<Row* const> run, std::uint64_t before, std::uint64_t behind) {
  const auto step = (behind - before) / (run.size() + 1);
  if (step == 0) return run.empty();
  for (auto* row : run) {
    ++read_.counted;
    row->order = row->job->order = before += step;
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
              .asked = nullptr,
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
