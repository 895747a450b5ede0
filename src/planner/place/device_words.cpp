#include "planner/place/device_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace dray::planner {
namespace {

using cluster::PublishedDevice;

/// A device with the pool that has it.
struct Found {
  cluster::PoolIndex pool;
  const PublishedDevice* device = nullptr;
};

std::optional<Found> find(const cluster::Snapshot& snapshot, const NodeName& node,
                          const DeviceId& id) {
  const auto index = snapshot.find_pool(id.driver, id.pool);
  if (!index) return std::nullopt;
  const auto& pool = snapshot.pool(*index);
  const auto [first, last] = pool.of_node(node.get());
  for (auto at = first; at < last; ++at) {
    for (const auto& device : pool.slots[at].slice->devices) {
      if (*device.name == id.device.get()) return Found{*index, &device};
    }
  }
  return std::nullopt;
}

/// As text: drivers do not agree on types.
std::string text_of(const cel::Value& value) {
  if (value.kind == cel::Kind::string) return {value.chars, value.size};
  return value.kind == cel::Kind::int64 ? std::to_string(value.int64) : std::string();
}

/// Where the device is on a level; empty: unknown.
std::string place_of(const PublishedDevice& device, const alloc::AlignmentLevel& level) {
  const auto& names = device.shape->names();
  for (const auto& attribute : level.attributes) {
    const auto name = cel::split_name(cel::Half::attribute, attribute, names.driver());
    const auto column = names.find(name.half, name.domain, name.id);
    if (column < 0) continue;
    if (auto text = text_of(device.shape->at(column).value); !text.empty()) return text;
  }
  return {};
}

/// `PCIe root` of resource.kubernetes.io/pcieRoot.
std::string level_name(const alloc::AlignmentLevel& level) {
  const auto& attribute = level.attributes.front();
  if (attribute.contains("pcie")) return "PCIe root";
  if (attribute.contains("numa")) return "NUMA node";
  if (attribute.contains("ocket")) return "socket";
  return attribute;
}

/// `gpu and nic`, `its 2 gpu`.
std::string requests_text(const Placement& placement, std::size_t devices) {
  std::vector<std::string> names;
  for (const auto& claim : placement.claims) {
    for (const auto& device : claim.allocation.devices) {
      // Requests that were made for a container's resources have no name that anybody gave them.
      auto name = claim.extended ? "" : device.request.substr(0, device.request.find('/'));
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  if (std::ranges::find(names, "") != names.end()) return fmt::format("its {} devices", devices);
  if (names.size() == 1) return fmt::format("its {} {}", devices, names.front());
  const auto last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

template <class F>
void for_each_device(const Placement& placement, F&& visit) {
  for (const auto& claim : placement.claims) {
    for (const auto& device : claim.allocation.devices) visit(claim, device);
  }
}

bool share_counters(const PublishedDevice& a, const PublishedDevice& b) {
  return std::ranges::any_of(a.traits->consumes_counters, [&](const auto& mine) {
    return std::ranges::any_of(b.traits->consumes_counters, [&](const auto& other) {
      return mine.counter_set == other.counter_set;
    });
  });
}

/// Whether another partition of the device's card is in use.
bool beside_others(const cluster::AllocatedState& state, const NodeName& node, const Found& own) {
  const auto& pool = state.snapshot().pool(own.pool);
  const auto [first, last] = pool.of_node(node.get());
  for (auto at = first; at < last; ++at) {
    const auto& slot = pool.slots[at];
    for (std::uint32_t i = 0; i < slot.slice->devices.size(); ++i) {
      const auto& device = slot.slice->devices[i];
      if (&device == own.device || !share_counters(device, *own.device)) continue;
      if (const auto* changed = state.changed_use(own.pool, *device.name)) {
        if (!changed->none()) return true;
        continue;
      }
      if (slot.use && std::ranges::any_of(*slot.use, [&](const auto& use) {
            return use.first == i && !use.second.none();
          })) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

std::string together_text(const cluster::Snapshot& snapshot, const Placement& placement,
                          std::span<const alloc::AlignmentLevel> levels) {
  std::size_t count = 0;
  for (const auto& claim : placement.claims) count += claim.allocation.devices.size();
  if (count < 2) return {};
  std::vector<const PublishedDevice*> devices;
  bool all = true;
  for_each_device(placement, [&](const auto& /*claim*/, const AllocatedDevice& device) {
    const auto found = all ? find(snapshot, placement.node, device.device) : std::nullopt;
    all = all && found.has_value();
    if (found) devices.push_back(found->device);
  });
  if (!all) return {};
  for (const auto& level : levels) {
    const auto place = place_of(*devices.front(), level);
    if (place.empty() || std::ranges::any_of(devices, [&](const auto* device) {
          return place_of(*device, level) != place;
        })) {
      continue;
    }
    return fmt::format("{} on one {}", requests_text(placement, devices.size()), level_name(level));
  }
  return {};
}

std::string choice_text(const cluster::Snapshot& snapshot, const Placement& placement) {
  for (const auto& part : placement.claims) {
    for (const auto& device : part.allocation.devices) {
      const auto slash = device.request.find('/');
      if (slash == std::string::npos) continue;
      const auto claim = snapshot.claim(part.claim);
      if (!claim) continue;
      const auto request = std::ranges::find(claim->spec.requests, device.request.substr(0, slash),
                                             &DeviceRequest::name);
      if (request == claim->spec.requests.end()) continue;
      const auto& choices = request->first_available;
      const auto name = device.request.substr(slash + 1);
      const auto at = std::ranges::find(choices, name, &DeviceRequestSpec::name);
      if (at == choices.end()) continue;
      return fmt::format("its choice {} of {}, {}", at - choices.begin() + 1, choices.size(), name);
    }
  }
  return {};
}

std::string partition_text(const cluster::AllocatedState& state, const Placement& placement) {
  std::string text;
  for_each_device(placement, [&](const auto& /*claim*/, const AllocatedDevice& device) {
    const auto pool = state.snapshot().find_pool(device.device.driver, device.device.pool);
    if (!text.empty() || !pool || !state.snapshot().pool(*pool).has_counters) return;
    const auto found = find(state.snapshot(), placement.node, device.device);
    if (!found || found->device->traits->consumes_counters.empty()) return;
    if (beside_others(state, placement.node, *found)) {
      text = "beside other partitions of its card, so that other cards stay whole";
    }
  });
  return text;
}

}  // namespace dray::planner
