#include "dray/base/quantity.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <catch2/catch.hpp>

namespace dray::quantity_test {
namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();
constexpr auto least = std::numeric_limits<std::int64_t>::min();

Quantity quantity(const std::string& text) {
  return Quantity::parse(text).value();
}

TEST_CASE("whole units and thousandths, rounded up") {
  struct Row {
    std::string text;
    std::int64_t value;
    std::int64_t milli;
  };
  const auto row = GENERATE(Row{"200m", 1, 200}, Row{"-200m", -1, -200}, Row{"1.0001", 2, 1001},
                            Row{"40Gi", 42949672960, 42949672960000}, Row{"1n", 1, 1},
                            Row{"0", 0, 0}, Row{"1e18", 1'000'000'000'000'000'000, most},
                            Row{"1e30", most, most}, Row{"-99999999999999999999", least, least},
                            Row{"-0.3Ki", -308, -307200}, Row{"16Ei", most, most});
  DYNAMIC_SECTION(row.text) {
    CHECK(quantity(row.text).value() == row.value);
    CHECK(quantity(row.text).milli_value() == row.milli);
  }
}

TEST_CASE("exact amounts or none") {
  using Maybe = std::optional<std::int64_t>;
  struct Row {
    std::string text;
    Maybe upstream;  ///< as_int64
    Maybe units;
    Maybe milli;
  };
  const auto row = GENERATE(Row{"5", 5, 5, 5000}, Row{"1000m", {}, 1, 1000}, Row{"0.0", {}, 0, 0},
                            Row{"1.5Ki", {}, 1536, 1536000}, Row{"1Ki", 1024, 1024, 1024000},
                            Row{"1u", {}, {}, {}}, Row{"1.5", {}, {}, 1500},
                            Row{"9223372036854775807", {}, most, {}}, Row{"1e19", {}, {}, {}},
                            Row{"9E", 9'000'000'000'000'000'000, 9'000'000'000'000'000'000, {}});
  DYNAMIC_SECTION(row.text) {
    CHECK(quantity(row.text).as_int64() == row.upstream);
    CHECK(quantity(row.text).exact_units() == row.units);
    CHECK(quantity(row.text).exact_milli() == row.milli);
  }
}

TEST_CASE("sums and differences are exact and keep the form") {
  struct Row {
    std::string a;
    std::string b;
    std::string sum;
    std::string difference;
  };
  const auto row =
      GENERATE(Row{"1", "1", "2", "0"}, Row{"1500m", "0.5", "2", "1"},
               Row{"1Gi", "1", "1073741825", "1073741823"}, Row{"0", "1Gi", "1Gi", "-1Gi"},
               Row{"1Gi", "1G", "2073741824", "73741824"},
               Row{"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
               Row{"1e30", "1n", "1000000000000000000000000000000000000001e-9",
                   "999999999999999999999999999999999999999e-9"});
  DYNAMIC_SECTION(row.a << " and " << row.b) {
    CHECK((quantity(row.a) + quantity(row.b)).to_string() == row.sum);
    CHECK((quantity(row.a) - quantity(row.b)).to_string() == row.difference);
  }
}

TEST_CASE("products are exact and keep the form of the first") {
  struct Row {
    std::string a;
    std::string b;
    std::string product;
  };
  const auto row =
      GENERATE(Row{"15", "1", "15"}, Row{"1Gi", "2", "2Gi"}, Row{"250m", "4", "1"},
               Row{"-1500m", "0.5", "-750m"}, Row{"0", "-3", "0"}, Row{"-2", "-3", "6"},
               Row{"4", "500m", "2"}, Row{"99999999999", "99999999999", "9999999999800000000001"});
  DYNAMIC_SECTION(row.a << " times " << row.b) {
    auto product = quantity(row.a);
    CHECK((product *= quantity(row.b)).to_string() == row.product);
  }
}

TEST_CASE("upstream's difference with the smallest int64 wraps to a sum") {
  CHECK((Quantity(5) - Quantity(least)).to_decimal() == "-9223372036854775803");
}

TEST_CASE("order is by amount") {
  struct Row {
    std::string smaller;
    std::string larger;
  };
  const auto row = GENERATE(
      Row{"-1", "0"}, Row{"999m", "1"}, Row{"1G", "1Gi"}, Row{"1", "1e5000"}, Row{"-1e5000", "-1n"},
      Row{"9223372036854775807", "9223372036854775808"}, Row{"1n", "1E"}, Row{"8E", "8Ei"});
  DYNAMIC_SECTION(row.smaller << " < " << row.larger) {
    CHECK(quantity(row.smaller) < quantity(row.larger));
    CHECK(quantity(row.larger) > quantity(row.smaller));
    CHECK(quantity(row.smaller) != quantity(row.larger));
  }
  CHECK(quantity("1") == quantity("1000m"));
  CHECK(quantity("1.5Ki") == quantity("1536"));
  CHECK(Quantity::from_milli(1500) == quantity("1.5"));
}

TEST_CASE("approximate doubles") {
  CHECK(quantity("1.5").as_approximate_double() == 1.5);
  CHECK(quantity("1.5Gi").as_approximate_double() == 1610612736.0);
  CHECK(quantity("9223372036854775808").as_approximate_double() == 9223372036854775808.0);
  CHECK(quantity("1e400").as_approximate_double() == std::numeric_limits<double>::infinity());
  CHECK(quantity("-1n").as_approximate_double() == -1e-9);
}

}  // namespace
}  // namespace dray::quantity_test
