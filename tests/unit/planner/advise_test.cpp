#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

// Planner::advise: what a pod may be told of nodes by who does not choose its devices.

namespace dray::planner::advise_test {

using namespace worlds;
namespace {

/// `n0:2 n1:-`: each node's rank, or that it will not do; and the best one's devices.
std::string advice(World& world, const std::string& job) {
  auto input = world.make_input();
  const std::vector<NodeName> nodes{NodeName("n0"), NodeName("n1"), NodeName("n2")};
  input.only = nodes;
  auto options = world.options;
  options.mode = alloc::Mode::predicted;
  Planner planner(options);
  const auto uid = Uid("uid-" + job);
  const auto made = planner.advise(input, uid, input.jobs.find(uid)->first().meta.uid);
  std::string text;
  for (std::size_t i = 0; i < made.nodes.size(); ++i) {
    const auto& said = made.nodes[i];
    text += (*input.only)[i].get() + ":" +
            (said.reason == Reason::none ? std::to_string(said.rank) : std::string("-")) + " ";
  }
  if (!made.placement) return text + "nothing";
  text += made.placement->node.get();
  for (const auto& device : made.placement->claims.at(0).allocation.devices) {
    text += " " + device.device.device.get();
  }
  return text;
}

World three_nodes() {
  World world;
  for (const auto* name : {"n0", "n1", "n2"}) world.node(name, 2);
  return world;
}

TEST_CASE("nodes are ranked as a plan would choose them") {
  auto world = three_nodes();
  world.running("r", "n1", 0, 1, "a");
  world.waiting("w", 1, "a");
  CHECK(advice(world, "w") == "n0:2 n1:3 n2:1 n1 gpu-1");
}

TEST_CASE("what the queue lacks is every node's answer") {
  auto world = three_nodes();
  world.queue("x", 0).limit["gpu"] = Quantity(1);
  world.running("r", "n1", 0, 1, "x");
  world.waiting("w", 1, "x");
  CHECK(advice(world, "w") == "n0:- n1:- n2:- nothing");
}

TEST_CASE("room that is held for another job is no advice") {
  auto world = three_nodes();
  world.running("r0", "n0", 0, 2, "a");
  world.running("r1", "n1", 0, 2, "a");
  world.waiting("w", 2, "a");
  world.waiting("other", 2, "a");
  CHECK(advice(world, "w") == "n0:- n1:- n2:1 n2 gpu-0 gpu-1");
  world.input.holds = {{.job = Uid("uid-other"),
                        .placements = {{.pod = {"default", "other"},
                                        .pod_uid = Uid("uid-other"),
                                        .node = NodeName("n2"),
                                        .claims = {}}}}};
  CHECK(advice(world, "w") == "n0:- n1:- n2:- nothing");
  CHECK(advice(world, "other") == "n0:- n1:- n2:1 n2 gpu-0 gpu-1");
}

}  // namespace
}  // namespace dray::planner::advise_test
