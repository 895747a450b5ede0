#include "wire/json/first_value.h"

#include <string>

#include <catch2/catch.hpp>

namespace dray::wire::first_value_test {
namespace {

struct Row {
  std::string text;
  std::string want;
};

TEST_CASE("the first value ends where its bracket closes") {
  const auto row =
      GENERATE(Row{R"({"a":[1,{}]} {"b":2})", R"({"a":[1,{}]})"}, Row{"[1]\n", "[1]"},
               Row{R"({"a":"}]\"}"}x)", R"({"a":"}]\"}"})"}, Row{R"({"a":)", R"({"a":)"},
               Row{R"({"a":"b\)", R"({"a":"b\)"}, Row{"} {}", "}"}, Row{"", ""});
  DYNAMIC_SECTION(row.text) {
    CHECK(first_value(row.text) == row.want);
  }
}

}  // namespace
}  // namespace dray::wire::first_value_test
