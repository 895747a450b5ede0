#include "engine/books/queue_counts.h"

#include <algorithm>
#include <cstddef>

namespace dray::engine {
namespace {

std::size_t waiting_pods(const planner::Job& job) {
  return static_cast<std::size_t>(
      std::ranges::count_if(job.members, planner::waits, &planner::Member::state));
}

}  // namespace

void QueueCounts::replace(const planner::Job* before, const planner::Job* after) {
  if (const auto pods = before == nullptr ? 0 : waiting_pods(*before); pods > 0) {
    const auto queue = waiting_.find(before->queue);
    --queue->second.jobs;
    queue->second.pods -= pods;
    if (queue->second.jobs == 0) waiting_.erase(queue);
  }
  if (const auto pods = after == nullptr ? 0 : waiting_pods(*after); pods > 0) {
    auto& queue = waiting_[after->queue];
    ++queue.jobs;
    queue.pods += pods;
  }
}

}  // namespace dray::engine
