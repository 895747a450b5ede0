#include "simulate/jobs/churn_queue.h"

#include <algorithm>

namespace dray::simulate {

ChurnQueue::ChurnQueue(const std::vector<Churn>& churn, const std::vector<GpuNode>& nodes)
    : churn_(churn) {
  if (churn.empty()) return;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) places_.emplace(nodes[i].name, i);
}

std::optional<Duration> ChurnQueue::next_of(std::optional<Duration> event, bool waits) const {
  if (taken_ == churn_.size() || (!event && !waits)) return event;
  const auto at = churn_[taken_].at;
  return event ? std::min(*event, at) : at;
}

const Churn* ChurnQueue::take_until(Duration now) {
  if (taken_ == churn_.size() || churn_[taken_].at > now) return nullptr;
  return &churn_[taken_++];
}

}  // namespace dray::simulate
