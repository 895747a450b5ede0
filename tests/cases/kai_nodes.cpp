#include <algorithm>
#include <set>

#include "tests/cases/kai_objects.h"
#include "tests/cases/kai_parts.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

// KAI's nodes: their GPUs, MIG instances and NUMA zones as devices.

namespace dray::cases {
namespace {

bool is_core(const std::string& resource) {
  return resource == "cpu" || resource == "memory" || resource == "pods" || resource == "gpu";
}

/// Devices that are told apart by their number.
ResourceSlice numbered(const std::string& node, const std::string& driver, std::int64_t count) {
  std::vector<Device> devices;
  for (std::int64_t i = 0; i < count; ++i) {
    devices.push_back(testing::device(std::to_string(i), {{"index", i}}));
  }
  return testing::make_slice(node, std::move(devices), driver);
}

Node node_of(const Json& json) {
  auto node = testing::make_node(json.at("name").get<std::string>());
  const auto labels = object_of(json, "labels");
  for (const auto& [key, value] : labels.items()) {
    node.meta.labels[key] = value.get<std::string>();
  }
  const auto& have = json.at("allocatable");
  node.allocatable = {{"cpu", Quantity::from_milli(std::llround(get_or(have, "cpu", 0.0)))},
                      {"memory", whole(get_or(have, "memory", 0.0))},
                      {"pods", whole(get_or(have, "pods", 110.0))}};
  if (json.value("notReady", false)) {
    node.conditions.push_back(
        {.type = "Ready", .status = "False", .reason = {}, .message = {}, .last_transition = {}});
    // Kubernetes' controller of node life cycles taints it.
    node.taints.push_back(
        {.key = "node.kubernetes.io/not-ready", .value = {}, .effect = "NoSchedule"});
  }
  return node;
}

ResourceSlice gpus_of(const Json& json, const std::string& node, const KaiTraits& traits) {
  auto slice = numbered(node, gpu_driver, std::llround(json.at("allocatable").value("gpu", 0.0)));
  // A node whose cards are all cut into one kind of instance gives those out whole.
  if (!traits.sharing || text_of(json, "migStrategy") == "single") return slice;
  const auto memory = get_or(json, "gpuMemoryMiB", traits.device_memory);
  for (auto& device : slice.devices) {
    device.allow_multiple_allocations = true;
    device.capacity["memory"] = {.value = whole(memory * 1000), .request_policy = {}};
  }
  return slice;
}

/// The amounts of CPU that tasks are seen to have of a node's zones at the start.
std::map<std::string, Quantity> seen_in_zones(const Json& json, const std::string& node) {
  std::map<std::string, Quantity> seen;
  for (const auto& job : json.at("jobs")) {
    for (const auto& task : job.at("tasks")) {
      const auto placed = text_of(object_of(task, "annotations"), zones_annotation);
      if (placed.empty() || text_of(task, "node") != node || !holds_room(text_of(task, "status"))) {
        continue;
      }
      for (const auto& part : Json::parse(placed)) {
        seen[part.at("zone").get<std::string>()] += cpu_in(part.at("amount"));
      }
    }
  }
  return seen;
}

}  // namespace

void read_nodes(const Json& json, const KaiTraits& traits, KaiObjects& objects) {
  objects.classes.push_back(testing::make_driver_class("gpu", gpu_driver));
  std::set<std::string> profiles;
  for (const auto& each : json.at("nodes")) {
    objects.nodes.push_back(node_of(each));
    const auto& name = objects.nodes.back().meta.name;
    // Counted by KAI as well, where they are published by a slice.
    const auto published = list_of(object_of(json, "dra"), "resourceSlices");
    auto gpus = gpus_of(each, name, traits);
    if (!gpus.devices.empty() && std::ranges::none_of(published, [&](const auto& slice) {
          return text_of(slice, "nodeName") == name;
        })) {
      objects.slices.push_back(std::move(gpus));
    }
    for (const auto& [resource, count] : each.at("allocatable").items()) {
      if (is_core(resource) || count.get<double>() <= 0) continue;
      objects.slices.push_back(numbered(name, resource, std::llround(count.get<double>())));
      profiles.insert(resource);
    }
  }
  for (const auto& profile : profiles) {
    objects.classes.push_back(testing::make_driver_class(profile, profile));
  }
}

void read_dra(const Json& json, KaiObjects& objects) {
  const auto dra = object_of(json, "dra");
  for (const auto& name : list_of(dra, "deviceClasses")) {
    objects.classes.push_back(
        testing::make_driver_class(name.get<std::string>(), name.get<std::string>()));
  }
  for (const auto& slice : list_of(dra, "resourceSlices")) {
    objects.slices.push_back(numbered(slice.at("nodeName").get<std::string>(),
                                      slice.at("DeviceClassName").get<std::string>(),
                                      slice.at("Count").get<std::int64_t>()));
  }
  for (const auto& each : list_of(dra, "resourceClaims")) {
    const auto device_class = each.at("deviceClassName").get<std::string>();
    KaiClaim claim{.object = testing::make_claim(
                       each.at("name").get<std::string>(),
                       {testing::request(
                           "request", testing::exactly(get_or(each, "count", 1L), device_class))}),
                   .shared = true};
    auto& object = claim.object;
    object.meta.namespace_name = get_or(each, "Namespace", std::string("test"));
    const auto status = object_of(each, "claimStatus");
    for (const auto& user : list_of(status, "reservedFor")) {
      object.reserved_for.push_back(testing::consumer(user.at("name").get<std::string>(),
                                                      Uid(user.at("uid").get<std::string>())));
    }
    if (status.contains("allocation")) {
      std::vector<DeviceId> devices;
      for (const auto& device : status["allocation"]["devices"]["results"]) {
        devices.push_back(testing::device_id(device.at("pool").get<std::string>(),
                                             device.at("device").get<std::string>(),
                                             device.at("driver").get<std::string>()));
      }
      object.allocation = testing::allocation(std::move(devices), "request");
    }
    objects.claims.emplace(object.meta.name, std::move(claim));
  }
}

/// What a zone lacks at the start, and no task is seen to have there, is no capacity of it.
void read_zones(const Json& json, KaiObjects& objects) {
  for (const auto& each : json.at("nodes")) {
    const auto name = each.at("name").get<std::string>();
    const auto seen = seen_in_zones(json, name);
    std::vector<Device> devices;
    for (const auto& zone : list_of(object_of(each, "numa"), "zones")) {
      auto device = testing::device(zone.at("id").get<std::string>());
      device.attributes["index"] = static_cast<std::int64_t>(devices.size());
      device.allow_multiple_allocations = true;
      auto room = whole(
          get_or(object_of(zone, "available"), "cpu", get_or(zone.at("allocatable"), "cpu", 0.0)));
      if (const auto held = seen.find(device.name.get()); held != seen.end()) room += held->second;
      device.capacity["cpu"] = {.value = room, .request_policy = {}};
      devices.push_back(std::move(device));
    }
    objects.slices.push_back(testing::make_slice(name, std::move(devices), zone_driver));
  }
  objects.classes.push_back(testing::make_driver_class("zone", zone_driver));
}

}  // namespace dray::cases
