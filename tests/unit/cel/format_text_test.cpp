#include "cel/text/format_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

// Numbers asked of golang.org/x/text's message.Printer for English.

namespace dray::cel::format_text_test {
namespace {

TEST_CASE("a double in fixed notation is grouped and rounded as x/text does it") {
  struct Row {
    double value;
    std::int64_t precision;
    std::string text;
  };
  const auto row = GENERATE(
      Row{0, 0, "0"}, Row{0, 2, "0.00"}, Row{1.5, 0, "2"}, Row{2.5, 0, "2"}, Row{1.5, 2, "1.50"},
      Row{1234567.891, 0, "1,234,568"}, Row{1234567.891, 2, "1,234,567.89"},
      Row{-1234.5, 0, "-1,234"}, Row{-1234.5, 2, "-1,234.50"}, Row{0.000123, 2, "0.00"},
      Row{999.995, 2, "1,000.00"}, Row{1e21, 0, "1,000,000,000,000,000,000,000"},
      Row{1.5, 256, "1.5"}, Row{1234567.891, 256, "1,234,567.89100000006146728992462158203125"},
      Row{std::nan(""), 2, "NaN"}, Row{-std::numeric_limits<double>::infinity(), 2, "-∞"});
  CAPTURE(row.value, row.precision);
  CHECK(fixed_text(row.value, row.precision) == row.text);
}

TEST_CASE("in scientific notation there are six digits, and the precision is a width") {
  CHECK(scientific_text(1.5, 6) == "1.500000×10⁰⁰");
  CHECK(scientific_text(-1234.5, 6) == "-1.234500×10⁰³");
  CHECK(scientific_text(0.000123, 0) == "1.230000×10⁻⁰⁴");
  CHECK(scientific_text(0, 0) == "0.000000×10⁰⁰");
  CHECK(scientific_text(1.5, 16) == "   1.500000×10⁰⁰");
  CHECK(scientific_text(std::nan(""), 5) == "  NaN");
}

TEST_CASE("a clause is read with its precision, and what follows is left") {
  std::string error;
  std::string_view text = ".12fx";
  const auto clause = read_clause(text, error);
  REQUIRE(clause);
  CHECK(clause->verb == 'f');
  CHECK(clause->precision == 12);
  CHECK(text == "x");
  text = "s%d";
  CHECK_FALSE(read_clause(text, error)->precision);
  CHECK(text == "%d");
}

TEST_CASE("a clause that is none says why, and nothing is taken") {
  struct Row {
    std::string text;
    std::string error;
  };
  const std::string precision = "error while parsing precision: ";
  const std::string number =
      precision + "error while converting precision to integer: strconv.Atoi: parsing ";
  const auto row = GENERATE_COPY(
      Row{"q", R"(unrecognized formatting clause "q")"},
      Row{".2q", R"(unrecognized formatting clause "q")"},
      Row{".12", precision + "could not find end of precision specifier"},
      Row{".f", number + R"("": invalid syntax)"},
      Row{".99999999999999999999f", number + R"("99999999999999999999": value out of range)"});
  INFO(row.text);
  std::string_view text = row.text;
  std::string error;
  CHECK_FALSE(read_clause(text, error));
  CHECK(error == row.error);
  CHECK(text == row.text);
}

}  // namespace
}  // namespace dray::cel::format_text_test
