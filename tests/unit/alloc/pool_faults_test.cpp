#include "dray/alloc/pool_faults.h"

#include <catch2/catch.hpp>

#include "dray/alloc/features.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::pool_faults_test {

using namespace dray::testing;

namespace {

struct Seen {
  cluster::ClusterState cluster;
  alloc::Features features;

  Seen() { put(cluster, make_node("n1")); }

  void publish(const std::string& pool, std::vector<Device> devices, std::int64_t promised = 1) {
    auto slice = make_slice("n1", std::move(devices));
    slice.meta.name = pool;
    slice.pool = PoolName(pool);
    slice.pool_generation = 3;
    slice.pool_slice_count = promised;
    put(cluster, slice);
  }
  [[nodiscard]] std::string told() {
    const cluster::AllocatedState state(cluster.snapshot());
    return alloc::pool_faults(state, *state.snapshot().node(NodeName("n1")), features);
  }
};

}  // namespace

TEST_CASE("a pool that counts for nothing is named, with what is wrong") {
  Seen seen;
  seen.publish("fine", {device("0")});
  CHECK(seen.told().empty());
  seen.publish("twice", {device("0"), device("0")});
  CHECK(seen.told() ==
        "pool gpu.example.com/twice has two devices named 0, so its devices do not count");
  seen.publish("half", {device("0")}, 2);
  CHECK(seen.told() ==
        "pool gpu.example.com/half has 1 slice of generation 3, of which there are to be 2; pool "
        "gpu.example.com/twice has two devices named 0, so their devices do not count");
  seen.publish("more", {device("0")}, 5);
  seen.publish("other", {device("0")}, 5);
  CHECK_THAT(seen.told(), Catch::EndsWith("; 2 more are faulty, so their devices do not count"));
}

}  // namespace dray::pool_faults_test
