#include <algorithm>
#include <memory>
#include <vector>

#include "cel/check/cost_estimate.h"

// Where an expression's value comes from, and the size that the declaration of `device` gives it.

namespace dray::cel {

ExprPath::ExprPath(std::string_view variable)
    : steps_(std::make_shared<std::vector<std::string_view>>(1, variable)), size_(1) {}

ExprPath ExprPath::below(std::string_view step) const {
  if (steps_ == nullptr || size_ == steps_->size()) {
    ExprPath made = copied_below(step);
    made.steps_->resize(std::max<std::size_t>(1, size_ * 2));  // how Go grows
    return made;
  }
  ExprPath made = *this;
  (*made.steps_)[made.size_++] = step;
  return made;
}

ExprPath ExprPath::copied_below(std::string_view step) const {
  ExprPath made;
  made.steps_ = std::make_shared<std::vector<std::string_view>>();
  made.steps_->reserve(std::max<std::size_t>(1, size_ * 2));
  for (std::size_t i = 0; i < size_; ++i) made.steps_->push_back((*this)[i]);
  made.steps_->push_back(step);
  made.size_ = size_ + 1;
  return made;
}

std::optional<Range> declared_size(const DeviceTypes& device, const ExprPath& path) {
  if (path.empty() || path[0] != "device") return std::nullopt;
  enum class At { root, outer, inner, value, domain, id, boolean, driver };
  At at = At::root;
  bool attributes = false;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const std::string_view step = path[i];
    const bool element = step == "@values" || step == "@items";
    if (at == At::root) {
      attributes = step == "attributes";
      if (attributes || step == "capacity") {
        at = At::outer;
      } else if (step == "driver") {
        at = At::driver;
      } else if (step == "allowMultipleAllocations" && device.allow_multiple) {
        at = At::boolean;
      } else {
        return std::nullopt;
      }
    } else if (at == At::outer && element) {
      at = At::inner;
    } else if (at == At::inner && (element || (attributes && step[0] != '@'))) {
      at = At::value;
    } else if ((at == At::outer || at == At::inner) && step == "@keys") {
      at = at == At::outer ? At::domain : At::id;
    } else {
      return std::nullopt;
    }
  }
  switch (at) {
    case At::outer:
    case At::inner:
    case At::id:
      return Range{0, 32};
    case At::domain:
    case At::driver:
      return Range{0, 63};
    case At::value:
      return Range{0, attributes ? 64U : 0U};
    case At::boolean:
      return Range{0, 1};
    case At::root:
      break;
  }
  return Range{0, 0};
}

}  // namespace dray::cel
