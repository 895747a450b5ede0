#include <catch2/catch.hpp>

#include "tests/unit/engine/lifecycle_world.h"

namespace dray::engine::pod_activity_test {
namespace {

TEST_CASE("pods are settled when none needs a plan or has a reservation") {
  LifecycleWorld world;
  CHECK(world.pods.is_settled());
  world.show();
  CHECK(!world.pods.is_settled());
  world.reserve();
  CHECK(!world.pods.is_settled());
  static_cast<void>(world.pods.release(world.uid));
  CHECK(!world.pods.is_settled());
  static_cast<void>(world.pods.drop(world.uid));
  CHECK(world.pods.is_settled());
}

TEST_CASE("a pod that bypasses dray leaves the others settled") {
  LifecycleWorld world;
  world.show();
  world.pods.set_bypasses(world.uid, true);
  CHECK(world.pods.is_settled());
  world.pods.set_bypasses(world.uid, false);
  CHECK(!world.pods.is_settled());
}

TEST_CASE("asking whether pods are settled costs what has changed and not how many there are") {
  constexpr std::uint64_t count = 1000;
  LifecycleWorld world;
  for (std::uint64_t i = 0; i < count; ++i) {
    auto pod = make_pod("p" + std::to_string(i), "c" + std::to_string(i));
    world.tell(pod);
    static_cast<void>(world.pods.appeared(pod));
    static_cast<void>(world.pods.step(pod, true, start));
    world.pods.set_bypasses(pod.meta.uid, i % 2 == 0);
    CHECK(world.pods.is_settled() == (i == 0));
  }
  // Each pod that bypasses dray is looked at once, and one look a question finds one that waits.
  CHECK(world.pods.inspected() <= 2 * count);
}

}  // namespace
}  // namespace dray::engine::pod_activity_test
