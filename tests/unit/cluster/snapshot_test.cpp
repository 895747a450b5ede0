#include "dray/cluster/snapshot.h"

#include <string>

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::snapshot_test {
namespace {

using namespace dray::testing;

TEST_CASE("a node is found by its whole name, wherever it stands") {
  cluster::ClusterState state;
  CHECK_FALSE(state.snapshot()->node(NodeName("n1")));
  for (const std::string name : {"n3", "n1", "n2"}) put(state, make_node(name));
  gone(state, Kind::node, "n2");
  put(state, make_node("n10"));
  const auto snapshot = state.snapshot();
  CHECK(snapshot->node_count() == 3);
  for (const std::string name : {"n1", "n10", "n3"}) {
    INFO(name);
    const auto at = snapshot->node(NodeName(name));
    REQUIRE(at);
    CHECK(snapshot->name(*at) == NodeName(name));
  }
  for (const std::string name : {"", "n", "n2", "n11", "n4"}) {
    INFO(name);
    CHECK_FALSE(snapshot->node(NodeName(name)));
  }
}

TEST_CASE("a pool is found by driver and name together") {
  cluster::ClusterState state;
  put(state, make_node("n1"));
  put(state, make_gpus("n1", 1));
  auto other = make_gpus("n1", 2);
  other.meta.name = "other";
  other.driver = DriverName("other.io");
  put(state, other);
  const auto snapshot = state.snapshot();
  const auto gpus = snapshot->find_pool(DriverName(gpu_driver), PoolName("n1"));
  const auto others = snapshot->find_pool(DriverName("other.io"), PoolName("n1"));
  REQUIRE(gpus);
  REQUIRE(others);
  CHECK(snapshot->pool(*gpus).driver == DriverName(gpu_driver));
  CHECK(snapshot->pool(*gpus).slots[0].slice->devices.size() == 1);
  CHECK(snapshot->pool(*others).slots[0].slice->devices.size() == 2);
  CHECK_FALSE(snapshot->find_pool(DriverName("third.io"), PoolName("n1")));
  CHECK_FALSE(snapshot->find_pool(DriverName("other.io"), PoolName("n2")));
}

TEST_CASE("objects are found under their names and namespaces alone") {
  cluster::ClusterState state;
  put(state, make_class("b"));
  put(state, make_class("a"));
  put(state, make_claim("c"));
  put(state, make_pod("p"));
  const auto snapshot = state.snapshot();
  REQUIRE(snapshot->device_class(ClassName("a")));
  CHECK(snapshot->device_class(ClassName("a"))->meta.name == "a");
  CHECK(snapshot->compiled_class(ClassName("b"))->object->meta.name == "b");
  CHECK(snapshot->device_class(ClassName("ab")) == nullptr);
  CHECK(snapshot->compiled_class(ClassName("c")) == nullptr);
  CHECK(snapshot->claim({"default", "c"})->meta.name == "c");
  CHECK(snapshot->claim({"other", "c"}) == nullptr);
  CHECK(snapshot->pod({"default", "p"})->meta.name == "p");
  CHECK(snapshot->pod({"other", "p"}) == nullptr);
  CHECK(snapshot->name_space(NamespaceName("default")) == nullptr);
}

TEST_CASE("a claim has what the API server says; else what it was promised") {
  cluster::ClusterState state;
  put(state, make_node("n1"));
  put(state, make_gpus("n1", 2));
  put(state, make_claim("c"));
  const auto pod = make_pod("p", "c");
  put(state, pod);
  const ClaimKey key{"default", "c"};
  CHECK(state.snapshot()->allocation(key) == nullptr);
  auto placed = placement(pod, "n1");
  placed.claims.push_back({.claim = key,
                           .claim_uid = make_claim("c").meta.uid,
                           .allocation = allocation({device_id("n1", "gpu-0")}),
                           .already_allocated = false});
  state.assume(placed);
  const auto promised = state.snapshot();
  REQUIRE(promised->allocation(key));
  CHECK(promised->allocation(key)->devices[0].device == device_id("n1", "gpu-0"));
  CHECK_FALSE(promised->claim(key)->allocation);
  auto claim = make_claim("c");
  claim.allocation = allocation({device_id("n1", "gpu-1")});
  put(state, claim);
  const auto held = state.snapshot();
  CHECK(held->allocation(key)->devices[0].device == device_id("n1", "gpu-1"));
  CHECK(promised->allocation(key)->devices[0].device == device_id("n1", "gpu-0"));
}

}  // namespace
}  // namespace dray::snapshot_test
