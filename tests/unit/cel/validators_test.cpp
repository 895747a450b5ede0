#include "cel/check/validators.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/cel/fixture.h"

namespace dray::cel::validators_test {
namespace {

/// The first message of a compilation, without its place; empty: it compiles.
std::string message(const std::string& text) {
  const auto made = compile(text + " == null || true");
  if (made) return "";
  const auto& all = made.error().message;
  const auto from = all.find(": ", all.find("<input>:"));
  return from == std::string::npos ? all : all.substr(from + 2, all.find('\n', from) - from - 2);
}

struct Row {
  std::string text;
  std::string error;
};

TEST_CASE("the elements of a literal have one type, but where a text is made of them") {
  const auto row = GENERATE(
      Row{"dyn([1, 2])", ""}, Row{"dyn([1, 'a'])", "expected type 'int' but found 'string'"},
      Row{"dyn([dyn(1), 'a'])", "expected type 'dyn' but found 'string'"},
      Row{"dyn([[1], ['a']])", "expected type 'list(int)' but found 'list(string)'"},
      Row{"dyn({'a': 1, 'b': 'c'})", "expected type 'int' but found 'string'"},
      Row{"dyn({'a': 1, 2: 3})", "expected type 'string' but found 'int'"},
      Row{"dyn({'a': 1, 'b': 2})", ""}, Row{"dyn('%s %d'.format(['a', 1]))", ""});
  INFO(row.text);
  CHECK(message(row.text) == row.error);
}

TEST_CASE("literal arguments are read when the expression is compiled") {
  const auto row = GENERATE(
      Row{"dyn(duration('1h'))", ""}, Row{"dyn(duration('x'))", "invalid duration argument"},
      Row{"dyn(timestamp('2020-01-01T00:00:00Z'))", ""},
      Row{"dyn(timestamp('2020-13-01T00:00:00Z'))", "invalid timestamp argument"},
      Row{"dyn(timestamp(253402300799))", ""},
      Row{"dyn(timestamp(253402300800))", "invalid timestamp argument"},
      Row{"dyn('a'.matches('b*'))", ""}, Row{"dyn('a'.matches('('))", "invalid matches argument"},
      Row{"dyn('a'.matches(dyn('(')))",
          "program instantiation failed: error parsing regexp: missing closing ): `(`"});
  INFO(row.text);
  CHECK(message(row.text) == row.error);
}

TEST_CASE("a literal format takes what it is given") {
  const std::string wrong = "error during formatting: ";
  const auto row = GENERATE_COPY(
      Row{"dyn('%d%%'.format([1]))", ""}, Row{"dyn('%d'.format([]))", "index 0 out of range"},
      Row{"dyn('%'.format([1]))", "unexpected end of string"},
      Row{"dyn('%q'.format([1]))",
          R"(could not parse formatting clause: unrecognized formatting clause "q")"},
      Row{"dyn('%d'.format([1, 2]))",
          "too many arguments supplied to string.format (expected 1, got 2)"},
      Row{"dyn('%d'.format(['a']))",
          wrong + "decimal clause can only be used on integers, was given string"},
      Row{"dyn('%f'.format([1]))",
          wrong + "fixed-point clause can only be used on doubles, was given int"},
      Row{"dyn('%e'.format([true]))",
          wrong + "scientific clause can only be used on doubles, was given bool"},
      Row{"dyn('%b'.format(['a']))",
          wrong + "only integers and bools can be formatted as binary, was given string"},
      Row{"dyn('%o'.format([1.5]))",
          wrong + "octal clause can only be used on integers, was given double"},
      Row{"dyn('%x'.format([1.5]))",
          wrong +
              "only integers, byte buffers, and strings can be formatted as hex, was given double"},
      Row{"dyn('%d'.format([dyn('a')]))", ""});
  INFO(row.text);
  CHECK(message(row.text) == row.error);
}

}  // namespace
}  // namespace dray::cel::validators_test
