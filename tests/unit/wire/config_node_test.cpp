#include "wire/yaml/config_node.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::wire::config_node_test {

TEST_CASE("YAML values know their place") {
  const auto root = parse_yaml("a: 1\nlist:\n  - {b: \"true\"}\n  - ~\n");
  REQUIRE(root);
  CHECK(root->kind == ConfigNode::Kind::map);
  REQUIRE(root->find("a") != nullptr);
  CHECK(root->find("a")->text == "1");
  CHECK(root->find("a")->place == TextPlace{1, 4});
  CHECK_FALSE(root->find("a")->quoted);
  CHECK(root->members[1].place == TextPlace{2, 1});
  const auto& list = root->members[1].value;
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].find("b")->quoted);
  CHECK(list.items[1].kind == ConfigNode::Kind::null);
  CHECK(root->find("c") == nullptr);
}

TEST_CASE("a key that is there twice is kept, for who checks the form") {
  const auto root = parse_yaml("a: 1\na: 2\n");
  REQUIRE(root);
  CHECK(root->members.size() == 2);
}

TEST_CASE("what is no document of values says where") {
  struct Row {
    std::string name, text, want;
  };
  const auto row = GENERATE(values<Row>({
      {"an open bracket", "a: [1\nb: 2\n", "2:"},
      {"a tab", "a:\n\t- 1\n", "2:2: illegal block entry"},
      {"two documents", "a: 1\n---\nb: 2\n", "a second document; expected one"},
      {"a list as a key", "[1, 2]: 3\n", "1:1: expected a word as the key"},
  }));
  DYNAMIC_SECTION(row.name) {
    const auto root = parse_yaml(row.text);
    REQUIRE_FALSE(root);
    CHECK_THAT(root.error().message, Catch::Contains(row.want));
  }
}

TEST_CASE("repetitions through anchors end") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i <= 8; ++i) {
    const auto before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  const auto root = parse_yaml(text);
  REQUIRE_FALSE(root);
  CHECK_THAT(root.error().message, Catch::Contains("more than 200000 values"));
}

TEST_CASE("a tree that is in itself, and a text that aliases make large, are errors") {
  const auto endless = parse_yaml("queues: &a [*a]\n");
  REQUIRE_FALSE(endless);
  CHECK_THAT(endless.error().message, Catch::Contains("1:9: nested deeper than 500"));
  std::string large = "a: &a " + std::string(20'000, 'x') + "\nb: [*a";
  for (int i = 0; i < 10'000; ++i) large += ", *a";
  const auto root = parse_yaml(large + "]\n");
  REQUIRE_FALSE(root);
  CHECK_THAT(root.error().message,
             Catch::Contains("aliases (*) make the text far larger than it is"));
}

TEST_CASE("an empty file is null") {
  const auto root = parse_yaml("# nothing\n");
  REQUIRE(root);
  CHECK(root->kind == ConfigNode::Kind::null);
}

}  // namespace dray::wire::config_node_test
