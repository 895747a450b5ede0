#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/cel/fixture.h"

// What equals what, and what comes before what, across types.

namespace dray::cel::values_equal_test {
namespace {

TEST_CASE("numbers are compared by what they mean") {
  const auto text = GENERATE(
      as<std::string>{}, "dyn(1) == 1u", "dyn(1) == 1.0", "dyn(1u) == 1.0", "dyn(1) != 1.5",
      "dyn(-1) != 18446744073709551615u", "dyn(-1) < 0u", "dyn(9223372036854775807) < 1e19",
      "dyn(18446744073709551615u) > 9223372036854775807", "dyn(-9223372036854775808) >= -1e19",
      "dyn(18446744073709551615u) < 1e20", "dyn(0u) > -0.5", "!(double('NaN') == double('NaN'))",
      "double('NaN') != 1.0", "!(dyn(double('NaN')) == 1)", "[double('NaN')] != [double('NaN')]",
      "!(dyn(1) in [double('NaN')])", "0.0 == -0.0");
  INFO(text);
  CHECK(outcome(text) == "true");
}

TEST_CASE("values of different types are unequal, not an error") {
  const auto text = GENERATE(as<std::string>{}, "dyn('1') != 1", "dyn(true) != 1", "dyn(null) != 0",
                             "dyn([1]) != 1", "dyn({}) != []", "dyn(b'a') != 'a'",
                             "dyn(duration('1s')) != 1", "type(1) != dyn(1)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

TEST_CASE("lists, maps and optionals are compared by what is in them") {
  const auto text =
      GENERATE(as<std::string>{}, "[dyn(1), dyn(2)] == [dyn(1.0), dyn(2u)]", "[1, 2] != [2, 1]",
               "[1] != [1, 1]", "{'a': dyn(1), 'b': dyn(2)} == {'b': dyn(2u), 'a': dyn(1.0)}",
               "{'a': 1} != {'b': 1}", "{'a': 1} != {'a': 1, 'b': 1}", "dyn({1: 'a'}) == {1u: 'a'}",
               "[{'a': [2]}, {}] == [{'a': [2]}, {}]", "optional.of(1) == optional.of(1)",
               "optional.of(1) != optional.none()", "optional.none() == optional.none()",
               "optional.of(1) != optional.of(2)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

TEST_CASE("times, bytes and texts have an order") {
  const auto text =
      GENERATE(as<std::string>{}, "duration('1s') < duration('1001ms')", "b'a' < b'b'",
               "b'a' < b'aa'", "'a' < 'b'", "'Z' < 'a'", "'é' > 'z'", "false < true",
               "timestamp('2020-01-01T00:00:00Z') < timestamp('2020-01-01T00:00:00.000000001Z')",
               "timestamp('2020-01-01T01:00:00+01:00') == timestamp('2020-01-01T00:00:00Z')");
  INFO(text);
  CHECK(outcome(text) == "true");
}

TEST_CASE("Kubernetes' types equal their own kind only") {
  CHECK(outcome("quantity('1') == quantity('1000m')") == "true");
  CHECK(outcome("semver('1.2.3') != semver('1.2.4')") == "true");
  CHECK(outcome("dyn(quantity('1')) == 1").find("no such overload") != std::string::npos);
  CHECK(outcome("dyn(semver('1.0.0')) == '1.0.0'").find("no such overload") != std::string::npos);
}

}  // namespace
}  // namespace dray::cel::values_equal_test
