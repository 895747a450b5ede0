#include "dray/cluster/allocated_state.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::allocated_state_test {

using namespace dray::testing;
using cluster::AllocatedState;
using cluster::ClusterState;

namespace {

struct Fixture {
  ClusterState cluster;
  std::vector<Pod> pods;
  std::vector<ResourceClaim> claims;

  Fixture() {
    for (int n = 0; n < 4; ++n) {
      const auto name = "n" + std::to_string(n);
      put(cluster, make_node(name));
      put(cluster, make_slice(name, {device("gpu-0"), device("gpu-1")}));
    }
    for (int i = 0; i < 8; ++i) {
      pods.push_back(make_pod("p" + std::to_string(i)));
      claims.push_back(make_claim("c" + std::to_string(i)));
      put(cluster, pods.back());
      put(cluster, claims.back());
    }
  }

  [[nodiscard]] Placement place(std::size_t i, int n, int gpu) const {
    const auto name = "n" + std::to_string(n);
    return placement(pods[i], name,
                     {{claims[i], allocation({device_id(name, "gpu-" + std::to_string(gpu))})}});
  }
};

}  // namespace

TEST_CASE("a placement counts on the overlay, not in the snapshot") {
  Fixture fixture;
  AllocatedState state(fixture.cluster.snapshot());
  const auto n1 = state.snapshot().node(NodeName("n1")).value();
  const auto pool = state.snapshot().find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  CHECK(state.use(n1) == nullptr);
  const auto checkpoint = state.checkpoint();
  state.place(fixture.place(0, 1, 1));
  CHECK(state.use(n1)->requested.milli_cpu == 1000);
  CHECK(state.changed_use(*pool, "gpu-1")->dedicated == 1);
  CHECK(state.changed_use(*pool, "gpu-0") == nullptr);
  CHECK(state.allocation(fixture.claims[0].key()));
  CHECK(state.touched(*pool));
  state.rollback(checkpoint);
  CHECK(state.use(n1) == nullptr);
  CHECK_FALSE(state.touched(*pool));
  CHECK_FALSE(state.allocation(fixture.claims[0].key()));
}

TEST_CASE("a claim that has its devices is not counted again") {
  Fixture fixture;
  AllocatedState state(fixture.cluster.snapshot());
  auto shared = fixture.place(0, 1, 0);
  state.place(shared);
  shared.pod = fixture.pods[1].key();
  shared.pod_uid = fixture.pods[1].meta.uid;
  state.place(shared);
  const auto pool = state.snapshot().find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  CHECK(state.changed_use(*pool, "gpu-0")->dedicated == 1);
}

TEST_CASE("a cleared node has nothing on it, and can be filled again") {
  Fixture fixture;
  fixture.cluster.assume(fixture.place(0, 1, 0));
  fixture.cluster.assume(fixture.place(1, 2, 0));
  AllocatedState state(fixture.cluster.snapshot());
  const auto n1 = state.snapshot().node(NodeName("n1")).value();
  const auto n2 = state.snapshot().node(NodeName("n2")).value();
  const auto pool = state.snapshot().find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  const auto before = state.checkpoint();
  state.clear_node(n1);
  CHECK(state.use(n1)->requested.milli_cpu == 0);
  REQUIRE(state.changed_use(*pool, "gpu-0") != nullptr);
  CHECK(state.changed_use(*pool, "gpu-0")->none());
  CHECK(state.use(n2)->requested.milli_cpu == 1000);
  state.rollback(before);
  CHECK(state.use(n1)->requested.milli_cpu == 1000);
  CHECK_FALSE(state.touched(*pool));
}

TEST_CASE("released, a claim of the snapshot holds nothing on the overlay") {
  Fixture fixture;
  auto held = fixture.claims[0];
  held.allocation = allocation({device_id("n1", "gpu-0")});
  put(fixture.cluster, held);
  AllocatedState state(fixture.cluster.snapshot());
  state.release(held.key());
  const auto pool = state.snapshot().find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  CHECK(state.changed_use(*pool, "gpu-0")->none());
  CHECK_FALSE(state.allocation(held.key()));
}

TEST_CASE("a pod that is taken away gives back what it has, and one that has finished nothing") {
  Fixture fixture;
  auto pod = fixture.pods[0];
  pod.node_name = NodeName("n1");
  put(fixture.cluster, pod);
  auto finished = fixture.pods[1];
  finished.node_name = NodeName("n1");
  finished.phase = "Succeeded";
  put(fixture.cluster, finished);
  AllocatedState state(fixture.cluster.snapshot());
  const auto n1 = state.snapshot().node(NodeName("n1")).value();
  state.remove_pod(finished);
  CHECK(state.use(n1)->requested.milli_cpu == 1000);
  state.remove_pod(pod);
  CHECK(state.use(n1)->requested.milli_cpu == 0);
}

TEST_CASE("rollback restores everything, whatever was done since") {
  const auto seed = GENERATE(range(0U, 40U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  Fixture fixture;
  AllocatedState state(fixture.cluster.snapshot());
  const auto step = [&] {
    const auto i = random() % 8;
    switch (random() % 4) {
      case 0:
        return state.release(fixture.claims[i].key());
      case 1: {
        cluster::DeviceUse use;
        use.shares = 1;
        return state.take(device_id("n2", "gpu-0"), use);
      }
      default:
        return state.place(
            fixture.place(i, static_cast<int>(random() % 4), static_cast<int>(random() % 2)));
    }
  };
  for (auto i = random() % 6; i > 0; --i) step();
  const auto before = state;
  const auto checkpoint = state.checkpoint();
  for (auto i = random() % 12; i > 0; --i) step();
  state.rollback(checkpoint);
  CHECK(state == before);
  state.rollback(AllocatedState::Checkpoint(0));
  CHECK(state == AllocatedState(state.base()));
}

}  // namespace dray::allocated_state_test
