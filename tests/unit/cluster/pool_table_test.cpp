#include "cluster/pool_table.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::pool_table_test {

using namespace dray::testing;

namespace {

struct World {
  cluster::ClusterState cluster;

  World() {
    put(cluster, make_node("n1"));
    put(cluster, make_node("n2"));
  }
  [[nodiscard]] std::uint64_t version(const char* name) {
    const auto now = cluster.snapshot();
    return now->entry(*now->node(NodeName(name))).version;
  }
  [[nodiscard]] std::size_t pools(const char* name) {
    const auto now = cluster.snapshot();
    return now->entry(*now->node(NodeName(name))).pools.size();
  }
  [[nodiscard]] std::uint64_t epoch() { return cluster.snapshot()->device_epoch(); }
  void hold(const char* pool, const char* device_name) {
    auto made = make_claim(std::string("held-") + device_name, {});
    made.allocation = allocation({device_id(pool, device_name)});
    put(cluster, made);
  }
  /// The devices in use of the pool's slices, by name.
  [[nodiscard]] std::vector<std::string> used(const char* pool) {
    const auto now = cluster.snapshot();
    const auto index = now->find_pool(DriverName("gpu.example.com"), PoolName(pool));
    std::vector<std::string> names;
    if (!index) return names;
    for (const auto& slot : now->pool(*index).slots) {
      if (!slot.use) continue;
      for (const auto& [at, use] : *slot.use) names.push_back(*slot.slice->devices[at].name);
    }
    return names;
  }
};

ResourceSlice wide(std::vector<Device> devices) {
  auto made = make_slice("n1", std::move(devices));
  made.meta.name = "wide";
  made.pool = PoolName("wide");
  made.scope.node_name.reset();
  made.scope.all_nodes = true;
  return made;
}

}  // namespace

TEST_CASE("a node has the pools that have a slice of it") {
  World world;
  CHECK(world.pools("n1") == 0);
  put(world.cluster, make_slice("n1", {device("0")}));
  CHECK(world.pools("n1") == 1);
  CHECK(world.pools("n2") == 0);
  auto moved = make_slice("n2", {device("0")});
  moved.meta.name = make_slice("n1", {}).meta.name;
  put(world.cluster, moved);
  CHECK(world.pools("n1") == 0);
  CHECK(world.pools("n2") == 1);
  gone(world.cluster, Kind::resource_slice, moved.meta.name);
  CHECK(world.pools("n2") == 0);
  CHECK(world.cluster.totals().slices == 0);
  CHECK(world.cluster.totals().devices == 0);
}

TEST_CASE("what changes on a node moves its version, and no other's") {
  World world;
  put(world.cluster, make_slice("n1", {device("0")}));
  put(world.cluster, make_slice("n2", {device("0")}));
  const auto first = world.version("n1");
  const auto second = world.version("n2");
  world.hold("n1", "0");
  CHECK(world.version("n1") > first);
  CHECK(world.version("n2") == second);
  const auto held = world.version("n1");
  put(world.cluster, make_slice("n1", {device("0"), device("1")}));
  CHECK(world.version("n1") > held);
  CHECK(world.version("n2") == second);
}

TEST_CASE("what all nodes may see moves the epoch") {
  World world;
  put(world.cluster, make_slice("n1", {device("0")}));
  const auto before = world.epoch();
  world.hold("n1", "0");
  CHECK(world.epoch() == before);
  put(world.cluster, wide({device("w")}));
  const auto shared = world.epoch();
  CHECK(shared > before);
  CHECK(world.cluster.snapshot()->shared_pools().size() == 1);
  world.hold("wide", "w");
  const auto used = world.epoch();
  CHECK(used > shared);
  gone(world.cluster, Kind::resource_slice, "wide");
  CHECK(world.epoch() > used);
  CHECK(world.cluster.snapshot()->shared_pools().empty());
}

TEST_CASE("an allocation before its slice counts when the slice comes") {
  World world;
  world.hold("n1", "1");
  CHECK(world.cluster.totals().devices_allocated == 1);
  put(world.cluster, make_slice("n1", {device("0"), device("1")}));
  CHECK(world.used("n1") == std::vector<std::string>{"1"});
  gone(world.cluster, Kind::resource_claim, "held-1", "default");
  CHECK(world.used("n1").empty());
}

TEST_CASE("devices are found in pools of many slices too, and after some of them went") {
  World world;
  for (int i = 0; i < 20; ++i) {
    auto part = make_slice("n1", {device("d" + std::to_string(i))});
    part.meta.name = "part-" + std::to_string(i);
    part.pool_slice_count = 20;
    put(world.cluster, part);
  }
  world.hold("n1", "d7");
  CHECK(world.used("n1") == std::vector<std::string>{"d7"});
  gone(world.cluster, Kind::resource_slice, "part-7");
  CHECK(world.used("n1").empty());
  world.hold("n1", "d19");
  CHECK(world.used("n1") == std::vector<std::string>{"d19"});
  auto back = make_slice("n1", {device("d7")});
  back.meta.name = "part-7";
  put(world.cluster, back);
  CHECK(world.used("n1") == std::vector<std::string>{"d19", "d7"});
}

TEST_CASE("slices of a pool stand by node, then in the order in which they came") {
  World world;
  const auto named = [](const char* name, ResourceSlice made) {
    made.meta.name = name;
    made.pool = PoolName("p");
    return made;
  };
  put(world.cluster, named("z", make_slice("n2", {})));
  put(world.cluster, named("y", make_slice("n1", {})));
  put(world.cluster, named("x", make_slice("n1", {})));
  put(world.cluster, named("y", make_slice("n1", {device("0")})));  // keeps its place
  const auto now = world.cluster.snapshot();
  const auto& pool = now->pool(*now->find_pool(DriverName("gpu.example.com"), PoolName("p")));
  std::vector<std::string> names;
  for (const auto& slot : pool.slots) names.push_back(slot.slice->name);
  CHECK(names == std::vector<std::string>{"y", "x", "z"});
  CHECK(pool.of_node("n1") == std::pair<std::size_t, std::size_t>{0, 2});
  CHECK(pool.of_node("n2") == std::pair<std::size_t, std::size_t>{2, 3});
  CHECK(pool.of_node("n3").first == pool.of_node("n3").second);
  CHECK(pool.generations.size() == 1);
  CHECK(pool.generations[0].slices == 3);
}

TEST_CASE("a snapshot does not see what comes after it") {
  World world;
  put(world.cluster, make_slice("n1", {device("0")}));
  const auto before = world.cluster.snapshot();
  world.hold("n1", "0");
  put(world.cluster, make_slice("n1", {device("0"), device("1")}));
  const auto& pool =
      before->pool(*before->find_pool(DriverName("gpu.example.com"), PoolName("n1")));
  CHECK(pool.slots[0].slice->devices.size() == 1);
  CHECK(pool.slots[0].use == nullptr);
}

TEST_CASE("a pool without slices leaves its place to the next, once no claim has its devices") {
  World world;
  const auto found = [&](const char* pool) {
    return world.cluster.snapshot()->find_pool(DriverName("gpu.example.com"), PoolName(pool));
  };
  put(world.cluster, make_gpus("n1", 1));
  const auto first = found("n1");
  REQUIRE(first);
  world.hold("n1", "gpu-0");
  gone(world.cluster, Kind::resource_slice, make_gpus("n1", 1).meta.name);
  CHECK(found("n1") == first);
  put(world.cluster, make_gpus("n1", 1));
  CHECK(world.used("n1") == std::vector<std::string>{"gpu-0"});
  gone(world.cluster, Kind::resource_slice, make_gpus("n1", 1).meta.name);
  gone(world.cluster, Kind::resource_claim, "held-gpu-0", "default");
  CHECK(!found("n1"));
  put(world.cluster, make_gpus("n2", 1));
  CHECK(found("n2") == first);
  CHECK(world.pools("n1") == 0);
  CHECK(world.pools("n2") == 1);
  CHECK(world.used("n2").empty());
}

}  // namespace dray::pool_table_test
