#include "cel/text/go_pattern.h"

#include <catch2/catch.hpp>

namespace dray::cel::go_pattern_test {
namespace {

TEST_CASE("names of groups are left out for RE2") {
  CHECK(read_go_pattern("(?P<a>x)(?<b>y)(?:z)(?i)").re2 == "(x)(y)(?:z)(?i)");
}

TEST_CASE("Unicode classes are told up to the error") {
  const auto read = read_go_pattern(R"(\pL[\p{^Greek}a]*\d**\PN)");
  CHECK(read.classes == std::vector<std::string_view>{R"(\pL)", R"(\p{^Greek})"});
  CHECK(read.error == "invalid nested repetition operator: `**`");
}

struct Row {
  std::string pattern;
  std::string error;
};

TEST_CASE("limits are Go's") {
  const auto row =
      GENERATE(Row{std::string(1001, '(') + std::string(1001, ')'), "expression nests too deeply"},
               Row{"((a{100}){100}){100}", "invalid repeat count"},
               Row{"(\\pL{500}){2}x{1001}", "invalid repeat count"});
  CHECK(read_go_pattern(row.pattern).error.starts_with(row.error));
}

TEST_CASE("what Go takes is no error") {
  const auto pattern = GENERATE(as<std::string>{}, "", "a{,2}", "a{0}", "[]a]", "[^]a]", R"([\-a])",
                                R"(\Qa.b)", R"(\07\x{10FFFF})", "(|a)*", "a{1000}", "[[:word:]]");
  INFO(pattern);
  CHECK(read_go_pattern(pattern).error.empty());
}

}  // namespace
}  // namespace dray::cel::go_pattern_test
