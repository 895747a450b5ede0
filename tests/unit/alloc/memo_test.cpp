#include "alloc/search/memo.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <iterator>

#include "tests/objects/pods.h"
#include "tests/unit/alloc/one_node.h"

namespace dray::memo_test {

using namespace dray::testing;

namespace {

ResourceSlice gpus(const std::string& node_name) {
  auto first = device("gpu-0", {{"root", std::string("a")}, {"uuid", node_name + "-0"}});
  auto second = device("gpu-1", {{"root", std::string("a")}, {"uuid", node_name + "-1"}});
  return make_slice(node_name, {first, second});
}

struct Farm {
  cluster::ClusterState cluster;
  alloc::Allocator allocator;

  Farm() {
    put(cluster, make_class("any"));
    for (const char* name : {"n1", "n2", "n3"}) {
      put(cluster, make_node(name));
      put(cluster, gpus(name));
    }
  }

  [[nodiscard]] static ResourceClaim pair(const std::string& name) {
    auto made = make_claim(name, {request("r", exactly(2))});
    made.spec.constraints = {match("gpu.example.com/root")};
    return made;
  }

  [[nodiscard]] Names ask(const char* node_name, const ResourceClaim& asked) {
    const cluster::AllocatedState state(cluster.snapshot());
    const ResourceClaim* claims[] = {&asked};
    return chosen(allocator.allocate(state, *state.snapshot().node(NodeName(node_name)), claims));
  }
  /// Searches that asking all nodes took.
  [[nodiscard]] std::uint64_t searches(const ResourceClaim& asked = pair("c")) {
    const auto before = allocator.counts().searches;
    for (const char* name : {"n1", "n2", "n3"}) (void)ask(name, asked);
    return allocator.counts().searches - before;
  }
};

/// Something that happens to n2 after all nodes were asked.
struct Change {
  const char* name;
  std::function<void(Farm&)> change;
  Names want;               ///< of n2 afterwards
  bool remembered = false;  ///< no search is needed for that
};

std::function<void(Farm&)> slice_with(const std::function<void(ResourceSlice&)>& change) {
  return [change](Farm& farm) {
    auto changed = gpus("n2");
    change(changed);
    put(farm.cluster, changed);
  };
}

std::vector<Change> changes_of_the_slice() {
  const Names both{"gpu-0", "gpu-1"};
  return {{"nothing", [](Farm&) {}, both, true},
          {"another attribute value",
           slice_with([](auto& s) { s.devices[1].attributes["root"] = std::string("b"); }),
           {"Constraint"}},
          {"the same value under another name", slice_with([](auto& s) {
             for (auto& each : s.devices) each.attributes["root"] = std::string("z");
           }),
           both, true},
          {"a taint",
           slice_with([](auto& s) { s.devices[0].taints.push_back({"k", "", "NoSchedule", {}}); }),
           {"DeviceTaint"}},
          {"one more slice to come",
           slice_with([](auto& s) { s.pool_slice_count = 2; }),
           {"PoolIncomplete"}},
          {"two devices of one name",
           slice_with([](auto& s) { s.devices[1].name = DeviceName("gpu-0"); }),
           {"PoolInvalid"}},
          {"the slice gone",
           [](Farm& farm) { gone(farm.cluster, Kind::resource_slice, "gpu.example.com-n2"); },
           {"NoDevices"}}};
}

void hold_a_device(Farm& farm) {
  auto held = make_claim("held", {});
  held.allocation = allocation({device_id("n2", "gpu-0")});
  put(farm.cluster, held);
}

void assume_a_device(Farm& farm) {
  const auto owner = make_pod("p");
  put(farm.cluster, owner);
  farm.cluster.assume(
      placement(owner, "n2", {{make_claim("h", {}), allocation({device_id("n2", "gpu-1")})}}));
}

void add_a_taint_rule(Farm& farm) {
  DeviceTaintRule rule;
  rule.meta.name = "rule";
  rule.has_selector = true;
  rule.pool = PoolName("n2");
  rule.taint = {"k", "", "NoSchedule", {}};
  put(farm.cluster, rule);
}

void add_a_slice_elsewhere(Farm& farm) {
  slice_with([](auto& s) { s.pool_slice_count = 2; })(farm);
  (void)farm.searches();
  auto newer = gpus("n3");
  newer.meta.name = "newer";
  newer.pool = PoolName("n2");
  newer.pool_generation = 2;
  put(farm.cluster, newer);
}

std::vector<Change> changes_elsewhere() {
  return {{"a device in use", hold_a_device, {"DevicesInUse"}},
          {"a device assumed to be in use", assume_a_device, {"DevicesInUse"}},
          {"a rule that taints", add_a_taint_rule, {"DeviceTaint"}},
          {"a newer generation elsewhere", add_a_slice_elsewhere, {"NoDevices"}},
          {"another class",
           [](Farm& farm) { put(farm.cluster, make_class("any", {"false"})); },
           {"ClassSelector"}}};
}

}  // namespace

TEST_CASE("nodes that look the same are searched once, and claims of one shape once") {
  Farm farm;
  CHECK(farm.searches() == 1);
  CHECK(farm.searches() == 0);
  CHECK(farm.searches(Farm::pair("another")) == 0);
  CHECK(farm.ask("n2", Farm::pair("c")) == Names{"gpu-0", "gpu-1"});
}

TEST_CASE("whatever an answer depends on, a change of it is seen") {
  auto rows = changes_of_the_slice();
  std::ranges::copy(changes_elsewhere(), std::back_inserter(rows));
  const auto row = GENERATE_COPY(from_range(rows));
  DYNAMIC_SECTION(row.name) {
    Farm farm;
    (void)farm.searches();
    row.change(farm);
    const auto searches = farm.searches();
    CHECK(farm.ask("n2", Farm::pair("c")) == row.want);
    CHECK((searches == 0) == row.remembered);
    alloc::Allocator fresh;
    const cluster::AllocatedState state(farm.cluster.snapshot());
    const auto asked = Farm::pair("c");
    const ResourceClaim* claims[] = {&asked};
    CHECK(chosen(fresh.allocate(state, *state.snapshot().node(NodeName("n2")), claims)) ==
          row.want);
  }
}

TEST_CASE("why a device is kept out is remembered for nodes where it is for the same") {
  Farm farm;
  hold_a_device(farm);
  auto tainted = gpus("n1");
  tainted.devices[0].taints.push_back({"k", "", "NoSchedule", {}});
  put(farm.cluster, tainted);
  CHECK(farm.ask("n1", Farm::pair("c")) == Names{"DeviceTaint"});
  CHECK(farm.ask("n2", Farm::pair("c")) == Names{"DevicesInUse"});
}

TEST_CASE("what is placed on an overlay is seen on its node, and forgotten with it") {
  Farm farm;
  (void)farm.searches();
  const auto asked = Farm::pair("c");
  const ResourceClaim* claims[] = {&asked};
  cluster::AllocatedState state(farm.cluster.snapshot());
  const auto n2 = *state.snapshot().node(NodeName("n2"));
  const auto before = state.checkpoint();
  state.place(placement(make_pod("p"), "n2",
                        {{make_claim("other"), allocation({device_id("n2", "gpu-0")})}}));
  CHECK(chosen(farm.allocator.allocate(state, n2, claims)) == Names{"DevicesInUse"});
  state.rollback(before);
  CHECK(chosen(farm.allocator.allocate(state, n2, claims)) == Names{"gpu-0", "gpu-1"});
  CHECK(farm.allocator.check(state, n2, claims)->reason == Reason::none);
}

TEST_CASE("what an overlay takes of devices that many nodes see is seen on all of them") {
  Farm farm;
  put(farm.cluster, make_driver_class("nic", "nic.example.com"));
  auto fabric = make_slice("fabric", {device("nic-0")}, "nic.example.com");
  fabric.scope = {.node_name = {}, .node_selector = {}, .all_nodes = true};
  put(farm.cluster, fabric);
  const auto asked = make_claim("c", {request("r", exactly(1, "nic"))});
  const ResourceClaim* claims[] = {&asked};
  cluster::AllocatedState state(farm.cluster.snapshot());
  const auto n1 = *state.snapshot().node(NodeName("n1"));
  CHECK(chosen(farm.allocator.allocate(state, n1, claims)) == Names{"nic-0"});
  state.place(placement(
      make_pod("p"), "n2",
      {{make_claim("other"), allocation({device_id("fabric", "nic-0", "nic.example.com")})}}));
  CHECK(chosen(farm.allocator.allocate(state, n1, claims)) == Names{"DevicesInUse"});
}

TEST_CASE("a request that reads what equivalence classes leave out is searched on each node") {
  cluster::ClusterState cluster;
  put(cluster, make_class("any"));
  constexpr int nodes = 300;
  for (int n = 0; n < nodes; ++n) {
    const auto name = "n" + std::to_string(n);
    put(cluster, make_node(name));
    put(cluster, make_slice(name, {device("gpu-0", {{"uuid", name}})}));
  }
  const cluster::AllocatedState state(cluster.snapshot());
  alloc::Allocator allocator;
  const auto ask_all = [&](const ResourceClaim& asked) {
    std::string found;
    const ResourceClaim* claims[] = {&asked};
    for (const auto index : state.snapshot().nodes_by_name()) {
      const auto fit = allocator.check(state, index, claims);
      if (fit && fit->reason == Reason::none) found += state.snapshot().name(index).get() + " ";
    }
    return found;
  };
  auto spec = exactly(1);
  spec.selectors.push_back({"device.attributes['gpu.example.com'].uuid == 'n250'"});
  CHECK(ask_all(make_claim("by-uuid", {request("r", spec)})) == "n250 ");
  const auto before = allocator.counts().searches;
  ask_all(make_claim("any", {request("r", exactly(1))}));
  CHECK(allocator.counts().searches == before + 1);
}

TEST_CASE("a class that comes to read what equivalence classes leave out is seen to do so") {
  cluster::ClusterState cluster;
  put(cluster, make_class("any"));
  for (int n = 0; n < 300; ++n) {
    const auto name = "n" + std::to_string(n);
    put(cluster, make_node(name));
    put(cluster, make_slice(name, {device("gpu-0", {{"uuid", name}})}));
  }
  alloc::Allocator allocator;
  const auto asked = make_claim("c", {request("r", exactly(1))});
  const ResourceClaim* claims[] = {&asked};
  const auto fitting = [&] {
    const cluster::AllocatedState state(cluster.snapshot());
    std::size_t count = 0;
    for (const auto index : state.snapshot().nodes_by_name()) {
      const auto fit = allocator.check(state, index, claims);
      count += fit && fit->reason == Reason::none ? 1U : 0U;
    }
    return count;
  };
  CHECK(fitting() == 300);
  put(cluster, make_class("any", {"device.attributes['gpu.example.com'].uuid == 'n299'"}));
  CHECK(fitting() == 1);
}

TEST_CASE("an answer where a device that errs is in use holds for no node where it is free") {
  Farm farm;
  for (const char* name : {"n1", "n2"}) {
    put(farm.cluster, make_slice(name, {device("odd"), device("good", {{"size", std::int64_t{1}}})},
                                 "z.example.com"));
  }
  auto held = make_claim("held");
  held.allocation = allocation({device_id("n1", "odd", "z.example.com")});
  put(farm.cluster, held);
  put(farm.cluster, make_class("z", {"device.driver == 'z.example.com'",
                                     "device.attributes[device.driver].size == 1"}));
  const auto asked = make_claim("c", {request("r", exactly(1, "z"))});
  CHECK(farm.ask("n1", asked) == Names{"good"});
  const auto free = farm.ask("n2", asked);
  REQUIRE(free.size() == 1);
  CHECK(free.front().starts_with("error: class z: selector #1 on device z.example.com/n2/odd"));
}

}  // namespace dray::memo_test
