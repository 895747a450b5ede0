#include "simulate/jobs/device_kinds.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace dray::simulate {
namespace {

/// Where nothing is said.
constexpr const char* usual_class = "gpu.nvidia.com";
constexpr const char* usual_resource = "nvidia.com/gpu";

/// Every class with devices and every resource of device plugins: `gpu.nvidia.com (64)`.
std::vector<std::string> gpu_kinds(const cluster::Snapshot& snapshot) {
  std::vector<std::string> kinds;
  for (const auto& each : snapshot.classes()) {
    const auto& name = each->object->meta.name;
    const auto count = ClassDevices(snapshot, ClassName(name)).in_all();
    if (count > 0) kinds.push_back(fmt::format("{} ({})", name, count));
  }
  for (const auto& name : plugin_resources(snapshot)) {
    kinds.push_back(fmt::format("{} ({})", name, in_all(snapshot, name)));
  }
  return kinds;
}

}  // namespace

ClassDevices::ClassDevices(const cluster::Snapshot& snapshot, const ClassName& name)
    : snapshot_(snapshot), class_(snapshot.compiled_class(name)) {}

std::vector<DeviceId> ClassDevices::on(cluster::NodeIndex node) {
  std::vector<DeviceId> devices;
  for (const auto index : snapshot_.entry(node).pools) {
    const auto& pool = snapshot_.pool(index);
    const auto newest = pool.generations.empty() ? 0 : pool.generations.back().generation;
    const auto [first, last] = pool.of_node(snapshot_.name(node).get());
    for (auto slot = first; slot != last; ++slot) {
      const auto& slice = *pool.slots[slot].slice;
      if (slice.generation != newest) continue;
      for (const auto& device : slice.devices) {
        if (counts(device)) devices.push_back({pool.driver, pool.name, DeviceName(*device.name)});
      }
    }
  }
  return devices;
}

std::int64_t ClassDevices::in_all() {
  std::int64_t count = 0;
  for (const auto node : snapshot_.nodes_by_name()) count += std::ssize(on(node));
  return count;
}

bool ClassDevices::counts(const cluster::PublishedDevice& device) {
  if (!class_) return false;
  const bool tainted = std::ranges::any_of(device.traits->taints, [](const auto& taint) {
    return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
  });
  return !tainted && std::ranges::all_of(class_->selectors, [&](const auto& selector) {
    return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
  });
}

std::int64_t in_all(const cluster::Snapshot& snapshot, const std::string& resource) {
  std::int64_t count = 0;
  for (const auto node : snapshot.nodes_by_name()) {
    count += snapshot.facts(node).allocatable->other(resource);
  }
  return count;
}

std::vector<std::string> plugin_resources(const cluster::Snapshot& snapshot) {
  std::set<std::string> resources;
  for (const auto node : snapshot.nodes_by_name()) {
    for (const auto& [name, amount] : snapshot.facts(node).allocatable->others) {
      if (name.find('/') != std::string::npos && amount > 0) resources.insert(name);
    }
  }
  return {resources.begin(), resources.end()};
}

Result<GpuKind> choose_kind(const cluster::Snapshot& snapshot, const std::string& gpus) {
  const auto class_name = ClassName(gpus.empty() ? usual_class : gpus);
  const auto resource = gpus.empty() ? std::string(usual_resource) : gpus;
  if (ClassDevices(snapshot, class_name).in_all() > 0) {
    const auto& behind = snapshot.device_class(class_name)->extended_resource_name;
    return GpuKind{class_name, behind.empty() ? usual_resource : behind};
  }
  if (in_all(snapshot, resource) > 0) return GpuKind{ClassName(), resource};
  const auto kinds = gpu_kinds(snapshot);
  return fail(
      ErrorCode::invalid,
      fmt::format("no node has {}; {}", gpus.empty() ? "gpu.nvidia.com or nvidia.com/gpu" : gpus,
                  kinds.empty()
                      ? "there are no devices at all"
                      : fmt::format("--gpus takes what there is: {}", fmt::join(kinds, ", "))));
}

}  // namespace dray::simulate
