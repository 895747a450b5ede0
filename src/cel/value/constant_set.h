#pragma once

#include <cstddef>
#include <unordered_set>

#include "dray/cel/value.h"

namespace dray::cel {

/// Go's map[ref.Val] of constants for `x in [constants]`: a number is there as each type that has
/// it.
class ConstantSet {
 public:
  /// A bool, number or string.
  void add(const Value& value);
  [[nodiscard]] bool contains(const Value& value) const { return values_.contains(value); }

 private:
  struct Hash {
    std::size_t operator()(const Value& value) const;
  };
  struct Same {
    bool operator()(const Value& a, const Value& b) const;
  };
  std::unordered_set<Value, Hash, Same> values_;
};

}  // namespace dray::cel
