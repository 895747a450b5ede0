#include "dray/cluster/published.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::cluster::published_test {

using namespace dray::testing;

TEST_CASE("a node and its slices come back as they were published") {
  auto node = make_node("n0", Labels{{"pool", "a"}, {"kubernetes.io/hostname", "n0"}});
  node.taints = {{.key = "gpu", .value = "yes", .effect = "NoSchedule"}};
  node.allocatable["example.com/foo"] = Quantity(3);
  node.allocatable["ephemeral-storage"] = Quantity(1 << 30);
  auto one = device("gpu-0", {{"count", std::int64_t{7}},
                              {"fast", true},
                              {"model", std::string("H100")},
                              {"driverVersion", VersionText("1.2.3-rc.1")},
                              {"other.com/numa", std::int64_t{1}},
                              {"names", std::vector<std::string>{"a", "b"}},
                              {"numbers", std::vector<std::int64_t>{1, 2}}});
  one.capacity["memory"] = {.value = Quantity(80), .request_policy = {}};
  one.consumes_counters = {
      {.counter_set = "set", .counters = {{"x", Quantity(1)}}, .compatibility_groups = {}}};
  one.taints = {{.key = "sick", .value = {}, .effect = "NoSchedule", .time_added = {}}};
  one.allow_multiple_allocations = true;
  // Upstream takes either: the shape alone does not tell.
  const auto two = device("gpu-1", {{"model", std::string("A")},
                                    {std::string(gpu_driver) + "/model", std::string("B")}});
  auto slice = make_slice("n0", {one, two});
  slice.shared_counters = {{.name = "set", .counters = {{"x", Quantity(2)}}}};
  auto shared = make_slice("n1", {device("gpu-9")});
  shared.pool = slice.pool;

  ClusterState state;
  put(state, node);
  put(state, slice);
  put(state, shared);
  const auto snapshot = state.snapshot();
  const auto index = snapshot->node(NodeName("n0"));
  REQUIRE(index);
  auto back = node_object(snapshot->facts(*index));
  CHECK(back.meta.labels == node.meta.labels);
  CHECK(back.taints == node.taints);
  CHECK(back.allocatable == node.allocatable);
  auto slices = slices_of_node(*snapshot, *index);
  REQUIRE(slices.size() == 1);
  slices[0].meta = slice.meta;
  CHECK(slices[0] == slice);
}

}  // namespace dray::cluster::published_test
