#include "metrics/device_figures.h"

#include <catch2/catch.hpp>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::metrics::device_figures_test {
namespace {

using namespace dray::testing;

ResourceClaim claim_on(const std::string& name, std::vector<AllocatedDevice> devices) {
  auto claim = make_claim(name);
  claim.allocation.emplace();
  claim.allocation->devices = std::move(devices);
  return claim;
}

AllocatedDevice gpu_of(const std::string& node, const std::string& name) {
  return allocated({DriverName(gpu_driver), PoolName(node), DeviceName(name)});
}

DeviceFigures gpus(cluster::ClusterState& state) {
  return count_devices(*state.snapshot()).at(DriverName(gpu_driver));
}

TEST_CASE(
    "a driver's devices are counted by what holds them, and what is left over on used nodes") {
  cluster::ClusterState state;
  for (const std::string node : {"n1", "n2"}) {
    put(state, make_node(node));
    put(state, make_gpus(node, node == "n1" ? 4 : 3));
  }
  CHECK(gpus(state) == DeviceFigures{.free = 7, .most_free_on_one_node = 4});
  put(state, claim_on("a", {gpu_of("n1", "gpu-0"), gpu_of("n1", "gpu-3")}));
  CHECK(gpus(state) ==
        DeviceFigures{.free = 5, .in_use = 2, .free_on_used_nodes = 2, .most_free_on_one_node = 3});
  gone(state, Kind::resource_claim, "a", "default");
  CHECK(gpus(state).free == 7);
}

TEST_CASE(
    "a share is not a whole device; a taint keeps a free one out, and says nothing of a used one") {
  cluster::ClusterState state;
  put(state, make_node("n1"));
  auto slice = make_gpus("n1", 4);
  for (auto& each : slice.devices) each.allow_multiple_allocations = true;
  slice.devices[1].taints.push_back(
      {.key = "bad", .value = "", .effect = "NoExecute", .time_added = {}});
  slice.devices[2].taints = slice.devices[1].taints;
  slice.devices[3].taints.push_back(
      {.key = "note", .value = "", .effect = "None", .time_added = {}});
  put(state, slice);
  auto share = gpu_of("n1", "gpu-0");
  share.share_id = "s";
  put(state, claim_on("a", {share, gpu_of("n1", "gpu-2")}));
  CHECK(gpus(state) == DeviceFigures{.free = 1,
                                     .tainted = 1,
                                     .in_use = 1,
                                     .shared = 1,
                                     .free_on_used_nodes = 1,
                                     .most_free_on_one_node = 1});
}

TEST_CASE("partitions of a card that is in use are not free") {
  cluster::ClusterState state;
  put(state, make_node("n1"));
  const auto part = [](const char* name, const char* memory) {
    auto made = device(name);
    made.consumes_counters.push_back({"card", {{"memory", quantity(memory)}}, {}});
    return made;
  };
  auto slice = make_slice(
      "n1", {part("whole", "4Gi"), part("half-0", "2Gi"), part("half-1", "2Gi"), device("beside")});
  slice.shared_counters.push_back({"card", {{"memory", quantity("4Gi")}}});
  put(state, slice);
  CHECK(gpus(state).free == 4);
  put(state, claim_on("a", {gpu_of("n1", "half-0")}));
  CHECK(gpus(state) == DeviceFigures{.free = 2,
                                     .blocked = 1,
                                     .in_use = 1,
                                     .free_on_used_nodes = 2,
                                     .most_free_on_one_node = 2});
}

TEST_CASE("devices are counted for each class that accepts them, by state") {
  cluster::ClusterState state;
  put(state, make_class("gpu"));
  put(state, make_class("first", {"device.attributes[device.driver].number == 0"}));
  put(state, make_class("broken", {"device.nope"}));
  for (const std::string node : {"n1", "n2"}) {
    put(state, make_node(node));
    put(state, make_slice(node, {device("gpu-0", {{"number", std::int64_t{0}}}),
                                 device("gpu-1", {{"number", std::int64_t{1}}})}));
  }
  put(state, claim_on("a", {gpu_of("n2", "gpu-0")}));
  const auto counted = DeviceCounter().count(state.snapshot()).by_class;
  CHECK(counted.at(ClassName("gpu")) == DeviceFigures{.free = 3, .in_use = 1});
  CHECK(counted.at(ClassName("first")) == DeviceFigures{.free = 1, .in_use = 1});
  CHECK(counted.at(ClassName("broken")) == DeviceFigures{});
}

TEST_CASE("the next count reads only the pools that changed, and comes to the same") {
  constexpr std::size_t nodes = 500;
  cluster::ClusterState state;
  put(state, make_class("gpu"));
  const auto name = [](std::size_t node) { return "n" + std::to_string(node); };
  for (std::size_t i = 0; i < nodes; ++i) {
    put(state, make_node(name(i)));
    put(state, make_gpus(name(i), 4));
  }
  DeviceCounter counter;
  const auto reads = [&] {
    const auto before = counter.pools_read();
    const auto snapshot = state.snapshot();
    const auto counted = counter.count(snapshot);
    CHECK(counted.by_driver == count_devices(*snapshot));
    CHECK(counted.by_class == DeviceCounter().count(snapshot).by_class);
    return counter.pools_read() - before;
  };
  CHECK(reads() == nodes);
  CHECK(reads() == 0);
  put(state, claim_on("a", {gpu_of("n7", "gpu-0"), gpu_of("n8", "gpu-1")}));
  CHECK(reads() == 2);
  gone(state, Kind::resource_claim, "a", "default");
  put(state, make_gpus("n9", 5));
  CHECK(reads() == 3);
  gone(state, Kind::resource_slice, "n9-gpus");  // its pool stays, without a slice
  CHECK(reads() == 1);
  put(state, make_class("other", {"device.attributes[device.driver].number == 0"}));
  CHECK(reads() == nodes);
  DeviceTaintRule rule;
  rule.meta = cluster_meta("sick");
  rule.has_selector = true;
  rule.pool = PoolName("n1");
  rule.taint = {.key = "sick", .value = "", .effect = "NoSchedule", .time_added = {}};
  put(state, rule);
  CHECK(reads() == nodes);
  CHECK(reads() == 0);
}

TEST_CASE("a DeviceTaintRule taints what it selects, and a pool that has no taint of its own") {
  cluster::ClusterState state;
  for (const std::string node : {"n1", "n2"}) {
    put(state, make_node(node));
    put(state, make_gpus(node, 2));
  }
  DeviceTaintRule rule;
  rule.meta = cluster_meta("sick");
  rule.has_selector = true;
  rule.pool = PoolName("n1");
  rule.taint.key = "sick";
  rule.taint.effect = "NoSchedule";
  put(state, rule);
  CHECK(gpus(state) == DeviceFigures{.free = 2, .tainted = 2, .most_free_on_one_node = 2});
  rule.taint.effect = "None";
  rule.meta.resource_version = ResourceVersion("2");
  put(state, rule);
  CHECK(gpus(state).tainted == 0);
}

TEST_CASE(
    "drivers are apart, an older generation does not count, a network's device is on no node") {
  cluster::ClusterState state;
  put(state, make_node("n1"));
  put(state, make_gpus("n1", 2));
  auto newer = make_gpus("n1", 3);
  newer.meta.name = "n1-newer";
  newer.pool_generation = 2;
  put(state, newer);
  auto fabric = make_slice("fabric", {device("channel-0")}, "net.example.com");
  fabric.scope = {};
  fabric.scope.all_nodes = true;
  put(state, fabric);
  CHECK(gpus(state).free == 3);
  CHECK(count_devices(*state.snapshot()).at(DriverName("net.example.com")) ==
        DeviceFigures{.free = 1});
  gone(state, Kind::resource_slice, "net.example.com-fabric");
  CHECK_FALSE(count_devices(*state.snapshot()).contains(DriverName("net.example.com")));
}

}  // namespace
}  // namespace dray::metrics::device_figures_test
