#pragma once

#include <string>
#include <vector>

#include "dray/engine/engine.h"

// One engine with nodes of identical GPUs, told everything by hand.

namespace dray::engine {

inline constexpr Time start = Time(std::chrono::hours(24 * 365 * 50));

inline Node make_node(const std::string& name, std::int64_t cpus = 64) {
  Node node;
  node.meta.name = name;
  node.meta.uid = Uid("uid-" + name);
  node.meta.resource_version = ResourceVersion("1");
  node.allocatable = {
      {"cpu", Quantity(cpus)}, {"memory", Quantity(1LL << 40)}, {"pods", Quantity(110)}};
  return node;
}

inline ResourceSlice make_gpus(const std::string& node, int count) {
  ResourceSlice slice;
  slice.meta.name = node + "-gpus";
  slice.meta.uid = Uid("uid-" + slice.meta.name);
  slice.driver = DriverName("gpu.example.com");
  slice.pool = PoolName(node);
  slice.pool_generation = 1;
  slice.pool_slice_count = 1;
  slice.scope.node_name = NodeName(node);
  for (int i = 0; i < count; ++i) {
    Device device;
    device.name = DeviceName("gpu-" + std::to_string(i));
    slice.devices.push_back(device);
  }
  return slice;
}

inline DeviceClass make_class() {
  DeviceClass device_class;
  device_class.meta.name = "gpu";
  device_class.selectors.push_back({.cel = R"(device.driver == "gpu.example.com")"});
  return device_class;
}

inline ResourceClaim make_claim(const std::string& name, std::int64_t gpus,
                                const std::string& owner = {}) {
  ResourceClaim claim;
  claim.meta.namespace_name = "default";
  claim.meta.name = name;
  claim.meta.uid = Uid("uid-" + name);
  claim.meta.resource_version = ResourceVersion("10");
  if (!owner.empty()) {
    claim.meta.owners.push_back({.api_version = "v1",
                                 .kind = "Pod",
                                 .name = owner,
                                 .uid = Uid("uid-" + owner),
                                 .controller = true});
  }
  DeviceRequestSpec spec;
  spec.device_class = ClassName("gpu");
  spec.allocation_mode = "ExactCount";
  spec.count = gpus;
  claim.spec.requests.push_back({.name = "gpu", .exactly = spec, .first_available = {}});
  return claim;
}

/// A pod with one claim by name, behind dray's gate.
inline Pod make_pod(const std::string& name, const std::string& claim, bool gated = true) {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = name;
  pod.meta.uid = Uid("uid-" + name);
  pod.meta.resource_version = ResourceVersion("20");
  pod.meta.created = start;
  pod.scheduler_name = "dray-scheduler";
  pod.phase = "Pending";
  if (gated) pod.scheduling_gates = {"dray.dev/admission"};
  Container container;
  container.name = "main";
  container.requests = {{"cpu", Quantity(1)}};
  pod.containers = {container};
  if (!claim.empty()) {
    pod.resource_claims.push_back({.name = "gpus", .claim_name = claim, .template_name = {}});
  }
  return pod;
}

/// The engine, and the writes that it has asked for.
struct Bench {
  /// Plans are made inline, or (`by_hand`) left to the test: see `wanted` and planned().
  explicit Bench(Options options = {}, bool by_hand = false)
      : engine(with_plans(std::move(options), !by_hand)) {
    tell(make_class());
    apply(Synced{});
    apply(LeadershipChanged{true, 3});
  }

  static Options with_plans(Options options, bool inline_plans) {
    options.plan_inline = inline_plans;
    return options;
  }

  /// Answers the last WantPlan.
  void planned(Plan plan) {
    const auto generation = wanted.back().generation;
    apply(Planned{generation, std::move(plan)});
  }

  void add_nodes(int count, int gpus) {
    for (int i = 0; i < count; ++i) {
      tell(make_node("n" + std::to_string(i)));
      tell(make_gpus("n" + std::to_string(i), gpus));
    }
  }

  void tell(KubeObject object) { apply(cluster::ObjectChanged{std::move(object)}); }
  void apply(const Event& event) { take(engine.apply(event, now)); }
  void tick() { take(engine.tick(now)); }
  /// Until the next timer.
  void wait() {
    now = engine.next_tick().value();
    tick();
  }

  void take(Effects effects) {
    for (auto& effect : effects) {
      if (auto* send = std::get_if<SendWrite>(&effect)) writes.push_back(std::move(*send));
      if (auto* answer = std::get_if<AnswerBind>(&effect)) answers.push_back(std::move(*answer));
      if (auto* want = std::get_if<WantPlan>(&effect)) wanted.push_back(std::move(*want));
    }
  }

  /// The oldest write of that type that has not been taken yet.
  template <class T>
  std::optional<std::pair<WriteId, T>> take_write() {
    for (auto it = writes.begin(); it != writes.end(); ++it) {
      const auto* write = std::get_if<T>(&it->write);
      if (write == nullptr) continue;
      std::pair<WriteId, T> found{it->id, *write};
      writes.erase(it);
      return found;
    }
    return std::nullopt;
  }

  void done(WriteId id, WriteOutcome outcome = WrittenObject{}) {
    apply(WriteDone{id, std::move(outcome)});
  }

  /// Carries out the lifting of `pod` as the API server would.
  void lift(Pod pod) {
    const auto write = take_write<LiftGate>();
    if (!write) return;
    done(write->first);
    pod.scheduling_gates.clear();
    for (const auto& [key, value] : write->second.annotations) pod.meta.annotations[key] = value;
    tell(pod);
  }

  extender::FilterResponse filter(const Pod& pod, const std::vector<std::string>& nodes) {
    extender::FilterRequest request;
    request.pod = pod;
    request.node_names.emplace();
    for (const auto& node : nodes) request.node_names->emplace_back(node);
    auto answer = engine.filter(request, now);
    take(std::move(answer.effects));
    return answer.response;
  }

  void bind(const Pod& pod, const std::string& node, std::uint64_t id) {
    take(engine.bind(RequestId(id), {pod.key(), pod.meta.uid, NodeName(node)}, now));
  }

  Engine engine;
  Time now = start;
  std::vector<SendWrite> writes;
  std::vector<AnswerBind> answers;
  std::vector<WantPlan> wanted;
};

}  // namespace dray::engine
