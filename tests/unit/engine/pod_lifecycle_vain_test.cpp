#include <catch2/catch.hpp>

#include "tests/unit/engine/lifecycle_world.h"

// Placements that cannot be carried out: given up after a while, so that others have the room.

namespace dray::engine::pod_lifecycle_vain_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a placement that the API server will not have is given up, and longer each time") {
  LifecycleWorld world;
  auto ended = world.ended(Binding::Result::failed, "403");
  ended.denied = true;
  const auto fail_once = [&](Time now) {
    if (!world.p().reservation) {
      world.reserve();
      static_cast<void>(world.pods.offer(world.uid, now));
    }
    world.pods.bind_begun(world.uid);
    return words(world.pods.bind_ended(ended, now));
  };
  world.make_offered();
  CHECK(fail_once(start).empty());
  CHECK(fail_once(start).empty());
  CHECK(world.assumed());
  CHECK(fail_once(start) == "changed uid-p; plan; reservation ended uid-p; RecordEvent default/p");
  CHECK(!world.assumed());
  CHECK(world.state() == PodState::waiting);
  CHECK(world.p().wait.reason == Reason::node_refused);
  CHECK(world.p().wait.detail == "403");
  CHECK(world.p().refused.at(NodeName("n0")).until == start + PodLifecycle::refusal_life);
  CHECK_FALSE(fail_once(start).empty());
  CHECK(world.p().refused.at(NodeName("n0")).until == start + 2 * PodLifecycle::refusal_life);
}

TEST_CASE("a failure that is not the API server's no is tried again") {
  LifecycleWorld world;
  world.make_offered();
  for (int i = 0; i < 10; ++i) {
    world.pods.bind_begun(world.uid);
    CHECK(world.pods.bind_ended(world.ended(Binding::Result::failed, "cut"), start).empty());
  }
  CHECK(world.assumed());
}

TEST_CASE("a reservation that kube-scheduler never binds is of no use") {
  LifecycleWorld world;
  world.make_offered();
  for (std::uint32_t i = 0; i < PodLifecycle::most_answers; ++i) {
    CHECK_FALSE(world.pods.offered_in_vain(world.uid, start + life));
    world.pods.filter_answered(world.uid, start);
  }
  CHECK_FALSE(world.pods.offered_in_vain(world.uid, start + life - 1s));
  CHECK(world.pods.offered_in_vain(world.uid, start + life));
  world.pods.bind_begun(world.uid);
  static_cast<void>(world.pods.bind_ended(world.ended(Binding::Result::failed), start + life));
  CHECK_FALSE(world.pods.offered_in_vain(world.uid, start + life));
}

TEST_CASE("a gate that the API server will not have lifted ends the reservation") {
  LifecycleWorld world;
  world.show();
  world.reserve();
  static_cast<void>(world.pods.offer(world.uid, start));
  REQUIRE(world.state() == PodState::lifting);
  auto now = start;
  const auto fail_with = [&](ErrorCode code) {
    const auto text = words(world.pods.lift_written(world.uid, fail(code, "no"), now));
    if (world.pods.next_tick()) now = *world.pods.next_tick();
    static_cast<void>(world.pods.tick(now));
    return text;
  };
  CHECK(fail_with(ErrorCode::unavailable).empty());
  CHECK(fail_with(ErrorCode::denied).empty());
  CHECK(fail_with(ErrorCode::invalid).empty());
  CHECK(world.assumed());
  CHECK(fail_with(ErrorCode::denied) ==
        "changed uid-p; plan; reservation ended uid-p; RecordEvent default/p");
  CHECK(!world.assumed());
  CHECK(world.p().wait.detail == "lifting the gate: no");
}

}  // namespace
}  // namespace dray::engine::pod_lifecycle_vain_test
