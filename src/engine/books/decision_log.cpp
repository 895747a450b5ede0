#include "engine/books/decision_log.h"

#include <algorithm>
#include <utility>

namespace dray::engine {

void DecisionLog::add(Decision decision) {
  decisions_.push_back(std::move(decision));
  if (decisions_.size() > kept) decisions_.pop_front();
}

const Decision* DecisionLog::find(const PodKey& pod) const {
  const auto found =
      std::find_if(decisions_.rbegin(), decisions_.rend(),
                   [&](const auto& decision) { return decision.placement.pod == pod; });
  return found == decisions_.rend() ? nullptr : &*found;
}

}  // namespace dray::engine
