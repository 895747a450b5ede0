#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/protocol/binding.h"
#include "tests/unit/engine/fixture.h"

// An engine with a gang that waits to be bound, and one with a pod that makes room for another.

namespace dray::engine {

inline PodGroup make_group(std::int32_t minimum) {
  return testing::make_group("g", minimum);
}

inline Pod member(const std::string& name) {
  auto pod = make_pod(name, "c-" + name);
  pod.pod_group = "g";
  return pod;
}

inline ResourceClaim claim_of(const std::string& pod, const std::string& version = "10") {
  auto claim = make_claim("c-" + pod, 1);
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.resource_version = ResourceVersion(version);
  return claim;
}

inline Placement place(const std::string& pod, const std::string& node) {
  AllocationResult allocation;
  allocation.devices.push_back(
      {.request = "gpu",
       .device = {DriverName("gpu.example.com"), PoolName(node), DeviceName("gpu-0")},
       .admin_access = {},
       .tolerations = {},
       .binding_conditions = {},
       .binding_failure_conditions = {},
       .share_id = {},
       .consumed_capacity = {},
       .skip_node_operations = {}});
  Placement placement;
  placement.pod = {"default", pod};
  placement.pod_uid = Uid("uid-" + pod);
  placement.node = NodeName(node);
  ClaimPlacement claim;
  claim.claim = {"default", "c-" + pod};
  claim.claim_uid = Uid("uid-c-" + pod);
  claim.allocation = std::move(allocation);
  placement.claims.push_back(std::move(claim));
  return placement;
}

/// The pod's job, placed there.
inline planner::JobOutcome placed(const std::string& pod, const std::string& node) {
  planner::JobOutcome outcome;
  outcome.job = Uid("uid-" + pod);
  outcome.pods = {Uid("uid-" + pod)};
  outcome.placements = {place(pod, node)};
  return outcome;
}

inline planner::Plan plan_of(std::vector<planner::JobOutcome> jobs) {
  planner::Plan plan;
  plan.jobs = std::move(jobs);
  return plan;
}

/// Two nodes with a GPU each and a gang of two, offered to kube-scheduler.
struct GangBench : Bench {
  GangBench() : Bench({}, true) {
    add_nodes(2, 1);
    tell(make_group(2));
    for (const auto* name : {"a", "b"}) {
      tell(claim_of(name));
      tell(member(name));
    }
    planner::Plan plan;
    planner::JobOutcome outcome;
    outcome.job = Uid("uid-g");
    outcome.pods = {Uid("uid-a"), Uid("uid-b")};
    outcome.placements = {place("a", "n0"), place("b", "n1")};
    plan.jobs.push_back(std::move(outcome));
    // Whatever was wanted before the last pod came is answered first.
    planned({});
    planned(std::move(plan));
  }

  void offer_all() {
    lift(member("a"));
    lift(member("b"));
    static_cast<void>(filter(lifted("a"), {"n0", "n1"}));
    static_cast<void>(filter(lifted("b"), {"n0", "n1"}));
  }
  static Pod lifted(const std::string& name) {
    auto pod = member(name);
    pod.scheduling_gates.clear();
    return pod;
  }
  /// The oldest AllocateClaim is carried out.
  void allocate() {
    const auto write = take_write<AllocateClaim>();
    REQUIRE(write);
    auto claim = claim_of(write->second.claim.name.substr(2), "11");
    claim.allocation = write->second.allocation;
    claim.reserved_for = write->second.reserved_for;
    done(write->first, claim);
  }
};

inline Pod running(const std::string& name, const std::string& node) {
  auto pod = make_pod(name, "", false);
  pod.node_name = NodeName(node);
  pod.phase = "Running";
  pod.resource_claims.push_back({.name = "gpus", .claim_name = "c-" + name, .template_name = {}});
  return pod;
}

/// A running pod and one that waits for its room.
struct EvictionBench : Bench {
  EvictionBench() : Bench({}, true) {
    add_nodes(1, 1);
    auto held = claim_of("old");
    held.allocation = place("old", "n0").claims[0].allocation;
    tell(held);
    tell(running("old", "n0"));
    tell(claim_of("new"));
    tell(make_pod("new", "c-new"));
    planned(evict());
  }
  static planner::Plan evict() {
    planner::Plan plan;
    planner::JobOutcome outcome;
    outcome.job = Uid("uid-new");
    outcome.pods = {Uid("uid-new")};
    outcome.held = {place("new", "n0")};
    outcome.reason = Reason::room_freed;
    plan.jobs.push_back(std::move(outcome));
    planner::Eviction eviction;
    eviction.job = Uid("uid-old");
    eviction.pods = {Uid("uid-old")};
    eviction.beneficiary = Uid("uid-new");
    eviction.detail = "old makes room for new";
    plan.evictions.push_back(std::move(eviction));
    return plan;
  }
  const planner::PlanInput& input() const { return *wanted.back().input; }
};

}  // namespace dray::engine
