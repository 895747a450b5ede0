#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/state.h"
#include "tests/unit/cluster/objects.h"

// Allocation per node, cold and warm; hopeless questions; one pool over many nodes; a large
// cluster.

namespace {

using namespace dray;
using namespace dray::testing;

constexpr const char* root_attribute = "resource.kubernetes.io/pcieRoot";

/// Eight GPUs as drivers publish them: ten attributes, two capacities, two PCIe roots by turns.
ResourceSlice gpus(const std::string& node_name, int number) {
  std::vector<Device> devices;
  for (int i = 0; i < 8; ++i) {
    auto made = device("gpu-" + std::to_string(i));
    made.attributes = {{"type", std::string("gpu")},
                       {"uuid", fmt::format("GPU-{:08x}-{:04x}", number, i)},
                       {"productName", std::string("NVIDIA H100 80GB HBM3")},
                       {"brand", std::string("Nvidia")},
                       {"architecture", std::string("Hopper")},
                       {"cudaComputeCapability", VersionText("9.0.0")},
                       {"driverVersion", VersionText("570.86.15")},
                       {"resource.kubernetes.io/pciBusID", fmt::format("0000:{:02x}:00.0", 16 + i)},
                       {root_attribute, std::string(i % 2 == 0 ? "pci0000:10" : "pci0000:80")},
                       {"resource.kubernetes.io/numaNode", std::int64_t{i / 4}}};
    made.capacity["memory"].value = quantity("81559Mi");
    made.capacity["multiprocessors"].value = quantity("132");
    devices.push_back(std::move(made));
  }
  return slice(node_name, std::move(devices), "gpu.nvidia.com");
}

ResourceClaim four_on_one_root() {
  auto spec = exactly(4, "gpu.nvidia.com");
  spec.selectors.push_back(
      {"device.capacity['gpu.nvidia.com'].memory.compareTo(quantity('40Gi')) >= 0"});
  auto made = claim("four", {request("gpu", spec)});
  made.spec.constraints.emplace_back().match_attribute = root_attribute;
  return made;
}

DeviceClass gpu_class() {
  return device_class("gpu.nvidia.com", {"device.driver == 'gpu.nvidia.com' && "
                                         "device.attributes['gpu.nvidia.com'].type == 'gpu'"});
}

Node host(int number) {
  auto made = node(fmt::format("node-{:06}", number));
  made.meta.labels = {{"kubernetes.io/hostname", made.meta.name},
                      {"kubernetes.io/arch", "amd64"},
                      {"topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3)},
                      {"example.com/rack", fmt::format("rack-{}", number / 32)}};
  return made;
}

/// `count` nodes with eight GPUs each, of which the first few are in use: `states` different ways.
std::unique_ptr<cluster::ClusterState> farm(int count, int states) {
  auto state = std::make_unique<cluster::ClusterState>();
  put(*state, gpu_class());
  put(*state, device_class("none", {"false"}));
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
    auto held = claim("held-" + name, {});
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
  bench.counters["us_per_node"] =
      benchmark::Counter(5000e-6 * static_cast<double>(bench.iterations()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void bm_four_gpus_cold(benchmark::State& bench) {
  per_node(bench, false);
}
void bm_four_gpus_warm(benchmark::State& bench) {
  per_node(bench, true);
}

/// A full allocation with its results on one node, searched anew each time.
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

/// k of 64 equal devices, then one that is not there: upstream needs C(64, k) steps.
void bm_hopeless(benchmark::State& bench) {
  cluster::ClusterState cluster;
  put(cluster, node("n1"));
  put(cluster, device_class("any"));
  put(cluster, device_class("none", {"false"}));
  std::vector<Device> devices;
  for (int i = 0; i < 64; ++i) devices.push_back(device("d" + std::to_string(i)));
  put(cluster, slice("n1", devices));
  const cluster::AllocatedState state(cluster.snapshot());
  const auto asked =
      claim("c", {request("r", exactly(bench.range(0))), request("x", exactly(1, "none"))});
  const ResourceClaim* claims[] = {&asked};
  for (auto _ : bench) {
    alloc::Allocator allocator;
    benchmark::DoNotOptimize(
        allocator.allocate(state, state.snapshot().nodes_by_name().front(), claims));
  }
}

/// One pool with a slice a node: upstream scans all of it for every node.
void bm_one_pool_over_all_nodes(benchmark::State& bench) {
  cluster::ClusterState cluster;
  put(cluster, gpu_class());
  const int count = static_cast<int>(bench.range(0));
  for (int n = 0; n < count; ++n) {
    auto made = host(n);
    auto devices = gpus(made.meta.name, n);
    devices.pool = PoolName("all");
    devices.pool_slice_count = count;
    for (auto& each : devices.devices)
      each.name = DeviceName(fmt::format("{}-{}", n, each.name.get()));
    put(cluster, std::move(made));
    put(cluster, std::move(devices));
  }
  const cluster::AllocatedState state(cluster.snapshot());
  const auto asked = four_on_one_root();
  for (auto _ : bench) {
    alloc::Allocator allocator;
    ask_all(allocator, state, asked);
  }
}

double resident_mib() {
  long pages = 0;
  if (auto* file = std::fopen("/proc/self/statm", "r")) {
    long all = 0;
    if (std::fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    (void)std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
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
BENCHMARK(bm_allocate_one_node)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_hopeless)->Arg(4)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(bm_one_pool_over_all_nodes)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);
BENCHMARK(bm_large_cluster)->Unit(benchmark::kMicrosecond)->Iterations(200);

}  // namespace
