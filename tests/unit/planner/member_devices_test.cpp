#include "planner/place/member_devices.h"

#include <catch2/catch.hpp>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::member_devices_test {

using namespace worlds;
namespace {

struct Chosen {
  World world;

  explicit Chosen(std::int64_t limit, std::vector<std::int64_t> counts) {
    world.queue("a", 0).limit["gpu"] = Quantity(limit);
    world.node("n0", 8);
    world.waiting("w", 1, "a");
    auto claim = make_claim("c-w", 1, "w");
    auto& request = claim.spec.requests[0];
    request.exactly.reset();
    for (const auto count : counts) {
      request.first_available.push_back(testing::exactly(count, "gpu"));
      request.first_available.back().name = "n" + std::to_string(count);
    }
    world.tell(claim);
  }
};

std::expected<MemberChoice, NoMemberChoice> choose(Parts& parts) {
  MemberDevices devices(parts.memory.jobs(), parts.placer.devices(), parts.overlay,
                        parts.placer.fit());
  const auto& job = parts.job("w");
  const Task* const one = &job.tasks[0];
  const std::span tasks(&one, 1);
  return devices.choose(tasks, parts.node("n0"), Room::idle,
                        ChunkBounds(parts.overlay, job, tasks, nullptr));
}

TEST_CASE("the preferred devices are chosen where they are within the bounds") {
  Chosen made(8, {8, 4});
  Parts parts(made.world);
  const auto choice = choose(parts);
  REQUIRE(choice);
  CHECK(choice->takes[0]->counts[0] == 8);
  CHECK(choice->devices.preference == 8);
}

TEST_CASE("else the first that are within them") {
  Chosen made(6, {8, 4, 6});
  Parts parts(made.world);
  const auto choice = choose(parts);
  REQUIRE(choice);
  CHECK(choice->takes[0]->counts[0] == 4);
  CHECK(choice->devices.preference == 7);
}

TEST_CASE("else the refusal has what the preferred ones take") {
  Chosen made(3, {8, 4});
  Parts parts(made.world);
  const auto choice = choose(parts);
  REQUIRE_FALSE(choice);
  CHECK(choice.error().reason == Reason::queue_limit);
  REQUIRE(choice.error().over);
  CHECK(choice.error().over->requested == 8);
}

TEST_CASE("who allocates alone takes what it prefers, or the node does not do") {
  Chosen made(6, {8, 4});
  made.world.options.mode = alloc::Mode::predicted;
  Parts parts(made.world);
  CHECK_FALSE(choose(parts));
}

}  // namespace
}  // namespace dray::planner::member_devices_test
