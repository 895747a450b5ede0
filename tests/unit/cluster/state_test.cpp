#include "dray/cluster/state.h"

#include <catch2/catch.hpp>

#include "dray/cluster/allocated_state.h"
#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::state_test {

using namespace dray::testing;
using cluster::AllocatedState;
using cluster::ClusterState;

namespace {

std::int64_t cpu_used(ClusterState& state, const char* node_name) {
  const auto snapshot = state.snapshot();
  const auto& use = snapshot->entry(*snapshot->node(NodeName(node_name))).use;
  return use ? use->requested.milli_cpu : 0;
}

std::size_t devices_used(ClusterState& state) {
  return state.totals().devices_allocated;
}

}  // namespace

TEST_CASE("nodes are found by name and walked in the order of names") {
  ClusterState state;
  for (const char* name : {"b", "c", "a"}) put(state, make_node(name));
  const auto snapshot = state.snapshot();
  std::vector<std::string> names;
  for (const auto index : snapshot->nodes_by_name()) names.push_back(snapshot->name(index).get());
  CHECK(names == std::vector<std::string>{"a", "b", "c"});
  const auto b = snapshot->node(NodeName("b"));
  gone(state, Kind::node, "b");
  CHECK_FALSE(state.node(NodeName("b")));
  CHECK(snapshot->node(NodeName("b")) == b);  // the old snapshot is as it was
  put(state, make_node("d"));
  CHECK(state.node(NodeName("d")) == b);  // the index is used again
}

TEST_CASE("a pod counts on its node, an assumed one until it has a node") {
  ClusterState state;
  put(state, make_node("n1"));
  put(state, make_node("n2"));
  auto made = make_pod("p", {{"cpu", quantity("2")}});
  put(state, made);
  CHECK(cpu_used(state, "n1") == 0);
  state.assume(placement(made, "n1"));
  CHECK(cpu_used(state, "n1") == 2000);
  SECTION("the real node replaces the assumed one") {
    made.node_name = NodeName("n1");
    put(state, made);
    CHECK(cpu_used(state, "n1") == 2000);
    state.forget(made.meta.uid);
    CHECK(cpu_used(state, "n1") == 2000);
  }
  SECTION("bound elsewhere, it counts there only") {
    made.node_name = NodeName("n2");
    put(state, made);
    CHECK(cpu_used(state, "n1") == 0);
    CHECK(cpu_used(state, "n2") == 2000);
  }
  SECTION("forgotten, it counts nowhere") {
    state.forget(made.meta.uid);
    CHECK(cpu_used(state, "n1") == 0);
  }
  SECTION("finished, it counts nowhere, though assumed") {
    made.phase = "Succeeded";
    put(state, made);
    CHECK(cpu_used(state, "n1") == 0);
  }
  SECTION("gone, it counts nowhere") {
    made.node_name = NodeName("n1");
    put(state, made);
    gone(state, Kind::pod, "p", "default");
    CHECK(cpu_used(state, "n1") == 0);
  }
}

TEST_CASE("a pod on a node that comes later counts when it comes") {
  ClusterState state;
  auto made = make_pod("p", {{"cpu", quantity("2")}});
  made.node_name = NodeName("n1");
  put(state, made);
  put(state, make_node("n1"));
  CHECK(cpu_used(state, "n1") == 2000);
}

TEST_CASE("a claim's devices count once, whoever names them") {
  ClusterState state;
  put(state, make_node("n1"));
  put(state, make_slice("n1", {device("gpu-0"), device("gpu-1")}));
  auto owner = make_pod("p");
  put(state, owner);
  auto asked = make_claim("c");
  put(state, asked);
  state.assume(placement(owner, "n1", {{asked, allocation({device_id("n1", "gpu-0")})}}));
  CHECK(devices_used(state) == 1);
  CHECK(state.snapshot()->allocation(asked.key()));
  SECTION("the real allocation replaces the assumed one") {
    asked.allocation = allocation({device_id("n1", "gpu-0")});
    put(state, asked);
    CHECK(devices_used(state) == 1);
    state.forget(owner.meta.uid);
    CHECK(devices_used(state) == 1);
    asked.allocation.reset();
    put(state, asked);
    CHECK(devices_used(state) == 0);
  }
  SECTION("another real allocation counts besides, until the assumed one is forgotten") {
    asked.allocation = allocation({device_id("n1", "gpu-1")});
    put(state, asked);
    CHECK(devices_used(state) == 2);
    state.forget(owner.meta.uid);
    CHECK(devices_used(state) == 1);
  }
  SECTION("two pods share the claim") {
    const auto second = make_pod("q");
    put(state, second);
    state.assume(placement(second, "n1", {{asked, allocation({device_id("n1", "gpu-0")})}}));
    CHECK(devices_used(state) == 1);
    state.forget(owner.meta.uid);
    CHECK(devices_used(state) == 1);
    state.forget(second.meta.uid);
    CHECK(devices_used(state) == 0);
    CHECK_FALSE(state.snapshot()->allocation(asked.key()));
  }
}

TEST_CASE("an allocation that comes before its slice counts when the slice comes") {
  ClusterState state;
  put(state, make_node("n1"));
  auto held = make_claim("c");
  held.allocation = allocation({device_id("n1", "gpu-1")});
  put(state, held);
  put(state, make_slice("n1", {device("gpu-0"), device("gpu-1")}));
  const auto snapshot = state.snapshot();
  const auto pool = snapshot->find_pool(DriverName("gpu.example.com"), PoolName("n1"));
  REQUIRE(pool);
  const auto& slot = snapshot->pool(*pool).slots.front();
  REQUIRE(slot.use);
  CHECK(slot.use->front().first == 1);
  CHECK(slot.use->front().second.dedicated == 1);
}

TEST_CASE("admin access holds nothing, shares add up") {
  ClusterState state;
  put(state, make_slice("n1", {device("gpu-0")}));
  auto share = allocation({device_id("n1", "gpu-0"), device_id("n1", "gpu-0")});
  share.devices[0].share_id = "s1";
  share.devices[0].consumed_capacity = {{"memory", quantity("10Gi")}};
  share.devices[1].admin_access = true;
  auto first = make_claim("c1");
  first.allocation = share;
  auto second = make_claim("c2");
  second.allocation = share;
  second.allocation->devices[0].share_id = "s2";
  put(state, first);
  put(state, second);
  const auto pool =
      state.snapshot()->find_pool(DriverName("gpu.example.com"), PoolName("n1")).value();
  const auto use = state.snapshot()->pool(pool).slots.front().use->front().second;
  CHECK(use.dedicated == 0);
  CHECK(use.shares == 2);
  CHECK(use.consumed.at("memory") == quantity("20Gi"));
  gone(state, Kind::resource_claim, "c1", "default");
  CHECK(state.snapshot()->pool(pool).slots.front().use->front().second.shares == 1);
  gone(state, Kind::resource_claim, "c2", "default");
  CHECK_FALSE(state.snapshot()->pool(pool).slots.front().use);
}

TEST_CASE("the generation moves with what a plan can see, and with nothing else") {
  ClusterState state;
  put(state, make_node("n1"));
  auto made = make_pod("p");
  put(state, made);
  const auto before = state.generation();
  Condition waiting;
  waiting.type = "PodScheduled";
  made.conditions.push_back(waiting);
  made.meta.resource_version = ResourceVersion("7");
  put(state, made);
  CHECK(state.generation() == before);
  CHECK(state.pod(made.key())->conditions.size() == 1);
  auto touched = make_node("n1");
  touched.meta.resource_version = ResourceVersion("8");
  put(state, touched);
  CHECK(state.generation() == before);
  CHECK(state.find_node(NodeName("n1"))->resource_version == ResourceVersion("8"));
  CHECK(state.snapshot() == state.snapshot());
  made.priority = 5;
  put(state, made);
  CHECK(state.generation() != before);
}

TEST_CASE("a node's version moves with its own devices only") {
  ClusterState state;
  for (const char* name : {"n1", "n2"}) {
    put(state, make_node(name));
    put(state, make_slice(name, {device("gpu-0")}));
  }
  const auto version = [&](const char* name) {
    const auto snapshot = state.snapshot();
    return snapshot->entry(*snapshot->node(NodeName(name))).version;
  };
  const auto first = version("n1");
  const auto second = version("n2");
  auto held = make_claim("c");
  held.allocation = allocation({device_id("n1", "gpu-0")});
  put(state, held);
  CHECK(version("n1") != first);
  CHECK(version("n2") == second);
}

TEST_CASE("remembered answers about devices end with a class or a rule, and with its end") {
  ClusterState state;
  const auto moves = [&](const auto& change) {
    const auto before = state.snapshot();
    change();
    const auto after = state.snapshot();
    CHECK(after->device_epoch() > before->device_epoch());
    return std::pair(after->class_epoch() > before->class_epoch(),
                     after->rule_epoch() > before->rule_epoch());
  };
  DeviceTaintRule rule;
  rule.meta = cluster_meta("r");
  CHECK(moves([&] { put(state, make_class()); }) == std::pair(true, false));
  CHECK(moves([&] { put(state, rule); }) == std::pair(false, true));
  CHECK(moves([&] { gone(state, Kind::device_taint_rule, "r"); }) == std::pair(false, true));
  CHECK(moves([&] { gone(state, Kind::device_class, "gpu"); }) == std::pair(true, false));
}

TEST_CASE("an old snapshot never changes") {
  ClusterState state;
  put(state, make_node("n1"));
  put(state, make_slice("n1", {device("gpu-0")}));
  const auto old = state.snapshot();
  const auto pool = old->find_pool(DriverName("gpu.example.com"), PoolName("n1")).value();
  auto held = make_claim("c");
  held.allocation = allocation({device_id("n1", "gpu-0")});
  put(state, held);
  gone(state, Kind::resource_slice, "gpu.example.com-n1");
  CHECK(old->pool(pool).slots.size() == 1);
  CHECK_FALSE(old->pool(pool).slots.front().use);
  CHECK(state.snapshot()->pool(pool).slots.empty());
  CHECK(state.snapshot()->entry(*state.node(NodeName("n1"))).pools.empty());
}

TEST_CASE("a class is compiled once; what does not compile says why") {
  ClusterState state;
  put(state, make_class("good", {"true"}));
  put(state, make_class("bad", {"device."}));
  const auto snapshot = state.snapshot();
  CHECK(snapshot->compiled_class(ClassName("good"))->selectors.front().program);
  CHECK_FALSE(snapshot->compiled_class(ClassName("bad"))->selectors.front().error.empty());
  CHECK_FALSE(snapshot->device_class(ClassName("none")));
}

}  // namespace dray::state_test
