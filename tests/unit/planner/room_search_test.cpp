#include "planner/room_search.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::room_search_test {

using namespace std::chrono_literals;
using namespace worlds;
namespace {

Names uids(std::span<const RoomSearch::Ending> pods) {
  Names names;
  for (const auto& pod : pods) names.push_back(pod.task->pod().meta.name);
  std::ranges::sort(names);
  return names;
}

std::vector<std::uint32_t> all_of(const PlanJob& job) {
  return job.next_chunk();
}

TEST_CASE("pods of unknown ends: those of the nodes with the fewest have to end") {
  World world;
  world.node("n0", 4);
  world.node("n1", 4);
  world.fill("a", 4, "n0", "a");
  world.running("b0", "n1", 0, 2, "a");
  world.running("b1", "n1", 2, 2, "a");
  world.waiting("w", 4, "a");
  Parts parts(world);
  RoomSearch search(parts.context, parts.memory.jobs(), parts.overlay, parts.memory);
  const auto mark = parts.overlay.mark();
  const auto found = search.anywhere(parts.job("w"), all_of(parts.job("w")), nullptr);
  REQUIRE(found);
  CHECK(uids(found->in_the_way) == Names{"b0", "b1"});
  CHECK_FALSE(found->complete);
  CHECK(parts.overlay.mark() == mark);
}

TEST_CASE("pods whose room is not needed do not have to end") {
  World world;
  world.node("n0", 4);
  world.fill("a", 4, "n0", "a");
  world.waiting("w", 2, "a");
  Parts parts(world);
  RoomSearch search(parts.context, parts.memory.jobs(), parts.overlay, parts.memory);
  const auto found = search.anywhere(parts.job("w"), all_of(parts.job("w")), nullptr);
  REQUIRE(found);
  CHECK(found->in_the_way.size() == 2);
}

TEST_CASE("a gang's domain is the one that is free first") {
  World world;
  world.config.topology = {"rack"};
  for (const auto* name : {"n0", "n1", "n2", "n3"}) {
    world.node(name, 2, [&](Node& node) { node.meta.labels["rack"] = name[1] < '2' ? "x" : "y"; });
    world.running(std::string("r") + name[1], name, 0, 2, "a", [&](Pod& pod) {
      pod.start_time = start;
      // Of each rack one node is free early; rack y is free first as a whole.
      constexpr std::array ends{600, 7200, 3600, 1800};
      pod.active_deadline_seconds = ends.at(static_cast<std::size_t>(name[1] - '0'));
    });
  }
  auto& gang = world.gang("g", "a", 2);
  gang.gang.topology.required = "rack";
  world.members(gang, 2, 2);
  Parts parts(world);
  RoomSearch search(parts.context, parts.memory.jobs(), parts.overlay, parts.memory);
  const auto found = search.anywhere(parts.job("g"), all_of(parts.job("g")), nullptr);
  REQUIRE(found);
  CHECK(uids(found->in_the_way) == Names{"r2", "r3"});
  CHECK(found->complete == start + 1h);
}

TEST_CASE("a job that does not fit an empty cluster finds no room, nor one that is contested") {
  World world;
  world.node("n0", 4);
  world.fill("a", 4, "n0", "a");
  const int gpus = GENERATE(4, 5);
  world.waiting("w", gpus, "a");
  Parts parts(world);
  RoomSearch search(parts.context, parts.memory.jobs(), parts.overlay, parts.memory);
  const auto chunk = all_of(parts.job("w"));
  CHECK(search.anywhere(parts.job("w"), chunk, nullptr).has_value() == (gpus == 4));
  CHECK_FALSE(search.anywhere(parts.job("w"), chunk, [](const auto&) { return true; }));
}

}  // namespace
}  // namespace dray::planner::room_search_test
