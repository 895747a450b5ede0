#include "tests/cases/kai_world.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "tests/cases/kai_parts.h"

// KAI's GPUs, fractions, profiles and NUMA zones as devices, and what asks for them as claims.

namespace dray::cases {

void KaiWorld::read_nodes() {
  classes_.push_back(class_of("gpu", gpu_driver));
  std::set<std::string> profiles;
  for (const auto& json : json_.at("nodes")) {
    Node node;
    node.meta.name = json.at("name").get<std::string>();
    node.meta.uid = Uid(node.meta.name);
    const auto labels = json.value("labels", Json::object());
    for (const auto& [key, value] : labels.items()) {
      node.meta.labels[key] = value.get<std::string>();
    }
    const auto& have = json.at("allocatable");
    node.allocatable["cpu"] = Quantity::from_milli(std::llround(have.value("cpu", 0.0)));
    node.allocatable["memory"] = Quantity(std::llround(have.value("memory", 0.0)));
    node.allocatable["pods"] = Quantity(std::llround(have.value("pods", 110.0)));
    const auto gpus = std::llround(have.value("gpu", 0.0));
    // Counted by KAI as well, where they are published by a slice.
    const bool published = std::ranges::any_of(
        json_.value("dra", Json::object()).value("resourceSlices", Json::array()),
        [&](const auto& slice) { return slice.value("nodeName", "") == node.meta.name; });
    if (gpus > 0 && !published) {
      auto slice = slice_of(node.meta.name, gpu_driver, gpus);
      const auto memory = json.value("gpuMemoryMiB", device_memory_);
      // A node whose cards are all cut into one kind of instance gives those out whole.
      const bool whole = json.value("migStrategy", "") == "single";
      for (auto& device : slice.devices) {
        if (!sharing_ || whole) break;
        device.allow_multiple_allocations = true;
        device.capacity["memory"] = {.value = Quantity(std::llround(memory * 1000)),
                                     .request_policy = {}};
      }
      slices_.push_back(std::move(slice));
    }
    for (const auto& [resource, count] : have.items()) {
      if (is_core(resource) || count.get<double>() <= 0) continue;
      slices_.push_back(slice_of(node.meta.name, resource, std::llround(count.get<double>())));
      profiles.insert(resource);
    }
    nodes_.push_back(std::move(node));
  }
  for (const auto& profile : profiles) classes_.push_back(class_of(profile, profile));
}

void KaiWorld::read_dra() {
  const auto dra = json_.find("dra");
  if (dra == json_.end() || dra->is_null()) return;
  for (const auto& name : dra->value("deviceClasses", Json::array())) {
    classes_.push_back(class_of(name.get<std::string>(), name.get<std::string>()));
  }
  for (const auto& slice : dra->value("resourceSlices", Json::array())) {
    slices_.push_back(slice_of(slice.at("nodeName").get<std::string>(),
                               slice.at("DeviceClassName").get<std::string>(),
                               slice.at("Count").get<std::int64_t>()));
  }
  for (const auto& json : dra->value("resourceClaims", Json::array())) {
    Claim claim;
    claim.shared = true;
    auto& object = claim.object;
    object.meta.namespace_name = json.value("Namespace", "test");
    object.meta.name = json.at("name").get<std::string>();
    object.meta.uid = Uid(object.meta.name);
    DeviceRequestSpec spec;
    spec.device_class = ClassName(json.at("deviceClassName").get<std::string>());
    spec.allocation_mode = "ExactCount";
    spec.count = json.value("count", 1);
    object.spec.requests.push_back({.name = "request", .exactly = spec, .first_available = {}});
    const auto status = json.value("claimStatus", Json::object());
    for (const auto& user : status.value("reservedFor", Json::array())) {
      object.reserved_for.push_back({.api_group = {},
                                     .resource = "pods",
                                     .name = user.at("name").get<std::string>(),
                                     .uid = Uid(user.at("uid").get<std::string>())});
    }
    if (status.contains("allocation")) {
      AllocationResult result;
      for (const auto& device : status["allocation"]["devices"]["results"]) {
        AllocatedDevice taken;
        taken.request = "request";
        taken.device = {DriverName(device.at("driver").get<std::string>()),
                        PoolName(device.at("pool").get<std::string>()),
                        DeviceName(device.at("device").get<std::string>())};
        result.devices.push_back(std::move(taken));
      }
      object.allocation = std::move(result);
    }
    claims_.emplace(object.meta.name, std::move(claim));
  }
}

/// The claim that stands for what a task asks of KAI's GPUs.
void KaiWorld::add_device_claim(Task& task, const Json& gpu, const std::string& name_space) {
  Claim claim;
  auto& object = claim.object;
  const auto ask = [&](const std::string& device_class, std::int64_t count,
                       std::optional<double> memory) {
    DeviceRequestSpec spec;
    spec.device_class = ClassName(device_class);
    spec.allocation_mode = "ExactCount";
    spec.count = count;
    if (memory) {
      spec.has_capacity = true;
      spec.capacity_requests["memory"] = Quantity(std::llround(*memory * 1000));
    }
    const auto name = "r" + std::to_string(object.spec.requests.size());
    object.spec.requests.push_back({.name = name, .exactly = spec, .first_available = {}});
  };
  const auto type = gpu.value("type", "");
  const auto devices = std::max<std::int64_t>(gpu.value("devices", 1), 1);
  if (type == "Regular" && gpu.value("gpus", 0.0) > 0) {
    ask("gpu", std::llround(gpu.at("gpus").get<double>()), {});
  } else if (type == "Fraction") {
    task.shares = true;
    ask("gpu", devices, gpu.at("portion").get<double>() * device_memory_);
  } else if (type == "GpuMemory") {
    task.shares = true;
    ask("gpu", devices, gpu.at("memoryMiB").get<double>());
  } else if (type == "MigInstance") {
    for (const auto& [profile, count] : gpu.at("mig").items()) {
      ask(profile, std::llround(count.get<double>()), {});
    }
  }
  if (object.spec.requests.empty()) return;
  if (devices > 1) {
    object.spec.constraints.push_back({.requests = {},
                                       .match_attribute = {},
                                       .distinct_attribute = gpu_driver + std::string("/index")});
  }
  object.meta = meta_of_claim("c-", task.uid, name_space);
  task.claims.push_back(object.meta.name);
  claims_.emplace(object.meta.name, std::move(claim));
}

/// NUMA zones are shared devices with CPU; what a zone lacks at the start without any task that is
/// seen there is no capacity of it.
void KaiWorld::read_numa() {
  for (const auto& json : json_.at("nodes")) {
    const auto numa = json.value("numa", Json::object());
    if (!numa.contains("zones")) continue;
    numa_ = true;
    ResourceSlice slice = slice_of(json.at("name").get<std::string>(), zone_driver, 0);
    for (const auto& zone : numa["zones"]) {
      Device device;
      device.name = DeviceName(zone.at("id").get<std::string>());
      device.attributes["index"] = static_cast<std::int64_t>(slice.devices.size());
      device.allow_multiple_allocations = true;
      const auto cpu = zone.at("allocatable").value("cpu", 0.0);
      device.capacity["cpu"] = {.value = Quantity(std::llround(cpu)), .request_policy = {}};
      slice.devices.push_back(std::move(device));
    }
    slices_.push_back(std::move(slice));
  }
  if (numa_) classes_.push_back(class_of("zone", zone_driver));
}

/// What a guaranteed pod asks of the zones under the kubelet's policies restricted and
/// single-numa-node: one zone, or as many as it cannot do without.
void KaiWorld::add_zone_claim(Task& task, const std::string& name_space) {
  if (!numa_ || task.json->value("qosClass", "") != "Guaranteed") return;
  const auto& numa = json_.at("nodes").front().at("numa");
  const auto cpu = task.json->at("requests").value("cpu", 0.0);
  const auto zone = numa.at("zones").front().at("allocatable").value("cpu", 1.0);
  const bool single = numa.value("policy", 0) == 3;
  const auto zones = single ? 1 : std::max(1LL, static_cast<long long>(std::ceil(cpu / zone)));
  Claim claim;
  auto& object = claim.object;
  DeviceRequestSpec spec;
  spec.device_class = ClassName("zone");
  spec.allocation_mode = "ExactCount";
  spec.count = zones;
  spec.has_capacity = true;
  spec.capacity_requests["cpu"] = Quantity(std::llround(cpu / static_cast<double>(zones)));
  object.spec.requests.push_back({.name = "zone", .exactly = spec, .first_available = {}});
  if (zones > 1) {
    object.spec.constraints.push_back({.requests = {},
                                       .match_attribute = {},
                                       .distinct_attribute = std::string(zone_driver) + "/index"});
  }
  object.meta = meta_of_claim("z-", task.uid, name_space);
  const auto seen = task.json->value("annotations", Json::object())
                        .value("kai.scheduler/numa-placement-observed", "");
  if (!seen.empty() && holds_room(task.status)) {
    AllocationResult result;
    for (const auto& part : Json::parse(seen)) {
      AllocatedDevice taken;
      taken.request = "zone";
      taken.device = {DriverName(zone_driver), PoolName(task.node),
                      DeviceName(part.at("zone").get<std::string>())};
      taken.share_id = task.uid + taken.device.device.get();
      taken.consumed_capacity["cpu"] = spec.capacity_requests["cpu"];
      result.devices.push_back(std::move(taken));
    }
    object.allocation = std::move(result);
    object.reserved_for.push_back(
        {.api_group = {}, .resource = "pods", .name = task.uid, .uid = Uid(task.uid)});
  }
  task.claims.push_back(object.meta.name);
  claims_.emplace(object.meta.name, std::move(claim));
}

/// Devices for those that run at the start: shared ones by KAI's groups, then the lowest free ones.
void KaiWorld::allocate_running() {
  std::map<std::string, std::int64_t> next;  // driver/node -> index
  std::map<std::string, std::int64_t> groups;
  for (const bool shared : {true, false}) {
    for (auto& [uid, task] : tasks_) {
      if (!holds_room(task.status) || task.node.empty()) continue;
      for (const auto& name : task.claims) {
        auto& claim = claims_.at(name);
        if (claim.shared || name.starts_with("z-")) continue;
        const auto& request = *claim.object.spec.requests.front().exactly;
        if (shared != request.has_capacity) continue;
        const auto driver =
            request.device_class.get() == "gpu" ? gpu_driver : request.device_class.get();
        AllocationResult result;
        for (std::int64_t i = 0; i < request.count; ++i) {
          auto& free = next[driver + std::string("/") + task.node];
          std::int64_t index = 0;
          const auto names = task.json->value("gpuGroups", Json::array());
          if (shared && static_cast<std::size_t>(i) < names.size()) {
            const auto group = names[static_cast<std::size_t>(i)].get<std::string>();
            const auto [at, added] = groups.try_emplace(task.node + "/" + group, free);
            if (added) ++free;
            index = at->second;
            groups_[{DriverName(driver), PoolName(task.node), DeviceName(std::to_string(index))}] =
                group;
          } else {
            index = free++;
          }
          AllocatedDevice taken;
          taken.request = claim.object.spec.requests.front().name;
          taken.device = {DriverName(driver), PoolName(task.node),
                          DeviceName(std::to_string(index))};
          if (sharing_ && driver == std::string(gpu_driver)) {
            taken.share_id = uid + std::to_string(i);
            taken.consumed_capacity["memory"] = request.has_capacity
                                                    ? request.capacity_requests.at("memory")
                                                    : Quantity(std::llround(device_memory_ * 1000));
          }
          task.devices.push_back(taken.device);
          result.devices.push_back(std::move(taken));
        }
        claim.object.allocation = std::move(result);
        claim.object.reserved_for.push_back(
            {.api_group = {}, .resource = "pods", .name = uid, .uid = Uid(uid)});
      }
    }
  }
}

}  // namespace dray::cases
