#include "planner/place/chunk_bounds.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::chunk_bounds_test {

using namespace worlds;
namespace {

/// A gang of two in a queue of limit 6, each of which takes 4 or 1 of the eight GPUs.
struct Bounded {
  World world;

  Bounded() {
    world.queue("a", 0).limit["gpu"] = Quantity(6);
    world.node("n0", 8);
    auto& gang = world.gang("g", "a", 2);
    for (const std::string pod : {"g0", "g1"}) {
      world.member(gang, pod, 1);
      auto claim = make_claim("c-" + pod, 1, pod);
      auto& request = claim.spec.requests[0];
      request.exactly.reset();
      request.first_available = {testing::exactly(4, "gpu"), testing::exactly(1, "gpu")};
      request.first_available[0].name = "four";
      request.first_available[1].name = "one";
      world.tell(claim);
    }
  }
};

std::vector<const Task*> tasks_of(const PlanJob& job) {
  std::vector<const Task*> tasks;
  for (const auto& task : job.tasks) tasks.push_back(&task);
  return tasks;
}

TEST_CASE("the least of members without a place is set aside") {
  Bounded made;
  Parts parts(made.world);
  const auto& job = parts.job("g");
  const auto tasks = tasks_of(job);
  ChunkBounds bounds(parts.overlay, job, tasks, nullptr);
  REQUIRE(bounds.any());
  const auto least = tasks[0]->least_on_top();
  CHECK(least[0] == 1);
  CHECK(bounds.left(least)[0] == 5);
  CHECK_FALSE(bounds.refuse(policy::Amounts(1, 5), least));
  const auto no = bounds.refuse(policy::Amounts(1, 6), least);
  REQUIRE(no);
  CHECK(no->requested == 7);
  CHECK(no->bound == 6);
}

TEST_CASE("what the caller allows bounds all members together") {
  Bounded made;
  Parts parts(made.world);
  const auto& job = parts.job("g");
  const auto tasks = tasks_of(job);
  const policy::Amounts most(1, 3);
  ChunkBounds bounds(parts.overlay, job, tasks, &most);
  const auto least = tasks[0]->least_on_top();
  CHECK(bounds.left(least)[0] == 2);
  const auto before = bounds.mark();
  bounds.place(policy::Amounts(1, 2), least);
  CHECK(bounds.left(least)[0] == 1);
  CHECK(bounds.refuse(policy::Amounts(1, 2), least));
  bounds.undo(before);
  CHECK_FALSE(bounds.refuse(policy::Amounts(1, 2), least));
}

TEST_CASE("nothing is asked where all that members could get is within the limit") {
  Bounded made;
  made.world.config.queues[0].limit["gpu"] = Quantity(8);
  Parts parts(made.world);
  const auto& job = parts.job("g");
  CHECK_FALSE(ChunkBounds(parts.overlay, job, tasks_of(job), nullptr).any());
}

TEST_CASE("nothing is asked of members that take what they ask for") {
  World world;
  world.queue("a", 0).limit["gpu"] = Quantity(1);
  world.node("n0", 8);
  world.waiting("w", 2, "a");
  Parts parts(world);
  const auto& job = parts.job("w");
  CHECK_FALSE(ChunkBounds(parts.overlay, job, tasks_of(job), nullptr).any());
}

}  // namespace
}  // namespace dray::planner::chunk_bounds_test
