#include "wire/json/utf8.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::wire::utf8_test {
namespace {

struct Row {
  std::string name;
  std::string text;
  std::string want;
};
const std::string bad = "\xef\xbf\xbd";

TEST_CASE("only valid sequences stay") {
  const auto row = GENERATE_COPY(
      Row{"valid", "aé€😀", "aé€😀"},
      Row{"lone byte",
          "a\xff"
          "b",
          "a" + bad + "b"},
      Row{"cut short", "\xe2\x82", bad + bad}, Row{"overlong", "\xc0\xaf", bad + bad},
      Row{"overlong of three", "\xe0\x80\xaf", bad + bad + bad},
      Row{"surrogate", "\xed\xa0\x80", bad + bad + bad},
      Row{"beyond the last", "\xf4\x90\x80\x80", bad + bad + bad + bad}, Row{"empty", "", ""});
  DYNAMIC_SECTION(row.name) {
    CHECK(with_valid_utf8(row.text) == row.want);
  }
}

}  // namespace
}  // namespace dray::wire::utf8_test
