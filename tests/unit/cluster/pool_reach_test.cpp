#include "dray/cluster/pool_reach.h"

#include <catch2/catch.hpp>

#include <vector>

#include "dray/cluster/state.h"
#include "tests/objects/gpus.h"

namespace dray::pool_reach_test {
namespace {

using namespace dray::testing;

ResourceSlice of_pool(const std::string& node, bool counts = false) {
  auto slice = make_gpus(node, 1);
  slice.pool = PoolName("p");
  if (counts) {
    slice.devices[0].consumes_counters = {
        {.counter_set = "c", .counters = {{"u", Quantity(1)}}, .compatibility_groups = {}}};
  }
  return slice;
}

struct Row {
  const char* name;
  std::vector<ResourceSlice> slices;
  bool spans = false;
  bool reaches = false;
};

ResourceSlice of_all(ResourceSlice slice) {
  slice.meta = cluster_meta("all");
  slice.scope = {};
  slice.scope.all_nodes = true;
  return slice;
}

ResourceSlice second(ResourceSlice slice) {
  slice.meta = cluster_meta("second");
  return slice;
}

TEST_CASE("who judges a pool by more than its own slices") {
  const auto row = GENERATE(values<Row>({
      {"one node", {of_pool("a", true), second(of_pool("a", true))}, false, false},
      {"two nodes", {of_pool("a"), of_pool("b")}, true, false},
      {"two nodes with counters", {of_pool("a"), of_pool("b", true)}, true, true},
      {"all nodes", {of_all(of_pool("a"))}, false, true},
      {"all nodes and one", {of_all(of_pool("a")), of_pool("b")}, false, true},
      {"all nodes and two", {of_all(of_pool("a")), of_pool("b"), of_pool("c")}, true, true},
  }));
  DYNAMIC_SECTION(row.name) {
    cluster::ClusterState state;
    for (const auto* name : {"a", "b", "c"}) {
      state.apply(cluster::ObjectChanged{make_node(name)});
    }
    for (const auto& slice : row.slices) state.apply(cluster::ObjectChanged{slice});
    const auto snapshot = state.snapshot();
    const auto index = snapshot->find_pool(DriverName(gpu_driver), PoolName("p"));
    REQUIRE(index);
    const auto& pool = snapshot->pool(*index);
    CHECK(cluster::spans_nodes(pool) == row.spans);
    CHECK(cluster::use_reaches_other_nodes(pool) == row.reaches);
    const auto placed = placement(make_pod("x"), "a",
                                  {{make_claim("c", 1), allocation({device_id("p", "gpu-0")})}});
    CHECK(cluster::reaches_other_nodes(*snapshot, placed) == row.reaches);
  }
}

TEST_CASE("the nodes of a pool are visited once each, if they are there") {
  cluster::ClusterState state;
  for (const auto& slice :
       {of_pool("a"), second(of_pool("a")), of_pool("b"), of_pool("gone"), of_all(of_pool("x"))}) {
    state.apply(cluster::ObjectChanged{slice});
  }
  for (const auto* name : {"a", "b", "c"}) state.apply(cluster::ObjectChanged{make_node(name)});
  const auto snapshot = state.snapshot();
  std::vector<std::string> seen;
  const auto& pool = snapshot->pool(*snapshot->find_pool(DriverName(gpu_driver), PoolName("p")));
  cluster::for_each_node_of(*snapshot, pool,
                            [&](auto node) { seen.push_back(snapshot->name(node).get()); });
  CHECK(seen == std::vector<std::string>{"a", "b"});
}

}  // namespace
}  // namespace dray::pool_reach_test
