#include "app/doctor/tree.h"

#include <catch2/catch.hpp>

namespace dray::app::tree_test {
namespace {

Tree tree(std::string_view text) {
  auto read = read_tree(text);
  REQUIRE(read);
  return *std::move(read);
}

struct Row {
  std::string name;
  std::string want;
  std::string have;
  std::string differs;  ///< empty: alike
};

}  // namespace

TEST_CASE("what an object says other than its manifest") {
  const auto row = GENERATE(values<Row>({
      {"alike, in YAML and JSON", "a: {b: [x, 1, true]}", R"({"a":{"b":["x",1,true]}})", ""},
      {"another value", "a: {b: x}", R"({"a":{"b":"y"}})", R"(o.a.b is "y", not "x")"},
      {"a text and a number", "a: '1'", R"({"a":1})", R"(o.a is 1, not "1")"},
      {"a member is gone", "{a: x, b: y}", R"({"b":"y"})", "o.a is missing"},
      {"an empty member is gone", "{a: {}, b: z}", R"({"b":"z"})", ""},
      {"an item is gone", "a: [x, y]", R"({"a":["x"]})", "o.a has 1 items, not 2"},
      {"an item was added", "a: [x]", R"({"a":["x","z"]})", "o.a has 2 items, not 1"},
      {"an item is another", "a: [x, v]", R"({"a":["x","z"]})", R"(o.a[1] is "z", not "v")"},
      {"the order of items", "a: [x, v]", R"({"a":["v","x"]})", R"(o.a[0] is "v", not "x")"},
      {"the order of members is no matter", "{a: x, b: v}", R"({"b":"v","a":"x"})", ""},
      {"a member was added", "a: x", R"({"a":"x","c":{"d":1}})", "o.c was added: an object"},
      {"an empty member was added", "a: x", R"({"a":"x","c":{}})", ""},
      {"a default of the API server's", "a: x", R"({"a":"x","matchPolicy":"Equivalent"})", ""},
      {"another value than the default", "a: x", R"({"a":"x","matchPolicy":"Exact"})",
       R"(o.matchPolicy was added: "Exact")"},
      {"a list instead of a text", "a: x", R"({"a":["x"]})", R"(o.a is a list of 1, not "x")"},
      {"long texts that differ at their ends", "a: " + std::string(100, 'x') + "1",
       R"({"a":")" + std::string(100, 'x') + R"(2"})", "o.a is another text"},
  }));
  DYNAMIC_SECTION(row.name) {
    CHECK(difference(tree(row.want), tree(row.have), "o").value_or("") == row.differs);
  }
}

TEST_CASE("values by their path") {
  const auto object = tree(R"({"a":{"b":"x","t":true,"s":"true","l":[1,2]}})");
  CHECK(text_at(object, {"a", "b"}) == "x");
  CHECK(text_at(object, {"a", "none"}).empty());
  CHECK(text_at(object, {"a"}).empty());
  CHECK(true_at(object, {"a", "t"}));
  CHECK(!true_at(object, {"a", "s"}));
  CHECK(items_at(object, {"a", "l"}).size() == 2);
  CHECK(items_at(object, {"a", "b"}).empty());
}

TEST_CASE("texts that are no YAML, or several documents, are errors with a place") {
  CHECK(read_tree("a: [").error().message.starts_with("line "));
  CHECK(!read_tree("a: 1\n---\nb: 2\n"));
  CHECK(read_trees("a: 1\n---\n---\nb: 2\n")->size() == 2);
  CHECK(read_tree("")->kind == Tree::Kind::null);
}

}  // namespace dray::app::tree_test
