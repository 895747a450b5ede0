#include "cel/value/constant_set.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <catch2/catch.hpp>

namespace dray::cel::constant_set_test {
namespace {

TEST_CASE("a number is found as each type that has it") {
  ConstantSet set;
  set.add(Value::of(std::int64_t{5}));
  set.add(Value::of(2.0));
  set.add(Value::of(0.5));
  CHECK(set.contains(Value::of(std::int64_t{5})));
  CHECK(set.contains(Value::of(std::uint64_t{5})));
  CHECK(set.contains(Value::of(5.0)));
  CHECK(set.contains(Value::of(std::int64_t{2})));
  CHECK(set.contains(Value::of(0.5)));
  CHECK_FALSE(set.contains(Value::of(std::int64_t{0})));
  CHECK_FALSE(set.contains(Value::of(std::string_view("5"))));
  CHECK_FALSE(set.contains(Value::of(true)));
}

TEST_CASE("what another type cannot hold is not in it") {
  ConstantSet set;
  set.add(Value::of(std::int64_t{-1}));
  set.add(Value::of(std::numeric_limits<std::uint64_t>::max()));
  CHECK_FALSE(set.contains(Value::of(std::numeric_limits<std::uint64_t>::max() - 1)));
  CHECK(set.contains(Value::of(std::int64_t{-1})));
  CHECK(set.contains(Value::of(std::numeric_limits<std::uint64_t>::max())));
}

TEST_CASE("strings are compared by their text") {
  ConstantSet set;
  set.add(Value::of(std::string_view("fish")));
  const std::string other = "fi" + std::string("sh");
  CHECK(set.contains(Value::of(std::string_view(other))));
  CHECK_FALSE(set.contains(Value::of(std::string_view("fis"))));
}

}  // namespace
}  // namespace dray::cel::constant_set_test
