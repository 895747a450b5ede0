#include "planner/place/chunk_bounds.h"

#include <algorithm>

namespace dray::planner {

ChunkBounds::ChunkBounds(const Overlay& overlay, const PlanJob& job,
                         std::span<const Task* const> chunk, const policy::Amounts* most,
                         bool thrifty)
    : overlay_(overlay), job_(job), most_(most), thrifty_(thrifty) {
  const bool exact = std::ranges::all_of(chunk, &Task::takes_what_it_asks);
  if (exact || !job.queue) return;
  const auto resources = overlay.queues().resources();
  const policy::Amounts nothing(resources);
  now_ = {.placed = nothing, .unplaced = nothing};
  auto all = nothing;
  for (const auto* task : chunk) all += task->most_on_top();
  any_ = refuse(all, nothing).has_value();
  if (!any_) return;
  for (const auto* task : chunk) now_.unplaced += task->least_on_top();
}

std::optional<policy::CapacityRefusal> ChunkBounds::refuse(const policy::Amounts& takes,
                                                           const policy::Amounts& least) const {
  const auto& queues = overlay_.queues();
  const auto asks = takes + (now_.unplaced - least);
  if (auto no = policy::check_capacity(queues, *job_.queue, asks, job_.job->preemptible)) return no;
  if (most_ == nullptr) return std::nullopt;
  const auto all = now_.placed + asks;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (takes[r] <= 0 || all[r] <= (*most_)[r]) continue;
    return policy::CapacityRefusal{.rule = policy::CapacityRule::limit,
                                   .queue = *job_.queue,
                                   .resource = r,
                                   .bound = (*most_)[r],
                                   .held = now_.placed[r],
                                   .requested = asks[r]};
  }
  return std::nullopt;
}

policy::Amounts ChunkBounds::left(const policy::Amounts& least) const {
  const auto& queues = overlay_.queues();
  auto left = policy::headroom(queues, *job_.queue, job_.job->preemptible);
  for (std::size_t r = 0; r < left.size(); ++r) {
    if (most_ != nullptr) left[r] = std::min(left[r], (*most_)[r] - now_.placed[r]);
  }
  return left - (now_.unplaced - least);
}

void ChunkBounds::place(const policy::Amounts& takes, const policy::Amounts& least) {
  now_.placed += takes;
  now_.unplaced -= least;
}

void ChunkBounds::place(const Task& task, const PodDemand& takes) {
  if (!any_) return;
  const bool yields = task.state == policy::TaskState::yielding;
  place(yields ? takes.freed() : takes.counts, task.least_on_top());
}

}  // namespace dray::planner
