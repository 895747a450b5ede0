#include "cel/text/regex.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::cel::regex_test {
namespace {

struct Row {
  std::string pattern;
  std::string error;
};

TEST_CASE("a wrong pattern is refused in Go's words") {
  const auto row = GENERATE(
      Row{"[", "missing closing ]: `[`"}, Row{"(a", "missing closing ): `(a`"},
      Row{"a)", "unexpected ): `a)`"}, Row{"*a", "missing argument to repetition operator: `*`"},
      Row{"a**", "invalid nested repetition operator: `**`"},
      Row{"a{1001}", "invalid repeat count: `{1001}`"},
      Row{"[z-a]", "invalid character class range: `z-a`"},
      Row{"(?=a)", "invalid or unsupported Perl syntax: `(?=`"},
      Row{"(?P<n", "invalid named capture: `(?P<n`"},
      Row{R"(\8)", R"(invalid escape sequence: `\8`)"},
      Row{R"(\pX)", R"(invalid character class range: `\pX`)"},
      Row{R"(\pL\pX*{1001}()", R"(invalid character class range: `\pX`)"},
      Row{R"(\p{no_such}a**)", R"(invalid character class range: `\p{no_such}`)"},
      Row{"a\\", "trailing backslash at end of expression: ``"});
  std::string error;
  CHECK_FALSE(Regex::compile(row.pattern, RegexUse::match, error));
  CHECK(error == "error parsing regexp: " + row.error);
}

TEST_CASE("matching is unanchored; find gives the leftmost") {
  std::string error;
  const auto regex = Regex::compile("b+", RegexUse::find, error);
  REQUIRE(regex);
  CHECK(regex->matches("abbc"));
  CHECK_FALSE(regex->matches("ac"));
  CHECK(regex->find("abbcb") == "bb");
  CHECK(regex->find_all("abbcb", -1) == std::vector<std::string_view>{"bb", "b"});
  CHECK(regex->find_all("abbcb", 1).size() == 1);
}

TEST_CASE("an expensive pattern ends") {
  std::string error;
  const auto regex = Regex::compile("(a*)*(a*)*(a*)*b", RegexUse::match, error);
  if (regex) CHECK_FALSE(regex->matches(std::string(20'000, 'a')));
}

}  // namespace
}  // namespace dray::cel::regex_test
