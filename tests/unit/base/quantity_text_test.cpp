#include <string>

#include <catch2/catch.hpp>

#include "dray/base/quantity.h"

namespace dray::quantity_text_test {
namespace {

struct Row {
  std::string text;
  std::string canonical;
};

TEST_CASE("quantities print in upstream's canonical form") {
  const auto row = GENERATE(
      Row{"0.0", "0"}, Row{"0Ki", "0"}, Row{"1000", "1k"}, Row{"1500m", "1500m"},
      Row{"1.5", "1500m"}, Row{"1000m", "1"}, Row{"100e3", "100e3"}, Row{"1E3", "1e3"},
      Row{"10e1", "100"}, Row{"1e-1", "100e-3"}, Row{"1024Ki", "1Mi"}, Row{"40Gi", "40Gi"},
      Row{"1.5Gi", "1536Mi"}, Row{"-1.5Gi", "-1536Mi"}, Row{"0.5Ki", "512"}, Row{"62.5Ki", "64000"},
      Row{"1000Ki", "1000Ki"}, Row{"1023.5Ki", "1048064"}, Row{"1.0001Ki", "1024102400u"},
      Row{"16Ei", "9223372036854775807"}, Row{"123456n", "123456n"}, Row{"-0.1n", "-1n"},
      Row{"999999999999999999999", "999999999999999999999"}, Row{"1e20", "100e18"},
      Row{"100000000000000000000", "100E"},
      // Beyond the largest suffix upstream prints no suffix at all.
      Row{"1000000000000000000000", "1"});
  DYNAMIC_SECTION(row.text) {
    CHECK(Quantity::parse(row.text)->to_string() == row.canonical);
  }
}

TEST_CASE("plain decimals") {
  const auto row = GENERATE(Row{"40Gi", "42949672960"}, Row{"1500m", "1.5"}, Row{"-5m", "-0.005"},
                            Row{"1e59", "1" + std::string(59, '0')}, Row{"1e60", "1e60"},
                            Row{"-12e100", "-12e100"}, Row{"0", "0"});
  DYNAMIC_SECTION(row.text) {
    CHECK(Quantity::parse(row.text)->to_decimal() == row.canonical);
  }
}

}  // namespace
}  // namespace dray::quantity_text_test
