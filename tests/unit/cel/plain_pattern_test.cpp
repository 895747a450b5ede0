#include "cel/text/plain_pattern.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "cel/text/regex.h"

namespace dray::cel::plain_pattern_test {
namespace {

/// All texts of these pieces, up to `length` of them.
std::vector<std::string> texts_of(const std::vector<std::string>& pieces, int length) {
  std::vector<std::string> all{""};
  std::size_t from = 0;
  for (int i = 0; i < length; ++i) {
    const std::size_t end = all.size();
    for (std::size_t k = from; k < end; ++k) {
      for (const auto& piece : pieces) all.push_back(all[k] + piece);
    }
    from = end;
  }
  return all;
}

bool regular(const std::string& pattern, const std::string& text) {
  std::string error;
  const auto regex = Regex::compile(pattern, RegexUse::find, error);
  REQUIRE(regex);
  return regex->matches(text);
}

TEST_CASE("a plain pattern says what the regular expression says") {
  const auto texts = texts_of({"a", "b", "\n"}, 6);
  int compared = 0;
  for (const std::string begin : {"", "^", ".*", "^.*"}) {
    for (const std::string literal : {"a", "ab", "aba"}) {
      for (const std::string end : {"", "$", ".*", ".*$"}) {
        const std::string pattern = begin + literal + end;
        std::string error;
        const auto regex = Regex::compile(pattern, RegexUse::find, error);
        const auto plain = PlainPattern::of(pattern);
        REQUIRE(regex);
        REQUIRE(plain);
        for (const auto& text : texts) {
          if (plain->matches(text) != regex->matches(text)) FAIL(pattern << " on " << text);
          ++compared;
        }
      }
    }
  }
  CHECK(compared == 48 * 1093);
}

TEST_CASE("what is no plain text is left to the regular expression") {
  const auto pattern = GENERATE(as<std::string>(), "", "^", "$", ".*", "^.*$", "a.b", "a+", "a|b",
                                "(a)", "[a]", "a{2}", "a?", R"(\d)", R"(a\$)", R"(a\.*)", "a$$",
                                "^^a", ".*.*a", "a\nb", "(?i)a", "a)", "a*");
  CHECK_FALSE(PlainPattern::of(pattern));
}

TEST_CASE("letters of other alphabets are letters") {
  const auto plain = PlainPattern::of("^.*größe.*$");
  REQUIRE(plain);
  CHECK(plain->matches("die größe"));
  CHECK(regular("^.*größe.*$", "die größe"));
  CHECK_FALSE(plain->matches("die grösse"));
}

TEST_CASE("matching takes the short way, finding does not") {
  std::string error;
  const auto regex = Regex::compile("ab", RegexUse::match, error);
  REQUIRE(regex);
  CHECK(regex->matches("cabc"));
  CHECK_FALSE(regex->matches("acb"));
  const auto finding = Regex::compile("ab", RegexUse::find, error);
  REQUIRE(finding);
  CHECK(finding->find_all("abcab", -1).size() == 2);
}

}  // namespace
}  // namespace dray::cel::plain_pattern_test
