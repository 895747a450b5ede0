#include "cel/eval/cost_tracker.h"

#include <utility>

namespace dray::cel {

std::size_t CostTracker::highest(ExprId id) const {
  const auto index = static_cast<std::size_t>(id);
  return index < highest_.size() ? highest_[index] : none;
}

void CostTracker::cut(std::size_t size) {
  while (stack_.size() > size) {
    highest_[static_cast<std::size_t>(stack_.back().id)] = stack_.back().below;
    stack_.pop_back();
  }
}

void CostTracker::push(ExprId id, const Value& value) {
  const auto index = static_cast<std::size_t>(id);
  if (index >= highest_.size()) highest_.resize(index + 1, none);
  stack_.push_back({id, value, std::exchange(highest_[index], stack_.size())});
}

void CostTracker::drop(ExprId id) {
  if (const auto at = highest(id); at != none) cut(at);
}

bool CostTracker::drop_args(std::span<Node* const> args, std::vector<Value>& values) {
  values.resize(args.size());
  for (std::size_t n = args.size(); n > 0; --n) {
    const auto at = highest(args[n - 1]->id());
    if (at == none) return false;
    values[n - 1] = stack_[at].value;
    cut(at);
  }
  return true;
}

}  // namespace dray::cel
