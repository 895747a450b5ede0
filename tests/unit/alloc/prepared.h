#pragma once

#include <utility>
#include <vector>

#include "alloc/search/placing.h"
#include "alloc/search/search.h"
#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"

namespace dray::testing {

/// Claims on a node of a cluster, up to where the search of their devices begins.
struct Prepared {
  Prepared(cluster::ClusterState& cluster, std::vector<ResourceClaim> asked,
           alloc::AllocatorOptions wanted = {})
      : claims(std::move(asked)),
        options(std::move(wanted)),
        state(cluster.snapshot()),
        node(*state.snapshot().node(NodeName("n1"))),
        prepared(prepare()),
        view(*alloc::gather(state, node, options.features)),
        tables(view, prepared, options, state, state.snapshot().facts(node), memory),
        placing(view, prepared, tables, options.features, memory.attributes) {
    for (std::size_t s = 0; s < prepared.specs.size(); ++s) {
      if (prepared.specs[s].all) collected = tables.collect_all(s);
      if (!collected) return;
    }
  }

  [[nodiscard]] alloc::Found search(alloc::Scorer* scorer = nullptr) {
    return alloc::Search(view, prepared, tables, options, memory.attributes, scorer).run();
  }
  /// The names of the devices that a search gives.
  [[nodiscard]] std::vector<std::string> found() {
    std::vector<std::string> names;
    for (const auto& pick : search().picks) names.push_back(view.devices[pick.device].name());
    return names;
  }

  std::vector<ResourceClaim> claims;
  alloc::AllocatorOptions options;
  alloc::Memory memory;
  cluster::AllocatedState state;
  cluster::NodeIndex node;
  alloc::PreparedClaims prepared;
  alloc::NodeView view;
  alloc::CandidateTables tables;
  alloc::Placing placing;
  Result<void> collected;

 private:
  [[nodiscard]] alloc::PreparedClaims prepare() {
    std::vector<const ResourceClaim*> pointers;
    for (const auto& each : claims) pointers.push_back(&each);
    return alloc::prepare(pointers, state.snapshot(), options.features, memory.programs);
  }
};

inline DeviceRequestSpec all_of(const std::string& class_name = "any") {
  DeviceRequestSpec spec;
  spec.device_class = ClassName(class_name);
  spec.allocation_mode = "All";
  return spec;
}

/// A device that several claims may share, of so much memory.
inline Device shareable(const std::string& name, const char* memory) {
  auto made = device(name);
  made.allow_multiple_allocations = true;
  made.capacity["memory"].value = quantity(memory);
  return made;
}

inline DeviceRequestSpec share(const char* memory, std::int64_t count = 1) {
  auto made = exactly(count);
  made.has_capacity = true;
  made.capacity_requests = {{"memory", quantity(memory)}};
  return made;
}

/// A card with one counter set, and partitions that take of it.
inline Device partition(const std::string& name, const char* memory) {
  auto made = device(name);
  made.consumes_counters.push_back({"card", {{"memory", quantity(memory)}}, {}});
  return made;
}

inline void put_card(cluster::ClusterState& cluster, const char* memory,
                     std::vector<Device> partitions) {
  auto devices = make_slice("n1", std::move(partitions));
  devices.pool_slice_count = 2;
  put(cluster, devices);
  auto counters = make_slice("n1", {});
  counters.meta.name = "counters";
  counters.pool_slice_count = 2;
  counters.shared_counters.push_back({"card", {{"memory", quantity(memory)}}});
  put(cluster, counters);
}

}  // namespace dray::testing
