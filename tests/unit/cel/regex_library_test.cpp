#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::regex_library_test {
namespace {

TEST_CASE("regular expressions: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"('abc123'.find('[0-9]+') == '123')", R"('abc'.find('[0-9]+') == '')",
      R"('a1b22'.findAll('[0-9]+') == ['1', '22'])", R"('a1b22'.findAll('[0-9]+', 1) == ['1'])",
      R"('a1b22'.findAll('[0-9]+', 0) == [])", R"('abc'.matches('^a.c$'))",
      R"(!'abc'.matches('^b'))", R"('abc'.matches('b'))", R"(matches('abc', 'c$'))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("regular expressions: what fails says why") {
  const auto row = GENERATE(
      Failing{R"('abc'.matches(dyn('(')))",
              R"(program instantiation failed: error parsing regexp: missing closing ): `(`)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::regex_library_test
