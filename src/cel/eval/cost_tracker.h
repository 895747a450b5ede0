#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cel/eval/plan.h"

namespace dray::cel {

/// cel-go's CostTracker: what a run has cost, and the stack of values that its rules look at.
class CostTracker {
 public:
  void start(std::uint64_t limit) {
    limit_ = limit;
    cost_ = 0;
    cut(0);
  }
  [[nodiscard]] std::uint64_t cost() const { return cost_; }

  void add(std::uint64_t cost) { cost_ += cost; }
  void subtract_one() { --cost_; }
  void drop(ExprId id);
  /// The values of a call's arguments, taken off the stack with all above; false if one is missing.
  [[nodiscard]] bool drop_args(std::span<Node* const> args, std::vector<Value>& values);
  void push(ExprId id, const Value& value);
  [[nodiscard]] bool exceeded() const { return cost_ > limit_; }

 private:
  static constexpr std::size_t none = SIZE_MAX;
  struct Entry {
    ExprId id;
    Value value;
    std::size_t below;  ///< the next entry of this id further down, or none
  };
  [[nodiscard]] std::size_t highest(ExprId id) const;
  void cut(std::size_t size);

  std::uint64_t limit_ = 0;
  std::uint64_t cost_ = 0;
  std::vector<Entry> stack_;
  /// By id, the highest entry: upstream looks through the stack, which gets long in nested loops.
  std::vector<std::size_t> highest_;
};

}  // namespace dray::cel
