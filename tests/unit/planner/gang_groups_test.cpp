#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>

#include "tests/unit/planner/fixture.h"

// Gangs of groups of which some are enough (minSubGroup): which of them start, and which make room.

namespace dray::planner::gang_groups_test {

using namespace worlds;
namespace {

Job& gang_of_groups(World& world, std::int32_t needed) {
  auto& gang = world.gang("g", "y", 1);
  gang.gang = {};
  gang.gang.min_sub_group = needed;
  return gang;
}

/// A pod of the group `set`, which needs so many; it waits, or runs on the GPUs of node n0.
void add(World& world, Job& gang, const std::string& set, std::int32_t minimum,
         const std::string& name, int gpus, const Edit<Pod>& edit = {}) {
  auto& sets = gang.gang.pod_sets;
  auto at = std::ranges::find(sets, set, &policy::PodSet::name);
  if (at == sets.end()) {
    at = sets.insert(sets.end(), {.name = set, .min_member = minimum, .topology = {}, .tasks = {}});
  }
  at->tasks.push_back({.id = static_cast<std::uint32_t>(gang.members.size())});
  gang.members.push_back(
      {.pod = world.pod(name, gpus, {}, 0, edit), .state = MemberState::waiting, .node = {}});
}

void nowhere(Pod& pod) {
  pod.node_selector = {{"zone", "none"}};
}

Names started(const Plan& plan) {
  Names names;
  for (const auto& each : outcome(plan, "g").placements) {
    names.push_back(each.pod_uid.get().substr(4));
  }
  std::ranges::sort(names);
  return names;
}

TEST_CASE("a group that lacks pods, or finds no room, does not keep the others from starting") {
  World world;
  world.queue("y", 8);
  world.node("n0", 3);
  auto& gang = gang_of_groups(world, GENERATE(0, 1));
  SECTION("it lacks a pod") {
    add(world, gang, "a", 2, "a0", 1);
  }
  SECTION("no node takes it") {
    add(world, gang, "a", 1, "a0", 1, nowhere);
  }
  SECTION("no node has so many devices") {
    add(world, gang, "a", 1, "a0", 4);
  }
  SECTION("the second of its pods has no room") {
    add(world, gang, "a", 2, "a0", 1);
    add(world, gang, "a", 2, "a1", 3);
  }
  add(world, gang, "b", 2, "b0", 1);
  add(world, gang, "b", 2, "b1", 1);
  CHECK(started(world.plan()) == Names{"b0", "b1"});
}

TEST_CASE("of three groups the two start that can") {
  World world;
  world.queue("y", 8);
  world.node("n0", 3);
  auto& gang = gang_of_groups(world, 2);
  const auto* cannot = GENERATE("a", "b", "c");
  Names others;
  for (const auto* name : {"a", "b", "c"}) {
    add(world, gang, name, 1, name, 1, std::string(name) == cannot ? nowhere : Edit<Pod>());
    if (std::string(name) != cannot) others.emplace_back(name);
  }
  CHECK(started(world.plan()) == others);
}

TEST_CASE("no group starts with a part of what it needs") {
  World world;
  world.queue("y", 8);
  world.node("n0", 1);
  auto& gang = gang_of_groups(world, 0);
  add(world, gang, "a", 2, "a0", 1);
  SECTION("its other pod is not there") {
    const auto made = world.plan();
    CHECK(started(made).empty());
    CHECK(outcome(made, "g").reason == Reason::gang_incomplete);
    CHECK(outcome(made, "g").detail == "1 of 2");
  }
  SECTION("there is no room for the other one") {
    world.node("n1", 1);
    world.running("r", "n1", 0, 1, "y");
    add(world, gang, "a", 2, "a1", 1);
    const auto made = world.plan();
    CHECK(started(made).empty());
    CHECK(outcome(made, "g").reason == Reason::gang_no_room);
  }
  SECTION("the cluster could not hold the other one") {
    add(world, gang, "a", 2, "a1", 1);
    CHECK(outcome(world.plan(), "g").reason == Reason::no_node_fits);
  }
}

TEST_CASE("room is made for a group that can have it, whichever comes first") {
  World world;
  world.allow_all_actions();
  world.queue("x", 0);
  world.queue("y", 4);
  world.node("n0", 2);
  world.fill("r", 2, "n0", "x");
  auto& gang = gang_of_groups(world, 1);
  SECTION("no node takes the first") {
    add(world, gang, "a", 1, "a0", 1, nowhere);
  }
  SECTION("the first needs more than a node has") {
    add(world, gang, "a", 1, "a0", 3);
  }
  SECTION("it lacks a pod") {
    add(world, gang, "a", 2, "a0", 1);
  }
  add(world, gang, "b", 2, "b0", 1);
  add(world, gang, "b", 2, "b1", 1);
  const auto made = world.plan();
  CHECK(evicted(made).size() == 2);
  CHECK(outcome(made, "g").held.size() == 2);
}

}  // namespace
}  // namespace dray::planner::gang_groups_test
