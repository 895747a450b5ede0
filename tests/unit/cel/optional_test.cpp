#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::optional_test {
namespace {

TEST_CASE("optional values: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(optional.of(1).hasValue())", R"(!optional.none().hasValue())",
      R"(optional.of(1).value() == 1)", R"(optional.of(1).orValue(2) == 1)",
      R"(optional.none().orValue(2) == 2)", R"(optional.of(1).or(optional.of(2)).value() == 1)",
      R"(optional.none().or(optional.of(2)).value() == 2)",
      R"(!optional.ofNonZeroValue(0).hasValue())", R"(optional.ofNonZeroValue(1).hasValue())",
      R"(!optional.ofNonZeroValue('').hasValue())", R"(!optional.ofNonZeroValue([]).hasValue())",
      R"({'a': 1}.?a.value() == 1)", R"(!{'a': 1}.?b.hasValue())", R"([1][?0].value() == 1)",
      R"(![1][?1].hasValue())", R"(optional.of(1).optMap(x, x + 1).value() == 2)",
      R"(!optional.none().optMap(x, x).hasValue())",
      R"(optional.of(1).optFlatMap(x, optional.of(x + 1)).value() == 2)",
      R"([?optional.of(1), ?optional.none()] == [1])",
      R"({?'a': optional.none(), ?'b': optional.of(1)} == {'b': 1})",
      R"(optional.of(1) == optional.of(1))", R"(optional.of(1) != optional.of(2))",
      R"(optional.none() == optional.none())",
      R"(optional.unwrap([optional.of(1), optional.none()]) == [1])");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("optional values: what fails says why") {
  const auto row =
      GENERATE(Failing{R"(optional.none().value() == 1)", R"(optional.none() dereference)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::optional_test
