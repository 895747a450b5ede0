#include <catch2/catch.hpp>

#include "planner/state/jobs.h"
#include "tests/unit/planner/fixture.h"

namespace dray::planner::plan_job_test {

using namespace worlds;
namespace {

TEST_CASE("a gang's next chunk is what it lacks for its minimum, then pod by pod") {
  World world;
  world.node("n0", 8);
  auto& gang = world.gang("g", "a", 2);
  world.members(gang, 3, 1);
  Parts parts(world);
  auto& job = parts.job("g");
  CHECK(job.next_chunk() == std::vector<std::uint32_t>{0, 1});
  CHECK(job.phase() == policy::GangPhase::below_minimum);
  for (const auto id : {0U, 1U}) job.set_state(job.tasks[id], policy::TaskState::placed);
  CHECK(job.has_minimum());
  CHECK(job.placed == 2);
  CHECK(job.waiting == 1);
  CHECK(job.next_chunk() == std::vector<std::uint32_t>{2});
  job.set_state(job.tasks[2], policy::TaskState::placed);
  CHECK(job.next_chunk().empty());
  CHECK(job.next_victims().tasks == std::vector<std::uint32_t>{2});
  job.set_state(job.tasks[2], policy::TaskState::yielding);
  CHECK(job.next_chunk().empty());
  CHECK(job.next_chunk(true) == std::vector<std::uint32_t>{2});
  CHECK(job.next_victims().tasks.size() == 2);
}

TEST_CASE("a pod alone is one chunk, and goes whole") {
  World world;
  world.node("n0", 8);
  world.running("runs", "n0", 0, 1, "a");
  world.waiting("waits", 1, "a");
  Parts parts(world);
  CHECK(parts.job("runs").next_chunk().empty());
  CHECK(parts.job("runs").has_minimum());
  CHECK(parts.job("runs").next_victims().tasks == std::vector<std::uint32_t>{0});
  CHECK(parts.job("waits").next_chunk() == std::vector<std::uint32_t>{0});
  CHECK_FALSE(parts.job("waits").has_minimum());
  CHECK(parts.job("waits").next_victims().tasks.empty());
  auto& runs = parts.job("runs");
  runs.set_state(runs.tasks[0], policy::TaskState::yielding);
  CHECK(runs.next_chunk().empty());
  CHECK(runs.next_chunk(true).size() == 1);
}

}  // namespace
}  // namespace dray::planner::plan_job_test
