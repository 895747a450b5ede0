#include <algorithm>
#include <utility>

#include "dray/base/saturating_time.h"
#include "dray/policy/queue_order.h"
#include "dray/policy/reclaim.h"
#include "planner/room_keeper.h"

// For which jobs room is kept, and who has a better claim to it.

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// Of each queue so many jobs are looked at that have waited for long, the first ones.
constexpr std::size_t most_due = 4;
/// Room that nobody knows to become complete is kept from what queues are owed for so many times
/// `gangs.reserveAfter` at a time.
constexpr int patience = 12;

/// Whether what one of these jobs of a queue finds is what the other finds.
bool are_alike(const PlanJob& a, const PlanJob& b) {
  const auto is_like = [](const Task& one, const Task& other) {
    return one.shape != nullptr && one.shape == other.shape && !one.shape->singular;
  };
  if (a.tasks.size() != b.tasks.size() || !is_like(a.tasks.front(), b.tasks.front())) return false;
  if (a.tasks.size() == 1) return true;
  const auto of_a = a.next_chunk();
  const auto of_b = b.next_chunk();
  return std::ranges::equal(
      of_a, of_b, [&](auto left, auto right) { return is_like(a.tasks[left], b.tasks[right]); });
}

}  // namespace

/// The first of each queue that have waited for long, of those that are alike the first: they all
/// find the same.
void RoomKeeper::collect_due(std::span<PlanJob* const> waiting) {
  due_.assign(context_.policy.queues.queues().size(), {});
  for (auto* job : waiting) {
    if (due(*job) > context_.input.now || decisions_.find(*job) != nullptr) continue;
    if (job->placed > 0 && job->has_minimum()) continue;
    auto& first = due_[job->queue->get()];
    if (first.size() == most_due && !order_.before(*job, *first.back())) continue;
    const auto like =
        std::ranges::find_if(first, [&](const auto* other) { return are_alike(*job, *other); });
    if (like != first.end()) {
      if (!order_.before(*job, **like)) continue;
      first.erase(like);
    }
    const auto place = std::ranges::lower_bound(
        first, job, [this](const auto* a, const auto* b) { return order_.before(*a, *b); });
    first.insert(place, job);
    if (first.size() > most_due) first.pop_back();
  }
}

/// Whether the job's first pod would find its node there.
bool RoomKeeper::could_use(PlanJob& job, const RoomSearch::Found& found) {
  const auto chunk = job.next_chunk();
  if (chunk.empty() || !has_shapes(job, chunk) || !may_have(job, chunk)) return false;
  const auto& task = job.tasks[chunk.front()];
  auto& fit = search().fit();
  return std::ranges::any_of(nodes_of(context_.input, found.placed), [&](NodeIndex node) {
    return !fit.refused(task, node) && fit.verdict(task, node).releasing == Reason::none;
  });
}

/// Whether a job that comes before this one has waited for long as well and could use the nodes: a
/// queue would have them for one of its jobs after the other.
bool RoomKeeper::contested(const PlanJob& job, const RoomSearch::Found& found) {
  return std::ranges::any_of(due_, [&](const auto& first) {
    return std::ranges::any_of(first, [&](PlanJob* other) {
      return other != &job && other->placed == 0 && precedes(*other, job) && !is_hopeless(*other) &&
             could_use(*other, found);
    });
  });
}

/// Whether a job of another queue that has waited for long as well has a right to the room: its
/// queue stays within its quota with it, and this one's does not or has had its time; or pods of
/// this one's own queue are in the way, nobody knows for how long.
bool RoomKeeper::yields(const PlanJob& job, const RoomSearch::Found& found, bool overdue) {
  const bool own = std::ranges::any_of(found.in_the_way, [&](const RoomSearch::Ending& pod) {
    return pod.job->queue == job.queue && !pod.at;
  });
  return std::ranges::any_of(due_, [&](const auto& first) {
    return std::ranges::any_of(first, [&](PlanJob* other) {
      if (other->queue == job.queue || other->placed > 0) return false;
      const bool owed = within_quota(*other, job) && (overdue || !within_quota(job, *other));
      return (own || owed) && could_use(*other, found);
    });
  });
}

/// Whether room has been kept for long enough, where nobody knows when it is complete.
bool RoomKeeper::overdue(const RoomSearch::Found& found) const {
  const auto wait = context_.policy.config.gangs.reserve_after;
  if (found.complete || wait > Duration::max() / patience) return false;
  return saturating_add(context_.input.kept->since, wait * patience) <= context_.input.now;
}

/// Whether its queue, as far up as it is another than the rival's, stays within its quota with it.
bool RoomKeeper::within_quota(const PlanJob& job, const PlanJob& rival) const {
  const auto& queues = decisions_.queues();
  const auto& queue = queues[policy::rivals(queues, *job.queue, *rival.queue).first];
  auto held = queue.allocated;
  held += job.next_counts(queues.resources());
  return held.within(queue.quota);
}

/// By what their queues hold now, and not by what they ask for: a gang asks for much at once. Among
/// queues that hold the same part of their shares the one that has waited longer comes first.
bool RoomKeeper::precedes(const PlanJob& a, const PlanJob& b) const {
  if (a.queue == b.queue) return order_.before(a, b);
  const auto& queues = decisions_.queues();
  const auto [left, right] = policy::rivals(queues, *a.queue, *b.queue);
  auto of_a = queues[left];
  auto of_b = queues[right];
  of_a.created = of_b.created = {};
  const auto order =
      policy::compare_turns({.queue = of_a, .next = nullptr, .taken = {}},
                            {.queue = of_b, .next = nullptr, .taken = {}}, context_.total);
  if (order != 0) return order < 0;
  return std::pair(a.job->queued, a.order) < std::pair(b.job->queued, b.order);
}

}  // namespace dray::planner
