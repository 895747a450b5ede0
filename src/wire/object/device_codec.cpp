#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "wire/object/codecs.h"

namespace dray::wire {
namespace {

template <class Io, Like<CapacityRequestPolicy> T>
void describe(Io& io, T& policy) {
  io.field("default", policy.default_value);
  io.field("validValues", policy.valid_values);
  io.optional("validRange", policy.valid_range, [](auto& inner, auto& range) {
    inner.required("min", range.min);
    inner.field("max", range.max);
    inner.field("step", range.step);
  });
}

template <class Io, Like<DeviceCapacity> T>
void describe(Io& io, T& capacity) {
  io.required("value", capacity.value);
  io.optional("requestPolicy", capacity.request_policy,
              [](auto& inner, auto& policy) { describe(inner, policy); });
}

template <class Io, Like<DeviceTaint> T>
void describe(Io& io, T& taint) {
  io.required("key", taint.key);
  io.field("value", taint.value);
  io.required("effect", taint.effect);
  io.field("timeAdded", taint.time_added);
}

template <class Io, Like<NodeAllocatableResource> T>
void describe(Io& io, T& resource) {
  io.optional("mapping", resource.mapping, [](auto& inner, auto& mapping) {
    inner.field("capacityKey", mapping.capacity_key);
    inner.field("capacityMultiplier", mapping.capacity_multiplier);
    inner.field("deviceMultiplier", mapping.device_multiplier);
  });
  io.optional("overhead", resource.overhead, [](auto& inner, auto& overhead) {
    inner.field("perPod", overhead.per_pod);
    inner.field("perContainer", overhead.per_container);
  });
}

template <class Io, Like<Device> T>
void describe_body(Io& io, T& device) {
  io.field("attributes", device.attributes);
  io.entries("capacity", device.capacity,
             [](auto& entry, auto& capacity) { describe(entry, capacity); });
  io.items("consumesCounters", device.consumes_counters, [](auto& item, auto& consumption) {
    item.required("counterSet", consumption.counter_set);
    item.entries("counters", consumption.counters,
                 [](auto& entry, auto& value) { entry.required("value", value); });
    item.field("compatibilityGroups", consumption.compatibility_groups);
  });
  io.field("nodeName", device.scope.node_name);
  io.field("nodeSelector", device.scope.node_selector);
  io.field("allNodes", device.scope.all_nodes);
  io.field("taints", device.taints);
  io.field("bindsToNode", device.binds_to_node);
  io.field("bindingConditions", device.binding_conditions);
  io.field("bindingFailureConditions", device.binding_failure_conditions);
  io.field("allowMultipleAllocations", device.allow_multiple_allocations);
  io.entries("nodeAllocatableResources", device.node_allocatable_resources,
             [](auto& entry, auto& resource) { describe(entry, resource); });
}

template <class Io, Like<Device> T>
void describe(Io& io, T& device) {
  io.required("name", device.name);
  describe_body(io, device);
  if constexpr (Io::reading) {
    if (io.member().api_version() == "resource.k8s.io/v1beta1") {
      io.object("basic", [&](auto& basic) { describe_body(basic, device); });
    }
  }
}

/// Upstream's order of preference where several fields are set.
constexpr std::array<std::string_view, 8> attribute_fields{"ints", "bools", "strings", "versions",
                                                           "int",  "bool",  "string",  "version"};

template <class T>
AttributeValue read_alternative(const Reader& in) {
  T value{};
  read(in, value);
  return value;
}

}  // namespace

void read(const Reader& in, AttributeValue& out) {
  out = std::monostate{};
  std::size_t rank = attribute_fields.size();
  in.members([&](const Reader& member) {
    const auto found = std::ranges::find(attribute_fields, member.key());
    const auto place = static_cast<std::size_t>(found - attribute_fields.begin());
    if (place >= rank) return;
    rank = place;
    switch (place) {
      case 0:
        out = read_alternative<std::vector<std::int64_t>>(member);
        break;
      case 1:
        out = read_alternative<std::vector<bool>>(member);
        break;
      case 2:
        out = read_alternative<std::vector<std::string>>(member);
        break;
      case 3:
        out = read_alternative<std::vector<VersionText>>(member);
        break;
      case 4:
        out = member.integer();
        break;
      case 5:
        out = member.boolean();
        break;
      case 6:
        out = member.string();
        break;
      default:
        out = VersionText(member.string());
        break;
    }
  });
}

void write(JsonWriter& out, const AttributeValue& value) {
  // By alternative of the variant: none, int, bool, string, version, and their lists.
  static constexpr std::array<std::string_view, 9> names{
      "", "int", "bool", "string", "version", "ints", "bools", "strings", "versions"};
  out.begin_object();
  std::visit(
      [&]<class T>(const T& content) {
        if constexpr (!std::is_same_v<T, std::monostate>) {
          out.key(names.at(value.index()));
          write(out, content);
        }
      },
      value);
  out.end_object();
}

void read(const Reader& in, DeviceTaint& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const DeviceTaint& taint) {
  out.object([&](auto& io) { describe(io, taint); });
}
void read(const Reader& in, Device& out) {
  in.fields([&](auto& io) { describe(io, out); });
}
void write(JsonWriter& out, const Device& device) {
  out.object([&](auto& io) { describe(io, device); });
}

}  // namespace dray::wire
