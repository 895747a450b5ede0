#include "planner/state/job_order.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "dray/policy/job_order.h"

namespace dray::planner {

using policy::QueueIndex;

JobTurns::JobTurns(const policy::QueueTree& queues, const policy::Amounts& total, Time now,
                   std::optional<Duration> aging)
    : queues_(queues),
      total_(total),
      now_(now),
      aging_(aging),
      leaves_(queues.queues().size()),
      tops_() {}

JobTurns::Turn JobTurns::turn_of(const PlanJob& job) const {
  const auto waited = std::max(now_ - job.job->queued, Duration{0});
  const std::int64_t priority = policy::aged_priority(job.job->priority, waited, aging_);
  return {!job.job->promised, -priority, job.phase(), job.job->created, job.order};
}

void JobTurns::sort_backwards(std::vector<PlanJob*>& jobs) const {
  std::vector<std::pair<Turn, PlanJob*>> order;
  order.reserve(jobs.size());
  for (auto* job : jobs) order.emplace_back(turn_of(*job), job);
  std::ranges::sort(order, std::greater<>(), &std::pair<Turn, PlanJob*>::first);
  std::ranges::transform(order, jobs.begin(), [](const auto& entry) { return entry.second; });
}

void JobTurns::start() {
  for (auto& leaf : leaves_) sort_backwards(leaf.jobs);
  reorder();
}

void JobTurns::reorder() {
  tops_.clear();
  for (const auto top : queues_.tops()) {
    build(top);
    if (leaves_[top.get()].any) tops_.push_back(top);
  }
  make_heap(tops_);
}

void JobTurns::build(QueueIndex queue) {
  auto& node = leaves_[queue.get()];
  node.heap.clear();
  for (const auto child : queues_[queue].children) {
    build(child);
    if (leaves_[child.get()].any) node.heap.push_back(child);
  }
  make_heap(node.heap);
  refresh(queue);
}

void JobTurns::make_heap(std::vector<QueueIndex>& heap) {
  std::ranges::make_heap(heap, [this](QueueIndex a, QueueIndex b) { return later(a, b); });
}

void JobTurns::refresh(QueueIndex queue) {
  auto& node = leaves_[queue.get()];
  if (!node.jobs.empty()) {
    const auto& job = *node.jobs.back();
    node.any = true;
    node.next = job.counts_of(job.next_chunk(), queues_.resources());
  } else if (!node.heap.empty()) {
    node.any = true;
    node.next = leaves_[node.heap.front().get()].next;
  } else {
    node.any = false;
  }
}

bool JobTurns::later(QueueIndex a, QueueIndex b) const {
  const auto order = policy::compare_turns(
      {.queue = queues_[a], .next = &leaves_[a.get()].next, .taken = {}},
      {.queue = queues_[b], .next = &leaves_[b.get()].next, .taken = {}}, total_);
  return order != 0 ? order > 0 : b < a;
}

PlanJob* JobTurns::next() {
  if (tops_.empty()) return nullptr;
  auto at = tops_.front();
  while (!leaves_[at.get()].heap.empty()) at = leaves_[at.get()].heap.front();
  return leaves_[at.get()].jobs.back();
}

void JobTurns::settle(bool again) {
  std::vector<std::vector<QueueIndex>*> heaps{&tops_};
  auto at = tops_.front();
  while (!leaves_[at.get()].heap.empty()) {
    heaps.push_back(&leaves_[at.get()].heap);
    at = leaves_[at.get()].heap.front();
  }
  auto& jobs = leaves_[at.get()].jobs;
  auto* job = jobs.back();
  jobs.pop_back();
  if (again) {
    const auto place = std::ranges::lower_bound(
        jobs, job, [this](const auto* a, const auto* b) { return before(*b, *a); });
    jobs.insert(place, job);
  }
  const auto comes_later = [this](QueueIndex a, QueueIndex b) { return later(a, b); };
  for (auto heap = heaps.rbegin(); heap != heaps.rend(); ++heap) {
    // The changed one is at the top: it is taken out with the order as it was among the others.
    const auto changed = (*heap)->front();
    refresh(changed);
    std::ranges::pop_heap(**heap, comes_later);
    (*heap)->pop_back();
    if (!leaves_[changed.get()].any) continue;
    (*heap)->push_back(changed);
    std::ranges::push_heap(**heap, comes_later);
  }
}

VictimTurns::VictimTurns(const policy::QueueTree& queues, const policy::Amounts& total,
                         const JobTurns& turns, const Candidates& candidates,
                         std::vector<char> open)
    : queues_(queues),
      total_(total),
      turns_(turns),
      candidates_(candidates),
      open_(std::move(open)),
      at_(queues.queues().size(), 0),
      taken_(queues.queues().size(), policy::Amounts(queues.resources())),
      again_(queues.queues().size()) {}

VictimTurns::~VictimTurns() {
  for (auto& [job, task] : marked_) job->set_state(*task, policy::TaskState::placed);
}

PlanJob* VictimTurns::head(QueueIndex leaf) {
  if (open_[leaf.get()] == 0) return nullptr;
  const auto& jobs = candidates_[leaf.get()];
  auto& at = at_[leaf.get()];
  while (at < jobs.size() && jobs[at]->placed == 0) ++at;
  auto* fresh = at < jobs.size() ? jobs[at] : nullptr;
  const auto& again = again_[leaf.get()];
  if (again.empty()) return fresh;
  return fresh == nullptr || turns_.before(*fresh, *again.back()) ? again.back() : fresh;
}

void VictimTurns::drop_head(QueueIndex leaf) {
  auto* job = head(leaf);
  auto& again = again_[leaf.get()];
  if (!again.empty() && again.back() == job) {
    again.pop_back();
  } else {
    ++at_[leaf.get()];
  }
}

std::optional<QueueIndex> VictimTurns::leaf_below(QueueIndex queue) {
  const auto& children = queues_[queue].children;
  if (children.empty()) return head(queue) != nullptr ? std::optional(queue) : std::nullopt;
  const auto child = pick(children);
  return child ? leaf_below(*child) : std::nullopt;
}

/// The one of `among` that would be served last, with what is taken and its next chunk away.
std::optional<QueueIndex> VictimTurns::pick(std::span<const QueueIndex> among) {
  std::optional<QueueIndex> last;
  policy::Amounts last_taken;
  for (const auto queue : among) {
    const auto leaf = leaf_below(queue);
    if (!leaf) continue;
    if (!last && among.size() == 1) return queue;
    auto taken = taken_[leaf->get()];
    const auto* job = head(*leaf);
    for (const auto id : job->next_victims().tasks) taken += job->tasks[id].need->counts;
    if (last) {
      const auto order = policy::compare_turns(
          {.queue = queues_[queue], .next = nullptr, .taken = std::span(&taken, 1)},
          {.queue = queues_[*last], .next = nullptr, .taken = std::span(&last_taken, 1)}, total_);
      if (order < 0) continue;
    }
    last = queue;
    last_taken = taken;
  }
  return last;
}

std::optional<VictimTurns::Chunk> VictimTurns::next() {
  const auto top = pick(queues_.tops());
  if (!top) return std::nullopt;
  const auto leaf = *leaf_below(*top);
  auto* job = head(leaf);
  drop_head(leaf);
  const auto victims = job->next_victims();
  Chunk chunk{.job = job, .tasks = {}, .counts = policy::Amounts(queues_.resources())};
  for (const auto id : victims.tasks) {
    auto& task = job->tasks[id];
    chunk.tasks.push_back(&task);
    chunk.counts += task.need->counts;
    marked_.emplace_back(job, &task);
    job->set_state(task, policy::TaskState::yielding);
  }
  chunk.keeps_minimum = job->placed > 0 && job->has_minimum();
  taken_[leaf.get()] += chunk.counts;
  if (job->placed > 0) {
    auto& again = again_[leaf.get()];
    const auto place = std::ranges::lower_bound(
        again, job, [this](const auto* a, const auto* b) { return turns_.before(*a, *b); });
    again.insert(place, job);
  }
  last_ = chunk;
  return chunk;
}

void VictimTurns::spare() {
  if (!last_) return;
  auto* job = last_->job;
  for (auto* task : last_->tasks) {
    job->set_state(*task, policy::TaskState::placed);
    std::erase(marked_, std::pair(job, task));
  }
  taken_[job->queue->get()] -= last_->counts;
  std::erase(again_[job->queue->get()], job);
  last_.reset();
}

}  // namespace dray::planner
