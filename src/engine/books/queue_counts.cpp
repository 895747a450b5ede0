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
    auto& priorities = priorities_[before->queue];
    if (--priorities[before->priority] == 0) priorities.erase(before->priority);
    if (priorities.empty()) priorities_.erase(before->queue);
  }
  if (const auto pods = after == nullptr ? 0 : waiting_pods(*after); pods > 0) {
    auto& queue = waiting_[after->queue];
    ++queue.jobs;
    queue.pods += pods;
    ++priorities_[after->queue][after->priority];
  }
}

bool QueueCounts::waits_above(const policy::QueueName& queue, std::int32_t priority) const {
  const auto priorities = priorities_.find(queue);
  return priorities != priorities_.end() && priorities->second.rbegin()->first > priority;
}

}  // namespace dray::engine
