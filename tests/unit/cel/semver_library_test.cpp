#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::semver_library_test {
namespace {

TEST_CASE("versions: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(isSemver('1.2.3'))", R"(!isSemver('1.2'))", R"(!isSemver('v1.2.3'))",
      R"(isSemver('v1.2', true))", R"(!isSemver('01.2.3'))", R"(isSemver('01.2.3', true))",
      R"(semver('1.2.3').major() == 1)", R"(semver('1.2.3').minor() == 2)",
      R"(semver('1.2.3').patch() == 3)", R"(semver('1.2.3').isGreaterThan(semver('1.2.2')))",
      R"(!semver('1.2.3').isGreaterThan(semver('1.2.3')))",
      R"(semver('1.2.3-a').isLessThan(semver('1.2.3')))",
      R"(semver('1.2.3').compareTo(semver('1.2.3+build')) == 0)",
      R"(semver('1.10.0').compareTo(semver('1.9.0')) == 1)",
      R"(semver('1.0.0-1').compareTo(semver('1.0.0-a')) == -1)");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("versions: what fails says why") {
  const auto row = GENERATE(Failing{R"(semver(dyn('1.2')) == semver('1.2.0'))",
                                    R"(No Major.Minor.Patch elements found)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::semver_library_test
