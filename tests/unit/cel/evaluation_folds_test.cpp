#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/answer.h"

// src/cel/eval/evaluation_folds.cpp: comprehensions, as the reference runs them.

namespace dray::cel::evaluation_folds_test {
namespace {

using Row = AnswerRow;

TEST_CASE("the accumulator starts when it is asked for") {
  const auto row = GENERATE(
      Row{"bind does not ask for what is not used", "cel.bind(x, 1 / 0, device.driver == 'd.io')",
          "true"},
      Row{"bind, used in the half that is not run",
          "cel.bind(x, 1 / 0, device.driver == 'd.io' || x == 1)", "true"},
      Row{"bind, the error is where it is used", "cel.bind(x, 1 / 0, x == 1)", "division by zero"},
      Row{"an empty list that is bound stays empty", "cel.bind(x, [], x + [1] == [1] && x == [])",
          "false"},
      Row{"an empty map that is bound", "cel.bind(x, {}, size(x))", "0"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("an error ends the loops whose answer needs every element, the others go on") {
  const auto row = GENERATE(
      Row{"exists absorbs an error", "[0, 1].exists(x, 1 / x == 1)", "true"},
      Row{"exists, none but an error", "[0, 2].exists(x, 1 / x == 1)", "division by zero"},
      Row{"exists ends at the first", "[1, 0].exists(x, 1 / x == 1)", "true"},
      Row{"all absorbs an error", "[0, 2].all(x, 1 / x == 1)", "false"},
      Row{"all, an error and no false", "[0, 1].all(x, 1 / x == 1)", "division by zero"},
      Row{"exists_one does not absorb", "[0, 1].exists_one(x, 1 / x == 1)", "division by zero"},
      Row{"exists_one, two", "[1, 1].exists_one(x, x == 1)", "false"},
      Row{"map ends at an error", "[1, 0, 2].map(x, 1 / x)", "division by zero"},
      Row{"filter ends at an error", "[1, 0, 2].filter(x, 1 / x == 1)", "division by zero"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("a loop goes over lists and maps") {
  const auto row = GENERATE(
      Row{"no list", "dyn(device.driver).all(x, true)",
          "got 'types.String', expected iterable type"},
      Row{"no list, two variables", "dyn(device.driver).all(x, y, true)",
          "unsupported comprehension range type: types.String"},
      Row{"range's error", "[1 / 0].all(x, true)", "division by zero"},
      Row{"of nothing", "[].all(x, 1 / 0 == 1)", "true"},
      Row{"two variables of a list", "['a', 'b'].transformList(i, v, string(i) + v)",
          R"(["0a", "1b"])"},
      Row{"two variables of a map", "{'a': 1, 'b': 2}.transformList(k, v, k + string(v))",
          R"(["a1", "b2"])"},
      Row{"with device", "[4, 5].exists(x, device.attributes['d.io'].index == x)", "true"},
      Row{"attributes and values", "device.attributes['other.io'].transformList(n, v, n + '=' + v)",
          R"(["model=whale"])"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

TEST_CASE("loops keep their elements and results apart") {
  const auto row = GENERATE(
      Row{"inner loops start anew", "[1, 2].map(x, [10, 20].map(y, x + y))",
          "[[11, 21], [12, 22]]"},
      Row{"an inner variable hides the outer", "[1, 2].map(x, [x].map(x, x * 10)[0] + x)",
          "[11, 22]"},
      Row{"the inner range is outside of its variable", "[[1, 2], [3]].map(x, x.map(x, x + 1))",
          "[[2, 3], [4]]"},
      Row{"the same loop in two places", "[1, 2].map(x, x) + [3].map(x, x)", "[1, 2, 3]"},
      Row{"a result does not grow with what is added to it",
          "cel.bind(l, [1].map(x, x), l + [2] == [1, 2] && l == [1])", "true"},
      Row{"a result of a loop in a loop", "[1, 2].map(x, [x].filter(y, true)).map(l, l + [0])",
          "[[1, 0], [2, 0]]"},
      Row{"map of maps", "{'a': 1}.transformMap(k, v, {k: v})", R"({"a": {"a": 1}})"},
      Row{"one key twice", "[1, 2].transformMapEntry(i, v, {'k': v})",
          "insert failed: key k already exists"},
      Row{"entries", "{'a': 1, 'b': 2}.transformMapEntry(k, v, {v: k})", R"({1: "a", 2: "b"})"},
      Row{"optMap", "device.attributes['d.io'].?index.optMap(x, x + 1)", "optional.of(6)"},
      Row{"optMap of none", "device.attributes['d.io'].?zebra.optMap(x, 1 / 0)", "optional.none()"},
      Row{"filter in order", "[3, 1, 2].filter(x, x > 1)", "[3, 2]"},
      Row{"map with a condition", "[1, 2, 3].map(x, x != 2, x * x)", "[1, 9]"},
      Row{"sortBy", "['bb', 'a'].sortBy(s, size(s))", R"(["a", "bb"])"});
  DYNAMIC_SECTION(row.name) {
    check_both_ways(row);
  }
}

}  // namespace
}  // namespace dray::cel::evaluation_folds_test