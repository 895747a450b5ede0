#include "cel/eval/cost_tracker.h"

#include <array>

#include <catch2/catch.hpp>

namespace dray::cel::cost_tracker_test {
namespace {

Node node(ExprId id) {
  Node made;
  made.own_id = id;
  return made;
}

TEST_CASE("what a run cost is counted up to its limit") {
  CostTracker costs;
  costs.start(10);
  costs.add(11);
  costs.subtract_one();
  CHECK(costs.cost() == 10);
  CHECK_FALSE(costs.exceeded());
  costs.add(1);
  CHECK(costs.exceeded());
  costs.start(10);
  CHECK(costs.cost() == 0);
}

TEST_CASE("a call takes its arguments off the stack, with all above them") {
  CostTracker costs;
  costs.start(10);
  Node first = node(1);
  Node second = node(2);
  const std::array<Node*, 2> args{&first, &second};
  std::vector<Value> values;
  costs.push(1, Value::of(true));
  costs.push(2, Value::of(std::int64_t{7}));
  costs.push(9, Value::of(false));
  REQUIRE(costs.drop_args(args, values));
  CHECK(values[0].is_true());
  CHECK(values[1].int64 == 7);
  CHECK_FALSE(costs.drop_args(args, values));
}

TEST_CASE("of one node's values the last counts; dropping it brings back the one before") {
  CostTracker costs;
  costs.start(10);
  Node one = node(1);
  const std::array<Node*, 1> args{&one};
  std::vector<Value> values;
  costs.push(1, Value::of(std::int64_t{1}));
  costs.push(1, Value::of(std::int64_t{2}));
  costs.drop(1);
  REQUIRE(costs.drop_args(args, values));
  CHECK(values[0].int64 == 1);
}

}  // namespace
}  // namespace dray::cel::cost_tracker_test
