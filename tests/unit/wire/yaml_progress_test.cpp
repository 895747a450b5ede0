#include "wire/yaml/yaml_progress.h"

#include <catch2/catch.hpp>
#include <string>

#include "wire/yaml/yaml_json.h"

namespace dray::wire::yaml_progress_test {
namespace {

TEST_CASE(
    "what begins no value where a document begins is an error, and no documents without end") {
  struct Row {
    std::string text;
    TextPlace place;
  };
  const auto row = GENERATE(Row{",", {1, 1}}, Row{",,", {1, 1}}, Row{"a: 1\n---\n  , b\n", {3, 3}},
                            Row{"[a] , b\n", {1, 5}}, Row{"a\n...\n,", {3, 1}});
  CAPTURE(row.text);
  CHECK(endless_yaml(row.text) == row.place);
  const auto json = read_yaml(row.text);
  REQUIRE_FALSE(json);
  CHECK(json.error().line == row.place.line);
  const auto nodes = parse_yaml_documents(row.text);
  REQUIRE_FALSE(nodes);
  CHECK(nodes.error().message.ends_with(": a document cannot begin here"));
}

TEST_CASE("other texts come to an end") {
  for (const std::string text : {"", "# nothing\n", "---\n---\n---\n", "a: 1\n...\n---\nb\n",
                                 "a: [", "\"", "[1, 2]\n--- [3]\n", "- ,\n", "]", "{a: 1}\n}\n"}) {
    CAPTURE(text);
    CHECK(endless_yaml(text) == std::nullopt);
  }
}

}  // namespace
}  // namespace dray::wire::yaml_progress_test
