#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/answer.h"

// src/cel/eval/evaluation_costs.cpp: what each kind of node adds to the cost of a run, asked of the
// reference (cel-go interpreter/runtimecost.go). What single functions cost: cost_rules_test.cpp.

namespace dray::cel::evaluation_costs_test {
namespace {

struct Row {
  std::string name;
  std::string text;
  std::uint64_t cost;
};

TEST_CASE("a variable and each step that is made cost one") {
  const auto row = GENERATE(
      Row{"a constant", "true", 0}, Row{"a variable", "device", 1},
      Row{"a step is one, a variable one", "device.driver", 2},
      Row{"has is a step less", "has(device.attributes['d.io'].model)", 3},
      Row{"has behind an optional", "has(device.attributes['d.io'].?model.x)", 3},
      Row{"optional step that is there", "device.attributes['d.io'].?model", 4},
      Row{"optional step that is not", "device.attributes['d.io'].?zebra", 3},
      Row{"two that are not", "device.attributes['d.io'].?zebra.?x", 3},
      Row{"a computed key costs as well", "device.attributes[device.driver].model", 5},
      Row{"a key that is a call", "device.attributes['d.' + 'io'].model", 5},
      Row{"a conditional as key", "{'a': 1, 'b': 2}[device.driver == 'x' ? 'a' : 'b']", 5});
  DYNAMIC_SECTION(row.name) {
    CHECK(answer(row.text).cost == row.cost);
  }
}

TEST_CASE("what is not run costs nothing") {
  const auto row = GENERATE(
      Row{"&&", "device.driver == 'x' && device.driver == 'y'", 3},
      Row{"&& goes on", "device.driver == 'd.io' && device.driver == 'y'", 6},
      Row{"conditional costs nothing of its own", "device.driver == 'd.io' ? 1 : 2", 3},
      Row{"the branch that is run", "device.driver == 'd.io' ? device.driver : 'x'", 4},
      Row{"its value goes on",
          "(device.driver == 'd.io' ? device.driver : 'a very long text that no one reads but for "
          "its cost').contains('x')",
          5},
      Row{"loop over a list", "[1, 2, 3].all(x, true)", 10},
      Row{"loop over nothing", "[].all(x, true)", 1},
      Row{"loop that ends early", "[1, 2, 3].exists(x, x == 1)", 10},
      Row{"loop over a computed list", "device.attributes['d.io'].lanes.all(x, x > 0)", 20},
      Row{"loop in a loop", "[1, 2].map(x, [1, 2].map(y, x))", 79},
      Row{"bind, unused", "cel.bind(x, device.driver + 'x', true)", 0},
      Row{"bind, used twice", "cel.bind(x, device.driver + 'x', x == 'y' || x == 'z')", 7},
      Row{"orValue", "optional.of(1).orValue(2)", 1},
      Row{"orValue of none", "optional.none().orValue(size(device.driver))", 4},
      Row{"or", "optional.none().or(optional.of(device.driver))", 4});
  DYNAMIC_SECTION(row.name) {
    CHECK(answer(row.text).cost == row.cost);
  }
}

TEST_CASE("literals cost ten and thirty, calls by the sizes of their arguments") {
  const auto row = GENERATE(
      Row{"a list", "[device.driver]", 12}, Row{"an empty list is a constant", "[]", 0},
      Row{"a list of constants is one", "[1, 2]", 0}, Row{"a map", "{device.driver: 1}", 32},
      Row{"a map of constants is one", "{'a': 1}", 0},
      Row{"list of lists", "[[device.driver], [device.driver]]", 34},
      Row{"in a set of constants", "device.driver in ['a', 'b', 'c']", 2},
      Row{"in a list", "device.driver in [device.driver, 'b', 'c']", 17},
      Row{"equality of long texts",
          "'a very long text that no one reads but for its cost, and more of it' == 'a very long "
          "text that no one reads but for its cost, and more of that' + device.driver",
          17},
      Row{"inequality of long texts",
          "'a very long text that no one reads but for its cost, and more of it' != 'a very long "
          "text that no one reads but for its cost, and more of that' + device.driver",
          17},
      Row{"equality with an error", "device.attributes['d.io'].zebra == 'x'", 5},
      Row{"call with an error", "device.attributes['d.io'].zebra.contains('x')", 5},
      Row{"a constant quantity still costs", "quantity('1') == quantity('2')", 3},
      Row{"a constant conversion is free", "int('5') == 6", 1});
  DYNAMIC_SECTION(row.name) {
    CHECK(answer(row.text).cost == row.cost);
  }
}

TEST_CASE("a run may cost its limit and no more") {
  const std::string text = "[device.driver, 'a'].all(x, x.contains('d'))";
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  CompileOptions options;
  options.cost_limit = answer(text).cost;
  REQUIRE(options.cost_limit > 10);
  CHECK(evaluator.evaluate(*compile(text, options).value(), *shape).value.is_false());
  --options.cost_limit;
  const auto dear = compile(text, options).value();
  const auto outcome = evaluator.evaluate(*dear, *shape);
  REQUIRE(outcome.value.is_error());
  CHECK(Evaluator::error_text(outcome.value) == "operation cancelled: actual cost limit exceeded");
}

TEST_CASE("no operator makes something else of a run that cost too much") {
  const auto text = GENERATE(as<std::string>{}, "device.driver == 'x' || true",
                             "device.driver == 'x' && false", "device.driver == 'x' ? true : true",
                             "[1].exists(x, device.driver == 'd.io')", "device.?driver.hasValue()");
  INFO(text);
  CompileOptions options;
  options.cost_limit = 1;
  Interner interner;
  const auto shape = interner.intern("d.io", test_device());
  Evaluator evaluator;
  CHECK(evaluator.evaluate(*compile(text, options).value(), *shape).cancelled);
  CHECK(evaluator.verdict(*compile(text, options).value(), *shape) == Verdict::error);
}

}  // namespace
}  // namespace dray::cel::evaluation_costs_test