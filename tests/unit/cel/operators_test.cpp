#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::operators_test {
namespace {

TEST_CASE("operators: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(7 / 2 == 3)", R"(-7 / 2 == -3)", R"(7 % 3 == 1)", R"(-7 % 3 == -1)",
      R"(7u / 2u == 3u)", R"(7u % 3u == 1u)", R"(7.0 / 2.0 == 3.5)", R"(1 - 2 == -1)",
      R"(3u - 2u == 1u)", R"(1.5 - 1.0 == 0.5)", R"(-(1) == -1)", R"(-(1.5) == -1.5)",
      R"(2 * 3 == 6)", R"(2u * 3u == 6u)", R"(1.5 * 2.0 == 3.0)", R"(1 < 2)", R"(!(2 < 1))",
      R"(1 <= 1)", R"(2 > 1)", R"(!(1 > 2))", R"(1 >= 1)", R"(!(0 >= 1))", R"(1 < 1.5)",
      R"(1u < 2)", R"(2 > 1u)", R"(1.0 <= 1u)", R"(!(2 <= 1.5))", R"(false < true)",
      R"(!(true < true))", R"(b'a' < b'b')", R"(duration('1s') < duration('2s'))",
      R"(timestamp(1) < timestamp(2))", R"(dyn({'a': 1}) == {'a': 1.0})", R"({'a': 1} != {'b': 1})",
      R"(dyn([1, 2]) == [dyn(1.0), dyn(2u)])", R"([1] != [1, 2])", R"({'a': 1}['a'] == 1)",
      R"({1: 'x'}[dyn(1.0)] == 'x')", R"('a' in {'a': 1})", R"(!('b' in {'a': 1}))",
      R"((true ? 1 : 2) == 1)", R"((false ? 1 : 2) == 2)", R"(b'a' + b'b' == b'ab')",
      R"(duration('1s') + duration('2s') == duration('3s'))",
      R"(timestamp(1) + duration('1s') == timestamp(2))",
      R"(timestamp(3) - timestamp(1) == duration('2s'))",
      R"(duration('3s') - duration('1s') == duration('2s'))", R"(!(0.0 / 0.0 == 0.0 / 0.0))",
      R"(1.0 / 0.0 > 1e308)", R"(null == null)", R"(null != dyn(1))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("operators: what fails says why") {
  const auto row =
      GENERATE(Failing{R"(1 / 0 == 0)", R"(division by zero)"},
               Failing{R"(1 % 0 == 0)", R"(modulus by zero)"},
               Failing{R"(1u / 0u == 0u)", R"(division by zero)"},
               Failing{R"(9223372036854775807 + 1 == 0)", R"(integer overflow)"},
               Failing{R"(-9223372036854775808 - 1 == 0)", R"(integer overflow)"},
               Failing{R"(9223372036854775807 * 2 == 0)", R"(integer overflow)"},
               Failing{R"(-(-9223372036854775808) == 0)", R"(integer overflow)"},
               Failing{R"(0u - 1u == 0u)", R"(unsigned integer overflow)"},
               Failing{R"(18446744073709551615u + 1u == 0u)", R"(unsigned integer overflow)"},
               Failing{R"({'a': 1}['b'] == 1)", R"(no such key: b)"},
               Failing{R"(timestamp('9999-12-31T23:59:59Z') + duration('1s') == timestamp(0))",
                       R"(timestamp overflow)"},
               Failing{R"((-9223372036854775807 - 1) / -1 == 0)", R"(integer overflow)"},
               Failing{R"(dyn(1) < 'a')", R"(no such overload)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::operators_test
