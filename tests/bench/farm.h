#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

// Nodes with eight GPUs each, as drivers publish them.
namespace dray::testing {

inline constexpr const char* root_attribute = "resource.kubernetes.io/pcieRoot";

/// Eight GPUs as drivers publish them: ten attributes, two capacities, two PCIe roots by turns.
inline ResourceSlice gpus(const std::string& node_name, int number) {
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
  return make_slice(node_name, std::move(devices), "gpu.nvidia.com");
}

inline DeviceClass gpu_class() {
  return make_class("gpu.nvidia.com", {"device.driver == 'gpu.nvidia.com' && "
                                       "device.attributes['gpu.nvidia.com'].type == 'gpu'"});
}

inline Node host(int number) {
  auto made = make_node(fmt::format("node-{:06}", number));
  made.meta.labels = {{"kubernetes.io/hostname", made.meta.name},
                      {"kubernetes.io/arch", "amd64"},
                      {"topology.kubernetes.io/zone", fmt::format("zone-{}", number % 3)},
                      {"example.com/rack", fmt::format("rack-{}", number / 32)}};
  return made;
}

/// Of this process.
inline double resident_mib() {
  long pages = 0;
  if (auto* file = std::fopen("/proc/self/statm", "r")) {
    long all = 0;
    if (std::fscanf(file, "%ld %ld", &all, &pages) != 2) pages = 0;
    (void)std::fclose(file);
  }
  return static_cast<double>(pages) * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1048576.0;
}

}  // namespace dray::testing
