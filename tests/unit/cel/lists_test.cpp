#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::lists_test {
namespace {

TEST_CASE("lists and sets: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"([1, 2, 3].slice(0, 2) == [1, 2])", R"([1, 2, 3].slice(1, 1) == [])",
      R"([1, 2, 3].slice(0, 3) == [1, 2, 3])", R"([[[1]], [[2]]].flatten() == [[1], [2]])",
      R"([[[1]], [[2]]].flatten(2).size() == 2)", R"([[1], [2]].flatten(1) == [1, 2])",
      R"([3, 1, 2].sort() == [1, 2, 3])", R"(['b', 'a'].sort() == ['a', 'b'])",
      R"([].sort() == [])", R"([{'n': 2}, {'n': 1}].sortBy(e, e.n) == [{'n': 1}, {'n': 2}])",
      R"([1, 2, 1, 2].distinct() == [1, 2])",
      R"([dyn(1), dyn(1.0), dyn(1u)].distinct() == [dyn(1)])", R"(lists.range(3) == [0, 1, 2])",
      R"(lists.range(0) == [])", R"([1, 2, 3].reverse() == [3, 2, 1])", R"([].reverse() == [])",
      R"(sets.contains([1, 2, 3], [1, 3]))", R"(!sets.contains([1, 2], [3]))",
      R"(sets.contains([], []))", R"(sets.intersects([1, 2], [2, 3]))",
      R"(!sets.intersects([1], [2]))", R"(!sets.intersects([], []))",
      R"(sets.equivalent([1, 2, 2], [2, 1]))", R"(!sets.equivalent([1], [1, 2]))",
      R"(!sets.equivalent([1, 2], [1]))", R"([1, 2] + [3] == [1, 2, 3])", R"([] + [] == [])",
      R"(([1] + [2])[1] == 2)", R"(1 in [1, 2])", R"(!(3 in [1, 2]))", R"(dyn(1.0) in [1])",
      R"(!('a' in []))", R"(size([1, 2]) == 2)", R"([].size() == 0)",
      R"([1, 2, 3].first().value() == 1)", R"([1, 2, 3].last().value() == 3)",
      R"(!dyn([]).first().hasValue())");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("lists and sets: what fails says why") {
  const auto row = GENERATE(
      Failing{R"([1, 2].slice(0, 3) == [])", R"(cannot slice(0, 3), list is length 2)"},
      Failing{R"([1, 2].slice(2, 1) == [])",
              R"(cannot slice(2, 1), start index must be less than or equal to end index)"},
      Failing{R"([1, 2].slice(-1, 1) == [])",
              R"(cannot slice(-1, 1), negative indexes not supported)"},
      Failing{R"([1][1] == 1)", R"(index out of bounds: 1)"},
      Failing{R"([1][-1] == 1)", R"(index out of bounds: -1)"},
      Failing{R"([1].flatten(-1) == [])", R"(level must be non-negative)"},
      Failing{R"([dyn(1), dyn('a')].sort() == [])", R"(list elements must have the same type)"},
      Failing{R"(lists.range(-1) == [])", R"(lists.range: size must be non-negative, got -1)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::lists_test
