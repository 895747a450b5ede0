#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/state.h"
#include "tests/bench/farm.h"

// Allocation per node, cold and warm; hopeless questions; one pool over many nodes; a large
// cluster.

namespace {

using namespace dray;
using namespace dray::testing;

ResourceClaim four_on_one_root() {
  auto spec = exactly(4, "gpu.nvidia.com");
  spec.selectors.push_back(
      {"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"});
  auto made = make_claim("four", {request("gpu", spec)});
  made.spec.constraints.push_back(match(root_attribute));
  return made;
}

/// `count` nodes with eight GPUs each, of which the first few are in use: `states` different ways.
std::unique_ptr<cluster::ClusterState> farm(int count, int states) {
  auto state = std::make_unique<cluster::ClusterState>();
  put(*state, gpu_class());
  put(*state, make_class("none", {"false"}));
  for (int n = 0; n < count; ++n) {
    auto made = host(n);
    const auto name = made.meta.name;
    put(*state, std::move(made));
    put(*state, gpus(name, n));
    std::vector<DeviceId> used;
    for (int bit = 0; bit < 8; ++bit) {
      if (((n % states) >> bit & 1) != 0) {
        used.push_back(device_id(name, "gpu-" + std::to_string(bit), "gpu.nvidia.com"));
      }
    }
    if (used.empty()) continue;
    auto held = make_claim("held-" + name);
    held.allocation = allocation(std::move(used));
    put(*state, std::move(held));
  }
  return state;
}

void ask_all(alloc::Allocator& allocator, const cluster::AllocatedState& state,
             const ResourceClaim& asked) {
  const ResourceClaim* claims[] = {&asked};
  for (const auto node_index : state.snapshot().nodes_by_name()) {
    benchmark::DoNotOptimize(allocator.check(state, node_index, claims));
  }
}

void per_node(benchmark::State& bench, bool warm) {
  const auto cluster = farm(5000, 20);
  const cluster::AllocatedState state(cluster->snapshot());
  const auto asked = four_on_one_root();
  alloc::Allocator allocator;
  ask_all(allocator, state, asked);
  for (auto _ : bench) {
    if (!warm) {
      bench.PauseTiming();
      allocator = alloc::Allocator();
      bench.ResumeTiming();
    }
    ask_all(allocator, state, asked);
  }
  bench.SetItemsProcessed(bench.iterations() * 5000);  // nodes
}

void bm_four_gpus_cold(benchmark::State& bench) {
  per_node(bench, false);
}
void bm_four_gpus_warm(benchmark::State& bench) {
  per_node(bench, true);
}

/// Nodes of which `change(n, slice)` makes the devices what they are, by an allocator that knows
/// none of them.
template <class Change>
void ask_unknown_nodes(benchmark::State& bench, int count, const Change& change) {
  cluster::ClusterState cluster;
  put(cluster, gpu_class());
  for (int n = 0; n < count; ++n) {
    auto made = host(n);
    auto devices = gpus(made.meta.name, n);
    change(n, devices);
    put(cluster, std::move(made));
    put(cluster, std::move(devices));
  }
  const cluster::AllocatedState state(cluster.snapshot());
  const auto asked = four_on_one_root();
  for (auto _ : bench) {
    alloc::Allocator allocator;
    ask_all(allocator, state, asked);
  }
  bench.SetItemsProcessed(bench.iterations() * count);  // nodes
}

/// Nothing to remember: no two nodes have devices with the same amount of memory.
void bm_four_gpus_unlike(benchmark::State& bench) {
  ask_unknown_nodes(bench, 5000, [](int n, ResourceSlice& slice) {
    for (auto& each : slice.devices) {
      each.capacity["memory"].value = Quantity((81559LL << 20) + n);
    }
  });
}

/// A full allocation with its results on one node that was asked before.
void bm_allocate_one_node(benchmark::State& bench) {
  const auto cluster = farm(1, 1);
  const cluster::AllocatedState state(cluster->snapshot());
  const auto asked = four_on_one_root();
  const ResourceClaim* claims[] = {&asked};
  alloc::Allocator allocator;
  for (auto _ : bench) {
    benchmark::DoNotOptimize(
        allocator.allocate(state, state.snapshot().nodes_by_name().front(), claims));
  }
}

// ---- Questions that upstream's search is exponential in; each is asked of an allocator that has
// seen nothing before.

void ask_one_node(benchmark::State& bench, std::vector<ResourceSlice> slices,
                  const ResourceClaim& asked) {
  cluster::ClusterState cluster;
  put(cluster, make_node("n1"));
  put(cluster, make_class("any"));
  put(cluster, make_class("none", {"false"}));
  for (auto& each : slices) put(cluster, std::move(each));
  const cluster::AllocatedState state(cluster.snapshot());
  const ResourceClaim* claims[] = {&asked};
  for (auto _ : bench) {
    alloc::Allocator allocator;
    benchmark::DoNotOptimize(
        allocator.allocate(state, state.snapshot().nodes_by_name().front(), claims));
  }
}

std::vector<Device> plain(std::int64_t count) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(device("d" + std::to_string(i)));
  return devices;
}

/// k of 64 equal devices, then one that is not there: C(64, k).
void bm_hopeless(benchmark::State& bench) {
  ask_one_node(
      bench, {make_slice("n1", plain(64))},
      make_claim("c", {request("r", exactly(bench.range(0))), request("x", exactly(1, "none"))}));
}

/// So many single requests on so many devices, then one that cannot be met.
void bm_requests_on(benchmark::State& bench) {
  std::vector<DeviceRequest> requests;
  for (int i = 0; i < bench.range(1); ++i) {
    requests.push_back(request("r" + std::to_string(i), exactly(1)));
  }
  requests.push_back(request("x", exactly(1, "none")));
  ask_one_node(bench, {make_slice("n1", plain(bench.range(0)))}, make_claim("c", requests));
}

/// One more device of one value than each of two groups has: 2^(D/2).
void bm_two_groups(benchmark::State& bench) {
  auto devices = plain(bench.range(0));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    devices[i].attributes[root_attribute] = std::to_string(i % 2);
  }
  auto asked = make_claim("c", {request("r", exactly(bench.range(0) / 2 + 1))});
  asked.spec.constraints.push_back(match(root_attribute));
  ask_one_node(bench, {make_slice("n1", std::move(devices))}, asked);
}

/// Twice as many partitions as units, and one more is asked for than there are units.
void bm_counters(benchmark::State& bench) {
  auto devices = plain(2 * bench.range(0));
  for (auto& each : devices) {
    each.consumes_counters = {
        {.counter_set = "set", .counters = {{"units", quantity("1")}}, .compatibility_groups = {}}};
  }
  auto partitions = make_slice("n1", std::move(devices));
  auto counters = make_slice("n1", {});
  counters.meta.name = "counters";
  counters.shared_counters = {{.name = "set", .counters = {{"units", Quantity(bench.range(0))}}}};
  partitions.pool_slice_count = counters.pool_slice_count = 2;
  ask_one_node(bench, {std::move(partitions), std::move(counters)},
               make_claim("c", {request("r", exactly(bench.range(0) + 1))}));
}

/// One pool with a slice a node: upstream scans all of it for every node.
void bm_one_pool_over_all_nodes(benchmark::State& bench) {
  const int count = static_cast<int>(bench.range(0));
  ask_unknown_nodes(bench, count, [count](int n, ResourceSlice& slice) {
    slice.pool = PoolName("all");
    slice.pool_slice_count = count;
    for (auto& each : slice.devices) {
      each.name = DeviceName(fmt::format("{}-{}", n, each.name.get()));
    }
  });
}

/// 130,000 nodes with eight GPUs: memory, one changed slice, one snapshot after it.
void bm_large_cluster(benchmark::State& bench) {
  const double before = resident_mib();
  const auto cluster = farm(130'000, 1);
  auto snapshot = cluster->snapshot();
  bench.counters["MiB"] = resident_mib() - before;
  int number = 0;
  for (auto _ : bench) {
    bench.PauseTiming();
    auto changed = gpus(fmt::format("node-{:06}", number), 200'000 + number);
    number = (number + 997) % 130'000;
    bench.ResumeTiming();
    put(*cluster, std::move(changed));
    snapshot = cluster->snapshot();
  }
}

BENCHMARK(bm_four_gpus_cold)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_four_gpus_warm)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_four_gpus_unlike)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_allocate_one_node)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_hopeless)->Arg(3)->Arg(4)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_requests_on)
    ->Args({64, 3})
    ->Args({64, 4})
    ->Args({8, 7})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_two_groups)->Arg(36)->Arg(44)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_counters)->Arg(8)->Arg(12)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_one_pool_over_all_nodes)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_large_cluster)->Unit(benchmark::kMicrosecond)->Iterations(200);

}  // namespace
