#include "dray/cel/semver.h"

#include <algorithm>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::cel::semver_test {
namespace {

struct Row {
  std::string text;
  std::string want;  ///< to_string() or the error
};

std::string outcome(const Result<Semver>& version) {
  return version ? version->to_string() : version.error().message;
}

TEST_CASE("strict versions are those of blang/semver") {
  const auto row = GENERATE(
      Row{"1.2.3", "1.2.3"}, Row{"0.0.0", "0.0.0"}, Row{"1.2.3-alpha.1+b.2", "1.2.3-alpha.1+b.2"},
      Row{"1.2.3+b-1", "1.2.3+b-1"}, Row{"1.2.3-a-b", "1.2.3-a-b"},
      Row{"18446744073709551615.0.0", "18446744073709551615.0.0"}, Row{"", "Version string empty"},
      Row{"1.2", "No Major.Minor.Patch elements found"},
      Row{"v1.2.3", "Invalid character(s) found in major number \"v1\""},
      Row{"\u2028.2.3", R"(Invalid character(s) found in major number "\u2028")"},
      Row{"1.x.3", "Invalid character(s) found in minor number \"x\""},
      Row{"1.2.3.4", "Invalid character(s) found in patch number \"3.4\""},
      Row{"01.2.3", "Major number must not contain leading zeroes \"01\""},
      Row{"1.02.3", "Minor number must not contain leading zeroes \"02\""},
      Row{"1.2.03", "Patch number must not contain leading zeroes \"03\""},
      Row{".1.2", "strconv.ParseUint: parsing \"\": invalid syntax"},
      Row{"18446744073709551616.0.0",
          "strconv.ParseUint: parsing \"18446744073709551616\": value out of range"},
      Row{"1.2.3-", "Prerelease is empty"}, Row{"1.2.3-a..b", "Prerelease is empty"},
      Row{"1.2.3-01", "Numeric PreRelease version must not contain leading zeroes \"01\""},
      Row{"1.2.3-a_b", "Invalid character(s) found in prerelease \"a_b\""},
      Row{"1.2.3+", "Build meta data is empty"},
      Row{"1.2.3+a_\n", "Invalid character(s) found in build meta data \"a_\\n\""});
  DYNAMIC_SECTION(row.text) {
    CHECK(outcome(Semver::parse(row.text)) == row.want);
  }
}

TEST_CASE("tolerant versions are those of CEL's semver(x, true)") {
  const auto row = GENERATE(
      Row{"v1.2.3", "1.2.3"}, Row{"v1", "1.0.0"}, Row{"1.2", "1.2.0"}, Row{"01.002.0003", "1.2.3"},
      Row{"00.0.0", "0.0.0"},
      Row{"1.2.03-rc.01", "Numeric PreRelease version must not contain leading zeroes \"01\""},
      Row{"vv1", "Invalid character(s) found in major number \"0v1\""},
      Row{"1.2-rc", "short version cannot contain PreRelease/Build meta data"},
      Row{"", "strconv.ParseUint: parsing \"\": invalid syntax"},
      Row{" 1.2.3", "Invalid character(s) found in major number \"0 1\""});
  DYNAMIC_SECTION(row.text) {
    CHECK(outcome(Semver::parse_tolerant(row.text)) == row.want);
  }
}

TEST_CASE("versions are ordered by semver 2.0.0") {
  const std::vector<std::string> sorted{"0.9.9",
                                        "1.0.0-1",
                                        "1.0.0-2",
                                        "1.0.0-10",
                                        "1.0.0-alpha",
                                        "1.0.0-alpha.1",
                                        "1.0.0-alpha.beta",
                                        "1.0.0-beta.2",
                                        "1.0.0-beta.11",
                                        "1.0.0",
                                        "1.0.1",
                                        "1.1.0",
                                        "2.0.0"};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      CAPTURE(sorted[i], sorted[j]);
      CHECK((*Semver::parse(sorted[i]) <=> *Semver::parse(sorted[j])) == (i <=> j));
    }
  }
}

TEST_CASE("build metadata does not count") {
  CHECK(*Semver::parse("1.0.0+a") == *Semver::parse("1.0.0+b"));
}

}  // namespace
}  // namespace dray::cel::semver_test
