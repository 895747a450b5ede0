#include "tests/bench/alloc_problems.h"

#include <fmt/format.h>

#include <utility>

#include "tests/bench/farm.h"

namespace dray::bench {
namespace {

using namespace dray::testing;

ResourceClaim four_on_one_root() {
  auto spec = exactly(4, "gpu.nvidia.com");
  spec.selectors.push_back(
      {"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"});
  auto made = make_claim("four", {request("gpu", spec)});
  made.spec.constraints.push_back(match(root_attribute));
  return made;
}

/// `count` nodes of which `change(n, slice)` makes the eight GPUs what they are, and of which the
/// first few are in use: `states` different ways.
template <class Change>
AllocProblem farm(std::string name, int count, int states, const Change& change) {
  AllocProblem problem{std::move(name), std::make_unique<cluster::ClusterState>(),
                       four_on_one_root()};
  auto& cluster = *problem.cluster;
  put(cluster, gpu_class());
  for (int n = 0; n < count; ++n) {
    auto made = host(n);
    const auto node = made.meta.name;
    auto devices = gpus(node, n);
    change(n, devices);
    put(cluster, std::move(made));
    put(cluster, std::move(devices));
    std::vector<DeviceId> used;
    for (int bit = 0; bit < 8; ++bit) {
      if (((n % states) >> bit & 1) != 0) {
        used.push_back(device_id(node, "gpu-" + std::to_string(bit), "gpu.nvidia.com"));
      }
    }
    if (used.empty()) continue;
    auto held = make_claim("held-" + node);
    held.allocation = allocation(std::move(used));
    put(cluster, std::move(held));
  }
  return problem;
}

AllocProblem on_one_node(std::string name, std::vector<ResourceSlice> slices, ResourceClaim asked) {
  AllocProblem problem{std::move(name), std::make_unique<cluster::ClusterState>(),
                       std::move(asked)};
  put(*problem.cluster, make_node("n1"));
  put(*problem.cluster, make_class("any"));
  put(*problem.cluster, make_class("none", {"false"}));
  for (auto& each : slices) put(*problem.cluster, std::move(each));
  return problem;
}

std::vector<Device> plain(int count) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(device("d" + std::to_string(i)));
  return devices;
}

/// k of 64 equal devices, then one that is not there: C(64, k).
AllocProblem hopeless(int k) {
  return on_one_node(fmt::format("hopeless/{}", k), {make_slice("n1", plain(64))},
                     make_claim("c", {request("r", exactly(k)), request("x", exactly(1, "none"))}));
}

/// So many single requests on so many devices, then one that cannot be met.
AllocProblem requests_on(int devices, int count) {
  std::vector<DeviceRequest> requests;
  for (int i = 0; i < count; ++i) {
    requests.push_back(request("r" + std::to_string(i), exactly(1)));
  }
  requests.push_back(request("x", exactly(1, "none")));
  return on_one_node(fmt::format("requests_on_{}/{}", devices, count),
                     {make_slice("n1", plain(devices))}, make_claim("c", requests));
}

/// One more device of one value than each of two groups has: 2^(D/2).
AllocProblem two_groups(int count) {
  auto devices = plain(count);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].attributes[root_attribute] = std::to_string(i % 2);
  }
  auto asked = make_claim("c", {request("r", exactly(count / 2 + 1))});
  asked.spec.constraints.push_back(match(root_attribute));
  return on_one_node(fmt::format("two_groups/{}", count), {make_slice("n1", std::move(devices))},
                     std::move(asked));
}

/// Twice as many partitions as units, and one more is asked for than there are units.
AllocProblem counters(int units) {
  auto devices = plain(2 * units);
  for (auto& each : devices) {
    each.consumes_counters = {
        {.counter_set = "set", .counters = {{"units", quantity("1")}}, .compatibility_groups = {}}};
  }
  auto partitions = make_slice("n1", std::move(devices));
  auto sets = make_slice("n1", {});
  sets.meta.name = "counters";
  sets.shared_counters = {{.name = "set", .counters = {{"units", Quantity(units)}}}};
  partitions.pool_slice_count = sets.pool_slice_count = 2;
  return on_one_node(fmt::format("counters/{}", units), {std::move(partitions), std::move(sets)},
                     make_claim("c", {request("r", exactly(units + 1))}));
}

}  // namespace

std::vector<AllocProblem> alloc_problems() {
  std::vector<AllocProblem> all;
  all.push_back(farm("four_gpus", 5000, 20, [](int, ResourceSlice&) {}));
  all.push_back(farm("four_gpus_unlike", 5000, 1, [](int n, ResourceSlice& slice) {
    for (auto& each : slice.devices) {
      each.capacity["memory"].value = Quantity((81559LL << 20) + n);
    }
  }));
  constexpr int pooled = 2000;
  all.push_back(farm("one_pool", pooled, 1, [](int n, ResourceSlice& slice) {
    slice.pool = PoolName("all");
    slice.pool_slice_count = pooled;
    for (auto& each : slice.devices) {
      each.name = DeviceName(fmt::format("{}-{}", n, each.name.get()));
    }
  }));
  for (const int k : {3, 4, 16}) all.push_back(hopeless(k));
  all.push_back(requests_on(64, 3));
  all.push_back(requests_on(64, 4));
  all.push_back(requests_on(8, 7));
  for (const int count : {36, 44}) all.push_back(two_groups(count));
  for (const int units : {8, 12}) all.push_back(counters(units));
  return all;
}

}  // namespace dray::bench
