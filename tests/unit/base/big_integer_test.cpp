#include "base/big_integer.h"

#include <cstdint>
#include <limits>
#include <string>

#include <catch2/catch.hpp>

namespace dray::big_integer_test {
namespace {

BigInteger big(std::string text) {
  const bool negative = text.starts_with('-');
  return BigInteger::from_digits(negative ? text.substr(1) : text, negative);
}
std::string text(const BigInteger& value) {
  return (value.sign() < 0 ? "-" : "") + value.digits();
}

struct Row {
  std::string a;
  std::string b;
  std::string sum;
};

TEST_CASE("sums carry and borrow over limbs and signs") {
  const auto row = GENERATE(Row{"0", "0", "0"}, Row{"999999999", "1", "1000000000"},
                            Row{"999999999999999999999999999", "1", "1000000000000000000000000000"},
                            Row{"1000000000000000000", "-1", "999999999999999999"},
                            Row{"-1000000000000000000", "1", "-999999999999999999"},
                            Row{"5", "-1000000000000000005", "-1000000000000000000"},
                            Row{"-7", "-1000000000", "-1000000007"},
                            Row{"123456789123456789", "-123456789123456789", "0"});
  DYNAMIC_SECTION(row.a << " + " << row.b) {
    auto sum = big(row.a);
    sum += big(row.b);
    CHECK(text(sum) == row.sum);
    CHECK((big(row.a) <=> big(row.b)) == (big(row.b).negated() <=> big(row.a).negated()));
  }
}

TEST_CASE("scaling by powers of ten") {
  CHECK(text(big("12").scale_up(20)) == "1200000000000000000000");
  CHECK(text(big("0").scale_up(20)) == "0");

  struct Down {
    std::string value;
    std::uint32_t places;
    std::string want;
    bool exact;
  };
  const auto row = GENERATE(Down{"1200000000000000000000", 20, "12", true},
                            Down{"1200000000000000000001", 20, "13", false},
                            Down{"-1200000000000000000001", 20, "-13", false},
                            Down{"1", 4'000'000'000, "1", false}, Down{"-1", 9, "-1", false},
                            Down{"0", 9, "0", true}, Down{"999999999", 9, "1", false});
  DYNAMIC_SECTION(row.value << " / 10^" << row.places) {
    auto value = big(row.value);
    CHECK(value.scale_down(row.places) == row.exact);
    CHECK(text(value) == row.want);
  }
}

TEST_CASE("small factors and divisors") {
  auto value = big("9223372036854775807");
  value *= 1U << 20;
  CHECK(text(value) == "9671406556917033396600832");
  CHECK(value.divide(1U << 20) == 0);
  CHECK(text(value) == "9223372036854775807");
  CHECK(value.divide(1024) == 1023);
}

TEST_CASE("int64 at its limits") {
  const auto least = std::numeric_limits<std::int64_t>::min();
  CHECK(text(BigInteger(least)) == "-9223372036854775808");
  CHECK(BigInteger(least).to_int64() == least);
  CHECK(big("9223372036854775807").to_int64() == std::numeric_limits<std::int64_t>::max());
  CHECK_FALSE(big("9223372036854775808").to_int64());
  CHECK_FALSE(big("-9223372036854775809").to_int64());
  CHECK_FALSE(big("1000000000000000000000000000000000000").to_int64());
}

}  // namespace
}  // namespace dray::big_integer_test
