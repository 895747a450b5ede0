#include <catch2/catch.hpp>

#include "alloc/constraint/kinds.h"
#include "tests/unit/alloc/values.h"

namespace dray::match_attribute_test {

using namespace dray::testing;
using alloc::Bits;
using alloc::Demand;
using alloc::ValueId;

namespace {

std::unique_ptr<const alloc::Constraint> made(bool lists, const char* attribute = "d.io/x") {
  alloc::Features features;
  features.list_type_attributes = lists;
  return alloc::match_attribute(attribute, features);
}

Bits bits(std::initializer_list<std::size_t> set, std::size_t size = 8) {
  Bits all(size);
  for (const auto each : set) all.set(each);
  return all;
}

}  // namespace

TEST_CASE("matchAttribute admits what has the value of the first") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const auto list = values.list({"a"});
  const auto constraint = made(false);
  const auto admits = [&](std::vector<ValueId> chosen, ValueId next) {
    return constraint->admits(chosen, next, values.known);
  };
  CHECK(constraint->attribute() == "d.io/x");
  CHECK(admits({}, a));
  CHECK(admits({a, a}, a));
  CHECK_FALSE(admits({a}, b));
  CHECK_FALSE(admits({}, values.of(std::nullopt)));
  CHECK_FALSE(admits({a}, values.of(std::nullopt)));
  // Without the gate a list goes alone, as upstream compares it with nothing.
  CHECK(admits({}, list));
  CHECK_FALSE(admits({list}, list));
}

TEST_CASE("with the gate, matchAttribute wants an element that all have") {
  Values values;
  const auto ab = values.list({"a", "b"});
  const auto bc = values.list({"b", "c"});
  const auto ac = values.list({"a", "c"});
  const auto constraint = made(true);
  const auto admits = [&](std::vector<ValueId> chosen, ValueId next) {
    return constraint->admits(chosen, next, values.known);
  };
  CHECK(admits({}, ab));
  CHECK(admits({ab}, bc));
  CHECK(admits({ab}, values.text("a")));
  CHECK_FALSE(admits({ab, bc}, ac));
  CHECK_FALSE(admits({ab}, values.text("c")));
  CHECK_FALSE(admits({}, values.list({})));
}

TEST_CASE("equal signs for what leaves matchAttribute the same future") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const auto sign = [&](bool lists, std::vector<ValueId> chosen) {
    std::vector<std::uint64_t> key;
    made(lists)->sign_chosen(chosen, values.known, key);
    return key;
  };
  CHECK(sign(false, {}).empty());
  CHECK(sign(false, {a}) == sign(false, {a, a}));
  CHECK(sign(false, {a}) != sign(false, {b}));
  const auto ab = values.list({"a", "b"});
  const auto bc = values.list({"b", "c"});
  CHECK(sign(true, {ab, bc}) == sign(true, {b}));
  CHECK(sign(true, {ab, bc}) != sign(true, {ab}));
}

TEST_CASE("matchAttribute rules out values that cannot serve all requests") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const std::vector<ValueId> column{a, a, b, b, b, a, b, a};
  const auto constraint = made(false);
  auto gpus = bits({0, 1, 2, 3, 4});
  auto nics = bits({5, 6});
  const auto hopeless = [&](std::int64_t first, std::int64_t second,
                            std::vector<ValueId> chosen = {}) {
    std::vector<Demand> demands{{first, &gpus, &column}, {second, &nics, &column}};
    return constraint->hopeless(chosen, demands, values.known);
  };
  SECTION("a value with enough for both stays, the other goes") {
    CHECK_FALSE(hopeless(3, 1));
    CHECK(gpus == bits({2, 3, 4}));
    CHECK(nics == bits({6}));
  }
  SECTION("no value has enough") {
    CHECK(hopeless(3, 2));
  }
  SECTION("both values have enough") {
    CHECK_FALSE(hopeless(2, 1));
    CHECK(gpus == bits({0, 1, 2, 3, 4}));
  }
  SECTION("once begun, the value is settled") {
    CHECK_FALSE(hopeless(9, 9, {a}));
  }
  SECTION("a list says nothing") {
    const std::vector<ValueId> lists(8, values.list({"a"}));
    std::vector<Demand> demands{{9, &gpus, &lists}};
    CHECK_FALSE(constraint->hopeless({}, demands, values.known));
  }
}

TEST_CASE("matchAttribute says how many have one value") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const std::vector<ValueId> column{a, a, b, b, b, a, b, a};
  auto gpus = bits({0, 1, 2, 3, 4});
  const auto most = [&](std::int64_t count) {
    const std::vector<Demand> demands{{count, &gpus, &column}};
    const auto together = made(false)->together(demands, values.known);
    REQUIRE(together);
    CHECK(together->wanted == count);
    CHECK(together->how == "share one d.io/x");
    return together->most;
  };
  CHECK(most(4) == 3);
  CHECK(most(3) == 3);
  CHECK(most(2) == 2);
  const std::vector<ValueId> lists(8, values.list({"a"}));
  const std::vector<Demand> unknown{{2, &gpus, &lists}};
  CHECK_FALSE(made(false)->together(unknown, values.known));
}

TEST_CASE("matched by a value that stands for unknown is warned of") {
  Values values;
  const auto warning = [&](const char* attribute, ValueId value) {
    return made(false, attribute)->warning(value, values.known).value_or("");
  };
  CHECK(warning("dra.net/numaNode", values.of(std::int64_t{-1})) ==
        "false NUMA alignment: -1 means unknown (dra.net/numaNode)");
  CHECK(warning("resource.kubernetes.io/pcieRoot", values.text("")) ==
        "false PCIe alignment: an empty value means unknown (resource.kubernetes.io/pcieRoot)");
  CHECK(warning("d.io/x", values.of(std::int64_t{-1})) ==
        "false alignment: -1 means unknown (d.io/x)");
  CHECK(warning("dra.net/numaNode", values.of(std::int64_t{0})).empty());
}

}  // namespace dray::match_attribute_test
