#include <string>

#include <catch2/catch.hpp>

#include "dray/base/quantity.h"

namespace dray::quantity_parse_test {
namespace {

const std::string wrong_format =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const std::string wrong_number = "unable to parse numeric part of quantity";
const std::string wrong_suffix = "unable to parse quantity's suffix";
const std::string too_large = "quantities of 10^10000 and more are not supported";

struct Row {
  std::string text;
  std::string want;  ///< to_decimal() or the error
};

TEST_CASE("quantities are read as apimachinery reads them") {
  const auto row = GENERATE_COPY(
      Row{"0", "0"}, Row{"1", "1"}, Row{"+1", "1"}, Row{"-1", "-1"}, Row{"1.", "1"},
      Row{".5", "0.5"}, Row{".", "0"}, Row{"-", "0"}, Row{"+", "0"}, Row{"k", "0"}, Row{"Ki", "0"},
      Row{"007", "7"}, Row{"40Gi", "42949672960"}, Row{"1.5Gi", "1610612736"}, Row{"1500m", "1.5"},
      Row{"12e6", "12000000"}, Row{"12E6", "12000000"}, Row{"12E", "12000000000000000000"},
      Row{"1e-3", "0.001"}, Row{"1E+2", "100"}, Row{"1u", "0.000001"}, Row{"1n", "0.000000001"},
      Row{"0.1n", "0.000000001"}, Row{"-0.1n", "-0.000000001"}, Row{"1.0000000001", "1.000000001"},
      Row{"1e-5000", "0.000000001"}, Row{"0e-5000", "0"}, Row{"0e5000", "0"},
      Row{"7Ei", "8070450532247928832"}, Row{"8Ei", "9223372036854775807"},
      Row{"-16Ei", "-9223372036854775807"}, Row{"9223372036854775808", "9223372036854775808"},
      Row{"99999999999999999999", "99999999999999999999"}, Row{"1e1000", "1e1000"},
      Row{"1e4294967299", "1000"}, Row{"1e-2147483647", "0.000000001"});
  DYNAMIC_SECTION(row.text) {
    const auto quantity = Quantity::parse(row.text);
    REQUIRE(quantity);
    CHECK(quantity->to_decimal() == row.want);
  }
}

TEST_CASE("bad quantities are answered with upstream's texts") {
  const auto row = GENERATE_COPY(
      Row{"", wrong_format}, Row{" 1", wrong_format}, Row{"1 ", wrong_format},
      Row{"1.2.3", wrong_format}, Row{"--1", wrong_suffix}, Row{"1,5", wrong_format},
      Row{"0x10", wrong_format}, Row{"1Gb", wrong_format}, Row{"1\xff", wrong_format},
      Row{"K", wrong_suffix}, Row{"1e", wrong_suffix}, Row{"1.5e", wrong_suffix},
      Row{"1Kii", wrong_suffix}, Row{"1i", wrong_suffix}, Row{"1e+", wrong_suffix},
      Row{"1ee3", wrong_suffix}, Row{"1m3", wrong_suffix},
      Row{"1e99999999999999999999", wrong_suffix}, Row{"Ei", wrong_number},
      Row{"-.Ei", wrong_number}, Row{"Pi", wrong_number}, Row{"1e2147483648", too_large},
      Row{"1e2147483647", too_large}, Row{"1.5e-2147483648", too_large}, Row{"1e10000", too_large});
  DYNAMIC_SECTION(row.text) {
    const auto quantity = Quantity::parse(row.text);
    REQUIRE_FALSE(quantity);
    CHECK(quantity.error().message == row.want);
    CHECK(quantity.error().code == ErrorCode::invalid);
  }
}

TEST_CASE("a megabyte of digits is refused at once") {
  CHECK(Quantity::parse(std::string(1'000'000, '9')).error().message == too_large);
  CHECK(Quantity::parse("0." + std::string(1'000'000, '9')).error().message == too_large);
}

TEST_CASE("the form of the text stays") {
  CHECK(Quantity::parse("1Gi")->format() == Quantity::Format::binary_si);
  CHECK(Quantity::parse("1G")->format() == Quantity::Format::decimal_si);
  CHECK(Quantity::parse("1e3")->format() == Quantity::Format::decimal_exponent);
  CHECK(Quantity::parse("0.0001Ki")->format() == Quantity::Format::decimal_si);
}

}  // namespace
}  // namespace dray::quantity_parse_test
