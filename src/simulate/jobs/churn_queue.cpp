#include "simulate/jobs/churn_queue.h"

#include <algorithm>

namespace dray::simulate {

ChurnQueue::ChurnQueue(const std::vector<Churn>& churn, const std::vector<GpuNode>& nodes)
    : churn_(churn) {
  for (const auto& one : churn) {
    if (!one.node.empty()) moving_.try_emplace(one.node);
  }
  if (moving_.empty()) return;
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const auto at = moving_.find(nodes[i].name);
    if (at != moving_.end()) at->second.place = i;
  }
}

void ChurnQueue::keep(const KubeObject& object) {
  if (moving_.empty()) return;
  const auto* node = std::get_if<Node>(&object);
  if (node == nullptr) return;
  const auto at = moving_.find(node->meta.name);
  if (at != moving_.end()) at->second.object = *node;
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
