#pragma once

#include <string>
#include <variant>
#include <vector>

#include "dray/alloc/allocator.h"
#include "tests/objects/claims.h"
#include "tests/objects/cluster.h"
#include "tests/objects/devices.h"
#include "tests/objects/nodes.h"

namespace dray::testing {

/// `pool/device` of each result, or the Reason's name, or the error.
inline std::vector<std::string> chosen(const Result<alloc::AllocationOutcome>& outcome) {
  if (!outcome) return {"error: " + outcome.error().message};
  if (const auto* refusal = std::get_if<alloc::Unsatisfied>(&*outcome)) {
    return {std::string(name(refusal->reason))};
  }
  std::vector<std::string> devices;
  for (const auto& result : std::get<alloc::Allocation>(*outcome).results) {
    for (const auto& made : result.devices) devices.push_back(made.device.device.get());
  }
  return devices;
}

/// A cluster with node n1 and a question to it.
struct OneNode {
  cluster::ClusterState cluster;
  alloc::AllocatorOptions options;

  OneNode() {
    put(cluster, make_node("n1"));
    put(cluster, make_class("any"));
  }

  [[nodiscard]] std::vector<std::string> ask(std::vector<ResourceClaim> claims) {
    alloc::Allocator allocator(options);
    return ask(allocator, claims);
  }
  [[nodiscard]] std::vector<std::string> ask(alloc::Allocator& allocator,
                                             const std::vector<ResourceClaim>& claims) {
    const cluster::AllocatedState state(cluster.snapshot());
    std::vector<const ResourceClaim*> pointers;
    for (const auto& claim : claims) pointers.push_back(&claim);
    return chosen(allocator.allocate(state, *state.snapshot().node(NodeName("n1")), pointers));
  }
};

using Names = std::vector<std::string>;

}  // namespace dray::testing
