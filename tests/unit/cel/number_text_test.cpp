#include "cel/text/number_text.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

namespace dray::cel::number_text_test {
namespace {

TEST_CASE("integers are read as Go reads them, to the ends of their range") {
  CHECK(parse_int("42") == 42);
  CHECK(parse_int("-42") == -42);
  CHECK(parse_int("+42") == 42);
  CHECK(parse_int("9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  CHECK(parse_int("-9223372036854775808") == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(parse_int("9223372036854775808"));
  CHECK_FALSE(parse_int(""));
  CHECK_FALSE(parse_int("-"));
  CHECK_FALSE(parse_int("4 2"));
  CHECK_FALSE(parse_int("0x2a"));
  CHECK(parse_uint("18446744073709551615") == std::numeric_limits<std::uint64_t>::max());
  CHECK_FALSE(parse_uint("18446744073709551616"));
  CHECK_FALSE(parse_uint("-1"));
}

TEST_CASE("integer literals may be hexadecimal and negative") {
  CHECK(parse_int_literal("0x2A", false) == 42);
  CHECK(parse_int_literal("42", true) == -42);
  CHECK(parse_int_literal("9223372036854775808", true) == std::numeric_limits<std::int64_t>::min());
  CHECK_FALSE(parse_int_literal("9223372036854775808", false));
  CHECK(parse_uint_literal("0xff") == 255U);
  CHECK_FALSE(parse_uint_literal("18446744073709551616"));
}

TEST_CASE("booleans as strconv.ParseBool, doubles as ParseFloat") {
  for (const char* yes : {"1", "t", "T", "TRUE", "true", "True"}) CHECK(parse_bool(yes) == true);
  for (const char* no : {"0", "f", "F", "FALSE", "false", "False"}) CHECK(parse_bool(no) == false);
  CHECK_FALSE(parse_bool("yes"));
  CHECK_FALSE(parse_bool("tRUE"));
  CHECK(parse_double("1.5e3") == 1500.0);
  CHECK(parse_double("-0.5") == -0.5);
  CHECK(std::isinf(*parse_double("Inf")));
  CHECK(std::isnan(*parse_double("NaN")));
  CHECK_FALSE(parse_double(""));
  CHECK_FALSE(parse_double("1.5x"));
}

TEST_CASE("doubles are written as Go writes them") {
  CHECK(format_double_g(1.5) == "1.5");
  CHECK(format_double_g(1e21) == "1e+21");
  CHECK(format_double_g(100000) == "100000");
  CHECK(format_double_f(1e21) == "1000000000000000000000");
  CHECK(quote("a\"b\n") == "\"a\\\"b\\n\"");
}

}  // namespace
}  // namespace dray::cel::number_text_test
