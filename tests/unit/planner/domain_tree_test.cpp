#include "planner/place/domain_tree.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::domain_tree_test {

using namespace worlds;
namespace {

Edit<Node> at(const std::string& zone, const std::string& rack) {
  return [=](Node& node) {
    if (!zone.empty()) node.meta.labels["zone"] = zone;
    if (!rack.empty()) node.meta.labels["rack"] = rack;
  };
}

TEST_CASE("nodes belong to domains down to the first label that they lack") {
  World world;
  world.node("a", 1, at("z1", "r1"));
  world.node("b", 1, at("z1", "r2"));
  world.node("c", 1, at("z1", ""));
  world.node("d", 1, at("z2", "r1"));
  world.node("e", 1, at("", "r1"));
  Parts parts(world);
  const DomainTree tree(*parts.input.snapshot, {"zone", "rack"}, parts.overlay.nodes().by_name());
  std::vector<std::string> found;
  for (const auto& domain : tree.domains()) {
    std::string text = std::to_string(domain.level) + " " + domain.value + ":";
    for (const auto node : domain.nodes) text += parts.name(node);
    found.push_back(text);
  }
  // Racks of one name in two zones are two.
  CHECK(found ==
        std::vector<std::string>{"0 :abcd", "1 z1:abc", "2 r1:a", "2 r2:b", "1 z2:d", "2 r1:d"});
  CHECK(tree.domains()[0].children == std::vector<std::size_t>{1, 4});
  CHECK(tree.domains()[1].children == std::vector<std::size_t>{2, 3});
  CHECK(tree.domains()[5].parent == 4U);
  CHECK_FALSE(tree.domains()[0].parent);
}

TEST_CASE("without levels there are no nodes in it") {
  World world;
  world.node("a", 1, at("z1", "r1"));
  Parts parts(world);
  const DomainTree tree(*parts.input.snapshot, {}, parts.overlay.nodes().by_name());
  REQUIRE(tree.domains().size() == 1);
  CHECK(tree.domains()[0].nodes.empty());
}

}  // namespace
}  // namespace dray::planner::domain_tree_test
