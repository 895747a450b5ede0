#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::macros_test {
namespace {

TEST_CASE("macros: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"([1, 2].all(x, x > 0))", R"(![1, 2].all(x, x > 1))",
      R"([1, 2].exists(x, x > 1))", R"(![1, 2].exists(x, x > 2))", R"([1, 2].exists_one(x, x > 1))",
      R"(![2, 2].exists_one(x, x > 1))", R"([1, 2].map(x, x * 2) == [2, 4])",
      R"([1, 2].map(x, x > 1, x * 2) == [4])", R"([1, 2].filter(x, x > 1) == [2])",
      R"({'a': 1}.all(k, k == 'a'))", R"({'a': 1, 'b': 2}.exists(k, v, v == 2))",
      R"([5, 6].all(i, v, v == i + 5))", R"([1, 2].transformList(i, v, i + v) == [1, 3])",
      R"([1, 2].transformList(i, v, v > 1, v) == [2])",
      R"({'a': 1}.transformMap(k, v, v * 2) == {'a': 2})",
      R"({'a': 1, 'b': 2}.transformMap(k, v, v > 1, v) == {'b': 2})",
      R"({'a': 1}.transformMapEntry(k, v, {v: k}) == {1: 'a'})", R"(has({'a': 1}.a))",
      R"(!has({'a': 1}.b))", R"(cel.bind(x, 2, x * x) == 4)", R"([1, 2].existsOne(i, v, v == 2))",
      R"(![].exists(x, true))", R"([].all(x, false))", R"([1, 0].exists(x, 2 / x == 2))",
      R"(![0, 1].all(x, 2 / x == 1))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

}  // namespace
}  // namespace dray::cel::macros_test
