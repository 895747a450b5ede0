#include "alloc/constraint/constraint.h"

#include <catch2/catch.hpp>

#include "alloc/constraint/kinds.h"
#include "tests/unit/alloc/values.h"

namespace dray::constraint_test {

using namespace dray::testing;
using alloc::Bits;
using alloc::ValueId;

namespace {

/// A kind that says no more than it has to.
class Anything final : public alloc::Constraint {
 public:
  Anything() : Constraint("d.io/x") {}
  [[nodiscard]] bool admits(std::span<const ValueId> /*chosen*/, ValueId /*next*/,
                            const alloc::AttributeValues& /*values*/) const override {
    return true;
  }
};

}  // namespace

TEST_CASE("a kind that knows nothing more is exact: it compares every value, and rules out none") {
  Values values;
  const Anything constraint;
  std::vector<std::uint64_t> key;
  const std::vector<ValueId> chosen{values.text("b"), values.text("a")};
  constraint.sign_chosen(chosen, values.known, key);
  CHECK(key == std::vector<std::uint64_t>{chosen[0], chosen[1]});
  key.clear();
  constraint.sign_candidates({0, chosen[1], alloc::value_error}, values.known, key);
  CHECK(key == std::vector<std::uint64_t>{0, chosen[1], alloc::value_error});
  std::vector<alloc::Demand> none;
  CHECK_FALSE(constraint.hopeless({}, none, values.known));
  CHECK_FALSE(constraint.together(none, values.known));
  CHECK_FALSE(constraint.warning(chosen[0], values.known));
}

TEST_CASE("devices are told apart by value, over all demands") {
  Values values;
  const auto a = values.text("a");
  const auto b = values.text("b");
  const std::vector<ValueId> column{a, b, a, values.list({"a"})};
  Bits first(4);
  first.set(0);
  first.set(1);
  Bits second(4);
  second.set(2);
  const std::vector<alloc::Demand> demands{{1, &first, &column}, {1, &second, &column}};
  const auto found = candidates_by_value(demands, values.known);
  REQUIRE(found);
  REQUIRE(found->size() == 2);
  CHECK(found->at(a).count() == 2);
  CHECK(found->at(b).test(1));
  second.set(3);
  CHECK_FALSE(candidates_by_value(demands, values.known));
}

TEST_CASE("by equality, which values they are does not matter") {
  Values values;
  const auto sign = [&](std::vector<ValueId> devices) {
    std::vector<std::uint64_t> key;
    alloc::sign_by_equality(devices, values.known, key);
    return key;
  };
  const auto a = values.text("a");
  const auto b = values.text("b");
  const auto ab = values.list({"a", "b"});
  const auto bc = values.list({"b", "c"});
  CHECK(sign({a, a, b}) == sign({b, b, a}));
  CHECK(sign({a, a}) != sign({a, b}));
  CHECK(sign({a, 0}) != sign({a, a}));
  CHECK(sign({alloc::value_error}) != sign({0}));
  CHECK(sign({ab}) != sign({bc}));
  CHECK(sign({ab}) != sign({a}));
}

TEST_CASE("each kind is made of its field, one that dray does not know is not") {
  const alloc::Features features;
  const auto made = [&](ConstraintKind kind) {
    return alloc::make_constraint({.requests = {}, .kind = kind, .attribute = "d.io/x"}, features);
  };
  Values values;
  const auto a = values.text("a");
  CHECK(made(ConstraintKind::match_attribute)->admits(std::vector{a}, a, values.known));
  CHECK_FALSE(made(ConstraintKind::distinct_attribute)->admits(std::vector{a}, a, values.known));
  CHECK(made(ConstraintKind::unknown) == nullptr);
}

}  // namespace dray::constraint_test
