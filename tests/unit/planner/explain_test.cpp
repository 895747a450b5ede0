#include "planner/place/explain.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::explain_test {

using namespace worlds;
namespace {

Refusal why(Parts& parts, const std::string& job, const BarredNodes& barred = {}) {
  NoRoom failure{.task = &parts.task(job), .among = parts.placer.fit().everywhere().nodes};
  failure.barred = barred;
  return parts.placer.why_not(failure);
}

TEST_CASE("the Reason is that of the node that came furthest, and all nodes are counted") {
  World world;
  world.node("a", 1);
  world.node("b", 2);
  world.node("c", 8, [](Node& node) { node.unschedulable = true; });
  world.node("d", 8, [](Node& node) {
    node.taints.push_back({.key = "k", .value = {}, .effect = "NoSchedule"});
  });
  world.running("r", "b", 0, 1, "a");
  world.waiting("p", 2, "a");
  Parts parts(world);
  const auto made = why(parts, "p");
  CHECK(made.reason == Reason::devices_in_use);
  CHECK(
      made.detail ==
      "wants 2 devices of class gpu on one node; the most that a node has left is 1 of 2: 1 in use "
      "(b); elsewhere: the node has a taint that the pod does not tolerate (1 node), the node is "
      "cordoned (1 node)");
}

TEST_CASE("nodes that kube-scheduler refused, and those that kept no word, are counted as such") {
  World world;
  world.node("a", 1);
  world.node("b", 1);
  world.waiting("p", 1, "a");
  world.input.refused = {{Uid("uid-p"), NodeName("a")}};
  Parts parts(world);
  const auto made = why(parts, "p", {{parts.node("b"), Reason::constraint}});
  CHECK(made.reason == Reason::constraint);
  CHECK(
      made.detail ==
      "devices that were there went to others of the job (1 node), kube-scheduler refused the node "
      "for this pod (1 node)");
}

TEST_CASE("a node with room is no reason") {
  World world;
  world.node("a", 2);
  world.node("b", 1);
  world.waiting("p", 2, "a");
  Parts parts(world);
  CHECK(why(parts, "p").detail.find("2 nodes") == std::string::npos);
  CHECK(why(parts, "p").reason == Reason::no_devices);
  world.waiting("q", 1, "a");
  Parts again(world);
  CHECK(why(again, "q").reason == Reason::no_node_fits);
  CHECK(why(again, "q").detail.empty());
}

TEST_CASE("what was said of a pod is said of others like it, until a node changes") {
  World world;
  world.node("a", 2);
  world.node("b", 1);
  world.running("r", "a", 0, 1, "a");
  world.waiting("p", 2, "a");
  world.waiting("q", 2, "a");
  world.waiting("more", 3, "a");
  world.waiting("one", 1, "a");
  Parts parts(world);
  const auto said = why(parts, "p");
  CHECK(said.detail.find("1 of 2") != std::string::npos);
  CHECK(why(parts, "q").detail == said.detail);
  CHECK(why(parts, "more").detail != said.detail);
  NoRoom elsewhere{.task = &parts.task("q"), .among = parts.nodes({"b"}).nodes};
  CHECK(parts.placer.why_not(elsewhere).detail != said.detail);
  CHECK(why(parts, "q").detail == said.detail);
  const std::uint32_t chunk[] = {0};
  REQUIRE(parts.placer.place(parts.job("one"), chunk, parts.nodes({"a"}), Room::idle));
  CHECK(why(parts, "q").detail != said.detail);
}

TEST_CASE("room that others are releasing is still in use") {
  World world;
  world.node("a", 1);
  world.running("r", "a", 0, 1, "a");
  world.waiting("p", 1, "a");
  Parts parts(world);
  parts.overlay.evict(parts.job("r"), parts.task("r"));
  CHECK(why(parts, "p").reason == Reason::devices_in_use);
}

TEST_CASE("what the budget ended is being planned") {
  World world;
  world.node("a", 1);
  world.waiting("p", 2, "a");
  world.input.budget.nodes_tried = 0;
  Parts parts(world);
  CHECK_FALSE(parts.placer.fit().may_try());
  CHECK(why(parts, "p").reason == Reason::planning);
}

}  // namespace
}  // namespace dray::planner::explain_test
