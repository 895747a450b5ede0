#include "dray/cluster/devices.h"

#include <memory>
#include <string>
#include <utility>

#include <catch2/catch.hpp>

namespace dray::devices_test {
namespace {

using cluster::CompiledScope;
using cluster::NodeFacts;
using cluster::Pool;
using cluster::PublishedSlice;

NodeFacts facts(const std::string& name) {
  NodeFacts made;
  made.name = NodeName(name);
  return made;
}

TEST_CASE("a scope is of one node, of all, or of those that its selector takes") {
  CompiledScope scope;
  CHECK_FALSE(scope.matches(facts("n1")).value());
  scope.scope.all_nodes = true;
  CHECK(scope.matches(facts("n1")).value());
  scope.scope.node_name = NodeName("n1");
  CHECK(scope.matches(facts("n1")).value());
  CHECK_FALSE(scope.matches(facts("n2")).value());
  scope.scope.node_name = NodeName("");
  CHECK(scope.matches(facts("n2")).value());
}

TEST_CASE("a selector that does not parse is an error, and only where it is asked") {
  CompiledScope scope;
  scope.scope.node_selector.emplace();
  scope.matcher_error = "why";
  REQUIRE_FALSE(scope.matches(facts("n1")));
  CHECK(scope.matches(facts("n1")).error().message == "why");
  scope.scope.node_name = NodeName("n1");
  CHECK(scope.matches(facts("n1")).value());
  scope.scope.node_name.reset();
  scope.scope.all_nodes = true;
  CHECK(scope.matches(facts("n1")).value());
}

TEST_CASE("the slots of one node stand together, those of no node first") {
  Pool pool;
  for (const std::string node : {"", "", "n1", "n10", "n10", "n3"}) {
    auto slice = std::make_shared<PublishedSlice>();
    if (!node.empty()) slice->scope.scope.node_name = NodeName(node);
    CHECK(slice->node_name() == node);
    pool.slots.push_back({.slice = std::move(slice), .use = nullptr});
  }
  using Slots = std::pair<std::size_t, std::size_t>;
  CHECK(pool.of_node("") == Slots{0, 2});
  CHECK(pool.of_node("n1") == Slots{2, 3});
  CHECK(pool.of_node("n10") == Slots{3, 5});
  CHECK(pool.of_node("n3") == Slots{5, 6});
  const auto [first, last] = pool.of_node("n2");
  CHECK(first == last);
  CHECK(Pool{}.of_node("n1") == Slots{0, 0});
}

}  // namespace
}  // namespace dray::devices_test
