#include "dray/policy/device_amounts.h"

#include <catch2/catch.hpp>

#include "dray/cluster/state.h"
#include "tests/objects/gpus.h"

namespace dray::policy::device_amounts_test {
namespace {

using namespace testing;

TEST_CASE("a cluster has what its nodes and devices count for, in use or not") {
  PolicyConfig config;
  CountingRule gpu;
  gpu.device_class = ClassName("gpu");
  gpu.amount = Quantity(2);
  CountingRule missing;
  missing.device_class = ClassName("no-such-class");
  CountingRule plugin;
  plugin.node_resource = "example.com/fpga";
  config.resources = {{.name = "gpu", .rules = {gpu, missing}},
                      {.name = "fpga", .rules = {plugin}}};
  const Counting counting(config);
  cluster::ClusterState state;
  const auto tell = [&](KubeObject object) {
    state.apply(cluster::ObjectChanged{std::move(object)});
  };
  tell(make_class());
  auto node = make_node("n0");
  node.unschedulable = true;
  node.allocatable["example.com/fpga"] = Quantity(3);
  tell(node);
  tell(make_gpus("n0", 4));
  tell(make_gpus("gone", 4));
  auto fabric = make_gpus("fabric", 1);
  fabric.scope = {};
  fabric.scope.all_nodes = true;
  tell(fabric);
  tell(make_slice("n0", {device("x")}, "other.example.com"));
  auto claim = make_claim("c", 1);
  claim.allocation = allocation({device_id("n0", "gpu-0")});
  tell(claim);
  const auto have = capacity_of(counting, *state.snapshot());
  CHECK(have[0] == 10);
  CHECK(have[1] == 3);
}

}  // namespace
}  // namespace dray::policy::device_amounts_test
