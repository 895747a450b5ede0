#include "cel/value/value_text.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/answer.h"

namespace dray::cel::value_text_test {
namespace {

struct Row {
  std::string name;
  std::string text;  ///< as an explanation shows it, and as it can be written back
};

TEST_CASE("a value reads as the expression that gives it") {
  const auto row = GENERATE(
      Row{"null", "null"}, Row{"bool", "false"}, Row{"int", "-5"}, Row{"uint", "5u"},
      Row{"double", "1.5"}, Row{"whole double", "2.0"}, Row{"large double", "1e+21"},
      Row{"no number", R"(double("NaN"))"}, Row{"endless", R"(double("-Inf"))"},
      Row{"string", R"("a\"b\n\\é")"}, Row{"bytes", R"(b"a\"\\\x0a\xff\xc3\xa9")"},
      Row{"empty list", "[]"}, Row{"list", "[1, 2]"}, Row{"list of lists", "[[1], []]"},
      Row{"empty map", "{}"}, Row{"map", R"({"a": {1: true}, "b": {}})"}, Row{"type", "int"},
      Row{"duration", R"(duration("5400s"))"}, Row{"a part of a second", R"(duration("0.5s"))"},
      Row{"timestamp", R"(timestamp("2020-01-02T03:04:05Z"))"}, Row{"none", "optional.none()"},
      Row{"optional", "optional.of(optional.of(1))"}, Row{"quantity", R"(quantity("40Gi"))"},
      Row{"semver", R"(semver("1.2.3-rc.1+b"))"}, Row{"ip", R"(ip("10.0.0.1"))"},
      Row{"cidr", R"(cidr("10.0.0.0/8"))"}, Row{"url", R"(url("https://a.io/b?c=d"))"},
      Row{"format", "format.dns1123Label()"});
  DYNAMIC_SECTION(row.name) {
    CHECK(answer(row.text).value == row.text);
  }
}

TEST_CASE("an error reads as its message") {
  CHECK(answer("1 / 0").value == "division by zero");
  CHECK(answer("{'a': 1}.b").value == "no such key: b");
}

TEST_CASE("long lists and maps are cut behind sixteen elements") {
  CHECK(answer("lists.range(16)").value ==
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]");
  CHECK(answer("lists.range(17)").value ==
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, …]");
  const std::string map = answer("lists.range(17).transformMapEntry(i, v, {i: 'x'})").value;
  CHECK(map.starts_with(R"({0: "x", 1: "x", )"));
  CHECK(map.ends_with(R"(15: "x", …})"));
  CHECK(answer("lists.range(16).transformMapEntry(i, v, {i: 'x'})").value.ends_with(R"(15: "x"})"));
}

}  // namespace
}  // namespace dray::cel::value_text_test
