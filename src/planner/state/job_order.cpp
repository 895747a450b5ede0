#include "planner/state/job_order.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "dray/policy/job_order.h"

namespace dray::planner {

using policy::QueueIndex;

JobOrder::JobOrder(const policy::QueueTree& queues, const policy::Amounts& total, Time now,
                   std::optional<Duration> aging, std::span<PlanJob* const> jobs)
    : queues_(queues), total_(total), now_(now), aging_(aging), leaves_(queues.queues().size()) {
  for (auto* job : jobs) leaves_[job->queue->get()].jobs.push_back(job);
  for (auto& leaf : leaves_) sort_backwards(leaf.jobs);
  reorder();
}

JobOrder::Rank JobOrder::rank_in(policy::GangPhase phase, const PlanJob& job) const {
  const auto waited = std::max(now_ - job.job->queued, Duration{0});
  const std::int64_t priority = policy::aged_priority(job.job->priority, waited, aging_);
  return {!job.job->promised, -priority, phase, job.job->created, job.order};
}

bool JobOrder::before_by_queue(const PlanJob& a, const PlanJob& b) const {
  if (a.queue == b.queue) return before_without_places(a, b);
  const auto age = [this](const PlanJob& job) {
    return std::pair(queues_[*job.queue].created, *job.queue);
  };
  return age(a) < age(b);
}

void JobOrder::sort_backwards(std::vector<PlanJob*>& jobs) const {
  std::vector<std::pair<Rank, PlanJob*>> order;
  order.reserve(jobs.size());
  for (auto* job : jobs) order.emplace_back(rank_of(*job), job);
  // Mostly they come as they were created, and that is their order; ranks are all different.
  const auto rank = &std::pair<Rank, PlanJob*>::first;
  if (std::ranges::is_sorted(order, {}, rank)) {
    std::ranges::reverse(order);
  } else {
    std::ranges::sort(order, std::greater<>(), rank);
  }
  std::ranges::transform(order, jobs.begin(), [](const auto& entry) { return entry.second; });
}

void JobOrder::reorder() {
  tops_.clear();
  for (const auto top : queues_.tops()) {
    build(top);
    if (leaves_[top.get()].any) tops_.push_back(top);
  }
  make_heap(tops_);
}

void JobOrder::build(QueueIndex queue) {
  auto& node = leaves_[queue.get()];
  node.heap.clear();
  for (const auto child : queues_[queue].children) {
    build(child);
    if (leaves_[child.get()].any) node.heap.push_back(child);
  }
  make_heap(node.heap);
  refresh(queue);
}

void JobOrder::make_heap(std::vector<QueueIndex>& heap) {
  std::ranges::make_heap(heap, [this](QueueIndex a, QueueIndex b) { return later(a, b); });
}

void JobOrder::refresh(QueueIndex queue) {
  auto& node = leaves_[queue.get()];
  if (!node.jobs.empty()) {
    const auto& job = *node.jobs.back();
    node.any = true;
    node.next = job.next_counts(queues_.resources());
  } else if (!node.heap.empty()) {
    node.any = true;
    node.next = leaves_[node.heap.front().get()].next;
  } else {
    node.any = false;
  }
}

bool JobOrder::later(QueueIndex a, QueueIndex b) const {
  const auto order = policy::compare_turns(
      {.queue = queues_[a], .next = &leaves_[a.get()].next, .taken = {}},
      {.queue = queues_[b], .next = &leaves_[b.get()].next, .taken = {}}, total_);
  return order != 0 ? order > 0 : b < a;
}

PlanJob* JobOrder::next() {
  if (tops_.empty()) return nullptr;
  auto at = tops_.front();
  while (!leaves_[at.get()].heap.empty()) at = leaves_[at.get()].heap.front();
  return leaves_[at.get()].jobs.back();
}

void JobOrder::settle(bool again) {
  auto& heaps = above_;
  heaps.assign(1, &tops_);
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

}  // namespace dray::planner
