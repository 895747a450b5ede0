#include <catch2/catch.hpp>
#include <string>

#include "cel/text/go_pattern.h"

// Asked of Go's regexp/syntax (syntax.Parse with syntax.Perl).

namespace dray::cel::go_pattern_escapes_test {
namespace {

TEST_CASE("escapes and classes that Go takes") {
  const auto text =
      GENERATE(as<std::string>{}, R"(\Qa.b\E+)", R"(\Qa)", R"(\pL)", R"(\07)", R"(\x41)",
               R"(\x{41})", R"(\_)", R"(\,)", R"([[:alpha:]])", R"([[:^digit:]])", "[a-]", "[]a]",
               R"([\d-z])", R"([\pN])", R"(\z\A\b\B)", R"(\0)");
  INFO(text);
  CHECK(read_go_pattern(text).error.empty());
}

struct Row {
  std::string pattern;
  std::string error;
};

TEST_CASE("escapes and classes that Go refuses, and why") {
  const auto escape = [](const std::string& text) {
    return "invalid escape sequence: `" + text + "`";
  };
  const auto range = [](const std::string& text) {
    return "invalid character class range: `" + text + "`";
  };
  const auto row = GENERATE_COPY(
      Row{R"(\C)", escape(R"(\C)")}, Row{R"(\p{Greek)", range(R"(\p{Greek)")},
      Row{R"(\p)", range(R"(\p)")}, Row{R"(a\)", "trailing backslash at end of expression: ``"},
      Row{R"(\18)", escape(R"(\1)")}, Row{R"(\8)", escape(R"(\8)")},
      Row{R"(\x4)", escape(R"(\x4)")}, Row{R"(\x)", escape(R"(\x)")},
      Row{R"(\x{})", escape(R"(\x{})")}, Row{R"(\x{110000})", escape(R"(\x{110000)")},
      Row{R"(\x{4)", escape(R"(\x{4)")}, Row{R"(\y)", escape(R"(\y)")},
      Row{"[[:foo:]]", range("[:foo:]")}, Row{"[z-a]", range("z-a")},
      Row{"[a", "missing closing ]: `[a`"}, Row{R"([\x41-\x40])", range(R"(\x41-\x40)")},
      Row{"[^", "missing closing ]: `[^`"}, Row{R"(\é)", escape(R"(\é)")},
      Row{R"([\Q])", escape(R"(\Q)")}, Row{R"(\Z)", escape(R"(\Z)")},
      Row{R"([a-\d])", escape(R"(\d)")});
  INFO(row.pattern);
  CHECK(read_go_pattern(row.pattern).error == row.error);
}

}  // namespace
}  // namespace dray::cel::go_pattern_escapes_test
