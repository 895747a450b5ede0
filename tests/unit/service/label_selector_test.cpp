#include "service/label_selector.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace dray::service::label_selector_test {
namespace {

TEST_CASE("a label selector means what it means to kubectl") {
  struct Row {
    std::string text;
    Labels labels;
    bool want;
  };
  const auto row = GENERATE(values<Row>({
      {"", {}, true},
      {"pool=blue", {{"pool", "blue"}}, true},
      {"pool==blue", {{"pool", "blue"}}, true},
      {"pool=blue", {{"pool", "red"}}, false},
      {"pool=blue", {}, false},
      {"pool!=blue", {}, true},
      {"pool!=blue", {{"pool", "blue"}}, false},
      {"zone in (a, b), pool=blue", {{"zone", "b"}, {"pool", "blue"}}, true},
      {"zone in (a, b), pool=blue", {{"zone", "c"}, {"pool", "blue"}}, false},
      {"zone notin (a,b)", {{"zone", "c"}}, true},
      {"zone notin (a,b)", {}, true},
      {"zone notin (a,b)", {{"zone", "a"}}, false},
      {"example.com/gpu", {{"example.com/gpu", ""}}, true},
      {"example.com/gpu", {}, false},
      {"!spot", {}, true},
      {"!spot", {{"spot", "true"}}, false},
      {"pool=", {{"pool", ""}}, true},
  }));
  CAPTURE(row.text, row.labels);
  const auto selector = parse_label_selector(row.text);
  REQUIRE(selector);
  CHECK(selector->matches(row.labels) == row.want);
}

TEST_CASE("what is no label selector is an error that says what one is") {
  const auto text = GENERATE("pool=blue,", "=blue", "zone in", "zone of (a)", "zone in (a", "a b",
                             "pool=bl*e", "!", "(a)");
  CAPTURE(text);
  const auto selector = parse_label_selector(text);
  REQUIRE_FALSE(selector);
  CHECK(selector.error().message.contains("KEY in (A, B)"));
}

}  // namespace
}  // namespace dray::service::label_selector_test
