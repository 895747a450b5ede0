#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::quantity_test {
namespace {

TEST_CASE("quantities: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(isQuantity('1Ki'))", R"(isQuantity('100m'))", R"(!isQuantity('1KiB'))",
      R"(!isQuantity(''))", R"(quantity('1Ki').isInteger())", R"(!quantity('1500m').isInteger())",
      R"(quantity('1k').asInteger() == 1000)", R"(quantity('1').isGreaterThan(quantity('500m')))",
      R"(!quantity('1').isGreaterThan(quantity('1')))",
      R"(quantity('1').isLessThan(quantity('2')))", R"(!quantity('1').isLessThan(quantity('1')))",
      R"(quantity('1').compareTo(quantity('2')) == -1)",
      R"(quantity('2').compareTo(quantity('1')) == 1)",
      R"(quantity('1').compareTo(quantity('1000m')) == 0)",
      R"(quantity('1').add(quantity('2')) == quantity('3'))",
      R"(quantity('1').add(2) == quantity('3'))",
      R"(quantity('3').sub(quantity('2')) == quantity('1'))",
      R"(quantity('3').sub(2) == quantity('1'))",
      R"(quantity('1500m').asApproximateFloat() == 1.5)",
      R"(quantity('1Gi') == quantity('1024Mi'))", R"(quantity('1G') != quantity('1Gi'))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("quantities: what fails says why") {
  const auto row = GENERATE(
      Failing{
          R"(quantity(dyn('1KiB')) == quantity('1'))",
          R"(quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$')"},
      Failing{R"(quantity('1500m').asInteger() == 1)", R"(cannot convert value to integer)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::quantity_test
