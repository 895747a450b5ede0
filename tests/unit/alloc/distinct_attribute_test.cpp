#include <catch2/catch.hpp>

#include "alloc/constraint/kinds.h"
#include "tests/unit/alloc/values.h"

namespace dray::distinct_attribute_test {

using namespace dray::testing;
using alloc::Bits;
using alloc::Demand;
using alloc::ValueId;

namespace {

std::unique_ptr<const alloc::Constraint> made(bool lists) {
  alloc::Features features;
  features.list_type_attributes = lists;
  return alloc::distinct_attribute("d.io/x", features);
}

}  // namespace

TEST_CASE("distinctAttribute admits a value that none has yet") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const auto list = values.list({"c"});
  const auto constraint = made(false);
  const auto admits = [&](std::vector<ValueId> chosen, ValueId next) {
    return constraint->admits(chosen, next, values.known);
  };
  CHECK(admits({}, a));
  CHECK(admits({a}, b));
  CHECK_FALSE(admits({a}, a));
  CHECK_FALSE(admits({b, a}, b));
  CHECK_FALSE(admits({}, values.of(std::nullopt)));
  // Without the gate a list goes first or not at all.
  CHECK(admits({}, list));
  CHECK_FALSE(admits({a}, list));
}

TEST_CASE("with the gate, distinctAttribute wants no element in common") {
  Values values;
  const auto ab = values.list({"a", "b"});
  const auto constraint = made(true);
  const auto admits = [&](std::vector<ValueId> chosen, ValueId next) {
    return constraint->admits(chosen, next, values.known);
  };
  CHECK(admits({ab}, values.list({"c"})));
  CHECK_FALSE(admits({ab}, values.list({"c", "b"})));
  CHECK_FALSE(admits({values.text("z"), ab}, values.text("a")));
  CHECK_FALSE(admits({}, values.list({})));
}

TEST_CASE("the order of choices leaves distinctAttribute the same future") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const auto sign = [&](std::vector<ValueId> chosen) {
    std::vector<std::uint64_t> key;
    made(false)->sign_chosen(chosen, values.known, key);
    return key;
  };
  CHECK(sign({a, b}) == sign({b, a}));
  CHECK(sign({a}) != sign({b}));
  CHECK(sign({a}) != sign({a, b}));
}

TEST_CASE("distinctAttribute counts values, not devices") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const std::vector<ValueId> column{a, a, b, b};
  Bits all(4);
  for (std::size_t d = 0; d < 4; ++d) all.set(d);
  auto one = all;
  const auto ask = [&](std::int64_t first, std::int64_t second) {
    std::vector<Demand> demands{{first, &all, &column}, {second, &one, &column}};
    const bool hopeless = made(false)->hopeless({}, demands, values.known);
    const auto together = made(false)->together(demands, values.known);
    REQUIRE(together);
    CHECK(hopeless == (together->most < together->wanted));
    CHECK(together->how == "differ in d.io/x");
    return together->most;
  };
  CHECK(ask(1, 1) == 2);
  CHECK(ask(2, 1) == 2);
  CHECK_FALSE(made(false)->warning(values.of(std::int64_t{-1}), values.known));
}

}  // namespace dray::distinct_attribute_test
