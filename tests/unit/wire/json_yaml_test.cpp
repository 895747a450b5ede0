#include "wire/yaml/json_yaml.h"

#include <catch2/catch.hpp>

#include "wire/yaml/yaml_json.h"

namespace dray::json_yaml_test {

namespace {

struct Row {
  const char* name;
  const char* json;
  const char* yaml;
};

}  // namespace

TEST_CASE("JSON becomes block YAML that reads as the same JSON") {
  const auto row = GENERATE(
      Row{"members in their order", R"({"b":1,"a":"x"})", "b: 1\na: x\n"},
      Row{"nested", R"({"a":{"b":[1,{"c":true,"d":null}]}})",
          "a:\n  b:\n  - 1\n  - c: true\n    d: null\n"},
      Row{"empty ones", R"({"a":{},"b":[]})", "a: {}\nb: []\n"},
      Row{"strings that look like something else", R"({"a":"yes","b":"1","c":"x: y","d":""})",
          "a: \"yes\"\nb: \"1\"\nc: \"x: y\"\nd: \"\"\n"},
      Row{"a list of lists", R"([[1,2],["x"]])", "- - 1\n  - 2\n- - x\n"});
  DYNAMIC_SECTION(row.name) {
    const auto yaml = wire::json_to_yaml(row.json);
    CHECK(yaml == row.yaml);
    const auto back = wire::yaml_to_json(yaml);
    REQUIRE(back);
    CHECK(*back == row.json);
  }
}

TEST_CASE("what is no JSON stays as it is") {
  CHECK(wire::json_to_yaml("{no") == "{no");
}

}  // namespace dray::json_yaml_test
