#include "cel/value/constant_set.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "cel/value/values.h"

namespace dray::cel {

std::size_t ConstantSet::Hash::operator()(const Value& value) const {
  std::size_t hash = value.uint64;
  if (value.is(Kind::string)) hash = std::hash<std::string_view>{}(value.text());
  if (value.is(Kind::float64)) hash = std::hash<double>{}(value.float64);
  if (value.is(Kind::boolean)) hash = value.boolean ? 1 : 0;
  return hash * 31 + static_cast<std::size_t>(value.kind);
}

bool ConstantSet::Same::operator()(const Value& a, const Value& b) const {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Kind::boolean:
      return a.boolean == b.boolean;
    case Kind::int64:
    case Kind::uint64:
      return a.uint64 == b.uint64;
    case Kind::float64:
      return a.float64 == b.float64;
    case Kind::string:
      return a.text() == b.text();
    default:
      return false;
  }
}

void ConstantSet::add(const Value& value) {
  values_.insert(value);
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::int64_t i = 0;
  std::uint64_t u = 0;
  switch (value.kind) {
    case Kind::float64:
      if (double_to_int(value.float64, i) && static_cast<double>(i) == value.float64) {
        values_.insert(Value::of(i));
      }
      if (double_to_uint(value.float64, u) && static_cast<double>(u) == value.float64) {
        values_.insert(Value::of(u));
      }
      break;
    case Kind::int64:
      values_.insert(Value::of(static_cast<double>(value.int64)));
      if (value.int64 >= 0) values_.insert(Value::of(static_cast<std::uint64_t>(value.int64)));
      break;
    case Kind::uint64:
      values_.insert(Value::of(static_cast<double>(value.uint64)));
      if (value.uint64 <= largest) {
        values_.insert(Value::of(static_cast<std::int64_t>(value.uint64)));
      }
      break;
    default:
      break;
  }
}

}  // namespace dray::cel
