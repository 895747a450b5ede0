#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::format_test {
namespace {

TEST_CASE("formatted texts: true of every device") {
  const auto text = GENERATE(
      as<std::string>{},
      R"('%s|%d|%f|%e|%b|%x|%X|%o'.format(['a', 5, 1.5, 1500.0, 5, 255, 255, 8]) == 'a|5|1.500000|1.500000×10⁰³|101|ff|FF|10')",
      R"('%.1f %.0f'.format([1.25, 2.5]) == '1.2 2')", R"('%%'.format([]) == '%')",
      R"('%s'.format([[dyn(1), 'a', true, null]]) == '[1, "a", true, null]')",
      R"('%s'.format([{'b': 1, 'a': 2}]) == '{"a":2, "b":1}')", R"('%x'.format(['hi']) == '6869')",
      R"('%X'.format([b'\xff']) == 'FF')", R"('%b'.format([true]) == '1')",
      R"('%d'.format([-5]) == '-5')", R"('%x'.format([-255]) == '-ff')",
      R"('%s %s'.format([duration('1s'), timestamp('2020-01-01T00:00:00Z')]) == '1s 2020-01-01T00:00:00Z')");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("formatted texts: what fails says why") {
  const auto row = GENERATE(
      Failing{
          R"('%d'.format(dyn(['a'])) == '')",
          R"(error during formatting: decimal clause can only be used on integers, was given string)"},
      Failing{R"('%s'.format(dyn([])) == '')", R"(index 0 out of range)"},
      Failing{R"('%q'.format(dyn([1])) == '')",
              R"(could not parse formatting clause: unrecognized formatting clause "q")"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::format_test
