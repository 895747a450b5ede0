#pragma once

#include <string>

#include "engine/pod_lifecycle.h"
#include "tests/unit/engine/commands.h"
#include "tests/unit/engine/fixture.h"

// A PodLifecycle by itself: two nodes with a GPU each, and the pod p with the claim c.

namespace dray::engine {

inline constexpr Duration life = std::chrono::seconds(90);

struct LifecycleWorld {
  cluster::ClusterState cluster;
  JobBook jobs{[](const Pod&) { return JobBook::MemberView{}; }};
  PodLifecycle pods;
  Pod pod = make_pod("p", "c");
  const Uid uid{"uid-p"};

  explicit LifecycleWorld(std::size_t nominate_from_nodes = 1000)
      : pods({.gate = "dray.dev/admission",
              .reservation_life = life,
              .nominate_from_nodes = nominate_from_nodes,
              .tell_after = std::chrono::seconds(3)},
             cluster, jobs) {
    jobs.set_policy(std::make_shared<const policy::Policy>(policy::Policy::open()), true);
    for (const auto* node : {"n0", "n1"}) {
      tell(make_node(node));
      tell(make_gpus(node, 1));
    }
    tell(make_claim("c", 1));
  }

  void tell(const KubeObject& object) { cluster.apply(cluster::ObjectChanged{object}); }
  /// The watch shows p as it is here.
  std::string show(bool leading = true, Time now = start) {
    tell(pod);
    std::string text;
    if (pods.find(uid) == nullptr) text = words(pods.appeared(pod));
    return text + words(pods.step(pod, leading, now));
  }
  static Placement place(const std::string& node = "n0", const std::string& pod = "p") {
    AllocatedDevice device;
    device.request = "gpu";
    device.device = {DriverName("gpu.example.com"), PoolName(node), DeviceName("gpu-0")};
    ClaimPlacement claim;
    claim.claim = {"default", "c"};
    claim.claim_uid = Uid("uid-c");
    claim.allocation.devices = {device};
    Placement placement;
    placement.pod = {"default", pod};
    placement.pod_uid = Uid("uid-" + pod);
    placement.node = NodeName(node);
    placement.claims = {claim};
    return placement;
  }
  std::string reserve(const std::string& node = "n0") {
    return words(pods.reserve(place(node), "why", {"warning"}));
  }
  /// p has no gate, and a place on n0 that kube-scheduler may ask for.
  void make_offered(Time now = start) {
    pod.scheduling_gates.clear();
    static_cast<void>(show());
    reserve();
    static_cast<void>(pods.offer(uid, now));
  }
  [[nodiscard]] const PodLife& p() const { return *pods.find(uid); }
  [[nodiscard]] PodState state() const { return p().state; }
  [[nodiscard]] bool assumed() const { return cluster.totals().devices_allocated == 1; }
  /// kube-scheduler says that no node fits.
  void call_unschedulable(const std::string& message = "0/2 nodes are available") {
    pod.conditions = {{.type = "PodScheduled",
                       .status = "False",
                       .reason = "Unschedulable",
                       .message = message,
                       .last_transition = start}};
  }
  BindEnded ended(Binding::Result result, const std::string& error = {}) const {
    return {result, place(), {ResourceVersion("12")}, error};
  }
};

}  // namespace dray::engine
