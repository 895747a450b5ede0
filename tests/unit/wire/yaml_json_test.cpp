#include "wire/yaml/yaml_json.h"

#include <string>
#include <vector>

#include <catch2/catch.hpp>

namespace dray::wire::yaml_json_test {
namespace {

struct Row {
  std::string yaml;
  std::string json;  ///< or the error
};

std::string outcome(const std::string& yaml) {
  const auto json = yaml_to_json(yaml);
  return json ? *json : json.error().message;
}

TEST_CASE("one document as JSON") {
  const auto row = GENERATE(
      Row{"a: 1\nb: \"1\"\nc: '2'\nd: |\n  x\n  y\n", R"({"a":1,"b":"1","c":"2","d":"x\ny\n"})"},
      Row{"[a, {b: ~}, yes, !!str 5]", R"(["a",{"b":null},true,"5"])"}, Row{"", "null"},
      Row{"# nothing\n---\n", "null"}, Row{"1: x\ntrue: z", R"({"1":"x","true":"z"})"},
      Row{"a: &x {b: 1}\nc: *x", R"({"a":{"b":1},"c":{"b":1}})"}, Row{"\"<<\": 1", R"({"<<":1})"},
      Row{"a: 1\nb: 2\na: 3", "line 3: key \"a\" is set twice"},
      Row{"a: &x {b: 1}\nc:\n  <<: *x",
          "line 3: merge keys (<<) are not supported; write the fields out"},
      Row{"? [a]\n: b", "line 1: a key must be a plain text"},
      Row{"a: 1\n---\nb: 2", "line 3: expected one document"});
  DYNAMIC_SECTION(row.yaml) {
    CHECK(outcome(row.yaml) == row.json);
  }
}

TEST_CASE("the parser's own complaints come with their line") {
  CHECK(outcome("a: 1\nb: c: d").starts_with("line 2: "));
  CHECK(outcome("a:\n\t- b").starts_with("line 2: "));
  CHECK(outcome("a: [").starts_with("line 1: "));
}

TEST_CASE("aliases cannot describe a huge or an endless document") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const auto last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int j = 1; j < 10; ++j) bomb += ", " + last;
    bomb += "]\n";
  }
  CHECK(outcome(std::string(5000, '[')).starts_with("line "));
  CHECK(outcome(bomb).find("aliases (*) make") != std::string::npos);
  CHECK(outcome("a: &a [*a]\n").find("aliases (*) make") != std::string::npos);
  const auto nested = "a: &a [*a]\n" + std::string(1000, '#') + "\n";
  CHECK(outcome(nested).find("nested deeper than 500") != std::string::npos);
  std::string large = "a: &a " + std::string(20'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 10'000; ++i) large += ", *a";
  CHECK(outcome(large + "]\n").find("aliases (*) make") != std::string::npos);
}

TEST_CASE("documents and the items of lists know their lines") {
  const auto documents =
      read_yaml("---\n# empty\n---\na: 1\n---\nkind: List\nitems:\n- x: 1\n\n- y: 2\n");
  REQUIRE(documents);
  REQUIRE(documents->size() == 2);
  CHECK(documents->at(0).line == 4);
  CHECK(documents->at(1).line == 6);
  CHECK(documents->at(1).item_lines == std::vector<int>{8, 10});
}

TEST_CASE("the line of a path, or of what is there of it") {
  const std::string yaml =
      "a: 1\n---\nspec:\n  devices:\n  - name: x\n  - name: y\n    z: {q: 1}\n";
  CHECK(line_of(yaml, 1, {{"spec"}, {"devices"}, {"", 1}, {"z"}, {"q"}}) == 7);
  CHECK(line_of(yaml, 1, {{"spec"}, {"devices"}, {"", 1}, {"absent"}}) == 6);
  CHECK(line_of(yaml, 1, {}) == 3);
  CHECK(line_of("[", 0, {}) == 0);
}

}  // namespace
}  // namespace dray::wire::yaml_json_test
