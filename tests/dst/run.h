#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/dst/checker.h"
#include "tests/dst/storm.h"
#include "tests/dst/world.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::dst {

using namespace testing;

/// What came of one seed.
struct Outcome {
  std::optional<std::string> violation;
  std::uint64_t trace_hash = 0;
  std::uint64_t events = 0;
  std::set<std::string> seen;  ///< interesting states
  std::vector<std::string> trace;
};

/// One seed: a world, a storm of sixty seconds over it, four minutes of fair weather, verdict.
class Run {
 public:
  Run(std::uint64_t seed, bool keep_trace)
      : dice_(seed),
        faults_(Faults::of(dice_)),
        world_(World::of(dice_)),
        storm_(faults_, dice_.next()),
        loop_(options(seed, keep_trace), storm_),
        checker_(loop_) {}

  Outcome run() {
    loop_.set_observer([this](const sim::WatchEvent& event) { checker_.committed(event); });
    loop_.set_bind_observer(
        [this](const auto& request, const auto& error) { checker_.bind_answered(request, error); });
    build();
    loop_.start_engine();
    for (int i = 0; i < world_.pods; ++i) {
      after(dice_.up_to(storm_time / 2), [this, i] { add_pod(i); });
    }
    for (int i = 0; i < world_.gangs; ++i) {
      after(dice_.up_to(storm_time / 2), [this, i] { add_gang(i); });
    }
    disturb();
    const auto begin = loop_.now();
    const bool ended = loop_.run_until(begin + storm_time, max_events) && heal() &&
                       loop_.run_until(begin + storm_time + calm_time, max_events);
    if (!ended) checker_.violate("too many events: a hot loop");
    if (!checker_.violation()) judge();
    Outcome outcome{.violation = checker_.violation(),
                    .trace_hash = loop_.trace_hash(),
                    .events = loop_.events(),
                    .seen = seen(),
                    .trace = loop_.trace()};
    return outcome;
  }

 private:
  static constexpr Duration storm_time = std::chrono::seconds(60);
  /// Shorter than kube-scheduler's flush of unschedulable pods: a lost wake-up shows.
  static constexpr Duration calm_time = std::chrono::seconds(235);
  static constexpr std::uint64_t max_events = 300'000;

  sim::LoopOptions options(std::uint64_t seed, bool keep_trace) {
    auto options = world_.loop_options(seed);
    options.keep_trace = keep_trace;
    return options;
  }
  sim::ApiServer& server() { return loop_.server(); }
  void after(Duration delay, std::function<void()> action) {
    loop_.at(loop_.now() + delay, std::move(action));
  }

  void build() {
    for (int i = 0; i < world_.nodes; ++i) add_node(i);
    (void)server().create(make_class(gpu_driver), loop_.now());
    for (const std::int64_t devices : {1, 2}) {
      (void)server().create(make_template("gpus-" + std::to_string(devices), gpus(devices)),
                            loop_.now());
    }
    (void)server().create(make_claim("shared", gpus(1)), loop_.now());
  }

  static std::vector<DeviceRequest> gpus(std::int64_t count) {
    return {request("gpu", exactly(count, gpu_driver))};
  }

  void add_node(int index) {
    const auto name = World::node_name(index);
    (void)server().create(make_node(name), loop_.now());
    (void)server().create(make_gpus(name, world_.devices), loop_.now());
  }

  void add_pod(int index) {
    auto pod = make_pod("p" + std::to_string(index));
    const auto kind = dice_.below(10);
    if (kind < 6 || kind == 7) pod = with_template(pod, "gpus-1", "a");
    if (kind == 6) pod = with_template(pod, "gpus-2", "a");
    if (kind == 7) pod = with_template(pod, "gpus-1", "b");
    if (kind == 8) pod = with_claim(pod, "shared", "s");
    // Not with a shared claim: kube-controller-manager gives a finished pod its reservation back
    // and takes it again, for ever (kubernetes/kubernetes issue 141274), as its model does. Nor
    // with two generated ones: the end of one makes it look at the other and forget that it made
    // it, so that it makes and deletes that one anew for the finished pod, for ever.
    if (kind < 7 && dice_.chance(50)) {
      pod.meta.annotations[sim::run_seconds_annotation] = std::to_string(dice_.between(1, 40));
    }
    (void)server().create(pod, loop_.now());
    if (!faults_.pods_deleted || !dice_.chance(50)) return;
    after(dice_.up_to(dice_.chance(60) ? Duration(std::chrono::milliseconds(60)) : storm_time / 3),
          [this, name = pod.meta.name] { delete_pod(name); });
  }

  /// A gang of pods with a GPU each, which come one by one.
  void add_gang(int index) {
    const auto name = "g" + std::to_string(index);
    const auto size = dice_.between(2, 4);
    const auto minimum = dice_.between(2, size);
    (void)server().create(make_group(name, static_cast<std::int32_t>(minimum)), loop_.now());
    for (std::int64_t i = 0; i < size; ++i) {
      const auto member = name + "-" + std::to_string(i);
      after(dice_.up_to(std::chrono::milliseconds(500)), [this, name, member] {
        auto pod = with_template(make_pod(member), "gpus-1", "a");
        pod.pod_group = name;
        (void)server().create(pod, loop_.now());
      });
      if (faults_.pods_deleted && dice_.chance(20)) {
        after(dice_.up_to(storm_time), [this, member] { delete_pod(member); });
      }
    }
  }

  void delete_pod(const std::string& name) {
    const auto* pod = server().find<Pod>("default", name);
    if (pod == nullptr) return;
    if (!pod->node_name && !pod->scheduling_gates.empty()) note("gated pod deleted");
    if (!pod->node_name && pod->scheduling_gates.empty() && !pod->resource_claims.empty()) {
      for (const auto* claim : claims_of(*pod, server())) {
        if (claim != nullptr && reserved_for(*claim, pod->meta.uid)) note("pod deleted mid-bind");
      }
    }
    const bool recreate = dice_.chance(30);
    auto again = make_pod(name);
    again.resource_claims = pod->resource_claims;
    again.pod_group = pod->pod_group;
    (void)server().remove(Kind::pod, "default", name, {}, loop_.now());
    if (!recreate || server().find<Pod>("default", name) != nullptr) return;
    note("pod recreated under its name");
    (void)server().create(again, loop_.now());
  }

  void disturb() {
    const auto some = [&](bool on, int most, auto action) {
      if (!on) return;
      for (auto i = dice_.between(1, most); i > 0; --i) after(dice_.up_to(storm_time), action);
    };
    some(faults_.crashes, 5, [this] { crash(); });
    some(faults_.rivals, 60, [this] { touch_something(); });
    some(faults_.nodes_change, 8, [this] { change_node(); });
    some(faults_.compaction, 5, [this] {
      server().compact(server().revision());
      note("compacted");
    });
  }

  void crash() {
    if (loop_.engine() == nullptr) return;
    if (loop_.engine()->status().binds_in_flight > 0) note("crash mid-bind");
    if (loop_.engine()->status().reservations > 0) note("crash with reservations");
    loop_.crash_engine();
    after(dice_.up_to(std::chrono::seconds(3)) + std::chrono::milliseconds(900),
          [this] { loop_.start_engine(); });
  }

  /// Somebody else writes to a claim or a pod: dray's resourceVersions are stale.
  void touch_something() {
    const auto kind = dice_.chance(70) ? Kind::resource_claim : Kind::pod;
    const auto all = server().list(kind);
    if (all.items.empty()) return;
    const auto& meta = meta_of(*all.items[dice_.below(all.items.size())]);
    (void)server().patch(
        kind, meta.namespace_name, meta.name, sim::Endpoint::main,
        [&](KubeObject& object) -> Result<void> {
          meta_of(object).annotations["touched"] = std::to_string(++touches_);
          return {};
        },
        loop_.now());
  }

  void change_node() {
    const auto index = static_cast<int>(dice_.below(static_cast<std::size_t>(world_.nodes)));
    const auto name = World::node_name(index);
    if (server().find<Node>("", name) == nullptr) return add_node(index);
    if (dice_.chance(75)) {
      cordon(name, dice_.chance(60));
      return;
    }
    note("node removed");
    (void)server().remove(Kind::resource_slice, "", name + "-gpus", {}, loop_.now());
    (void)server().remove(Kind::node, "", name, {}, loop_.now());
    after(std::chrono::seconds(2), [this, name] { collect_pods_of(name); });
  }

  void cordon(const std::string& name, bool on) {
    if (on && loop_.engine() != nullptr && loop_.engine()->status().reservations > 0) {
      note("cordoned under a reservation");
    }
    (void)server().patch(
        Kind::node, "", name, sim::Endpoint::main,
        [&](KubeObject& object) -> Result<void> {
          std::get<Node>(object).unschedulable = on;
          return {};
        },
        loop_.now());
  }

  /// Kubernetes' pod garbage collector, for a node that stays away.
  void collect_pods_of(const std::string& node) {
    if (server().find<Node>("", node) != nullptr) return;
    for (const auto& item : server().list(Kind::pod).items) {
      const auto& pod = std::get<Pod>(*item);
      if (!pod.node_name || pod.node_name->get() != node) continue;
      (void)server().remove(Kind::pod, "default", pod.meta.name,
                            {.uid = pod.meta.uid, .resource_version = {}, .grace_seconds = 0},
                            loop_.now());
    }
  }

  bool heal() {
    storm_.heal();
    if (loop_.engine() == nullptr) loop_.start_engine();
    for (int i = 0; i < world_.nodes; ++i) {
      if (server().find<Node>("", World::node_name(i)) == nullptr) add_node(i);
      cordon(World::node_name(i), false);
    }
    return true;
  }

  // ---- The verdict ----

  void judge() {
    std::map<std::string, int> free;
    std::size_t devices_held = 0;
    for (int i = 0; i < world_.nodes; ++i) free[World::node_name(i)] = world_.devices;
    for (const auto& item : server().list(Kind::resource_claim).items) {
      const auto& claim = std::get<ResourceClaim>(*item);
      if (!claim.allocation) continue;
      for (const auto& result : claim.allocation->devices) {
        --free[result.device.pool.get()];
        ++devices_held;
      }
      judge_users(claim);
    }
    std::size_t waiting = 0;
    for (const auto& item : server().list(Kind::pod).items) {
      const auto& pod = std::get<Pod>(*item);
      if (pod.node_name || pod.meta.deleted || pod.finished()) continue;
      ++waiting;
      if (!pod.pod_group && fits_somewhere(pod, free)) {
        const auto view = loop_.engine()->pod(pod.key());
        checker_.violate("pod " + pod.meta.name + " fits and was not bound: " +
                         (view ? std::string(text(view->reason)) + " (" + view->detail + ")"
                               : "the engine does not know it"));
      }
    }
    judge_gangs(free);
    const auto status = loop_.engine()->status();
    if (status.binds_in_flight > 0) checker_.violate("a bind never ended");
    if (status.reservations > waiting) checker_.violate("a reservation was left behind");
    if (status.devices_allocated < devices_held) checker_.violate("the engine misses a device");
    if (status.reservations == 0 && status.devices_allocated != devices_held) {
      checker_.violate("the engine counts a device that is free");
    }
  }

  /// A gang runs with at least its minimum, or not at all; one that would fit runs.
  void judge_gangs(const std::map<std::string, int>& free) {
    int room = 0;
    for (const auto& [node, devices] : free) room += devices;
    for (const auto& item : server().list(Kind::pod_group).items) {
      const auto& group = std::get<PodGroup>(*item);
      int bound = 0;
      int waiting = 0;
      for (const auto& other : server().list(Kind::pod).items) {
        const auto& pod = std::get<Pod>(*other);
        if (pod.pod_group != group.meta.name || pod.finished() || pod.meta.deleted) continue;
        ++(pod.node_name ? bound : waiting);
      }
      const int lacks = *group.min_count - bound;
      const bool can_be_whole = lacks <= waiting;
      if (bound > 0) note("a gang runs");
      if (bound == 0 && waiting > 0) note("a gang waits at the end");
      if (lacks > 0 && can_be_whole && room >= lacks) {
        checker_.violate("gang " + group.meta.name + " fits and does not run whole");
      }
      if (bound > 0 && lacks > 0 && can_be_whole) {
        checker_.violate("gang " + group.meta.name + " runs below its minimum");
      }
    }
  }

  void judge_users(const ResourceClaim& claim) {
    if (claim.reserved_for.empty()) {
      return checker_.violate("claim " + claim.meta.name + " keeps devices that nobody uses");
    }
    for (const auto& user : claim.reserved_for) {
      const auto* pod = server().find<Pod>("default", user.name);
      if (loop_.claim_controller().never_seen().contains(user.uid)) continue;  // its fault
      if (pod == nullptr || pod->meta.uid != user.uid || pod->finished()) {
        checker_.violate("claim " + claim.meta.name + " is kept for a pod that is done");
      } else if (!pod->node_name) {
        checker_.violate("claim " + claim.meta.name + " is reserved for a pod without a node");
      }
    }
  }

  bool fits_somewhere(const Pod& pod, const std::map<std::string, int>& free) {
    int needed = 0;
    std::optional<std::string> pinned;
    for (const auto* claim : claims_of(pod, server())) {
      if (claim == nullptr || claim->meta.deleted) return false;
      if (claim->allocation) {
        pinned = claim->allocation->devices.front().device.pool.get();
      } else {
        needed += static_cast<int>(claim->spec.requests.front().exactly->count);
      }
    }
    return std::ranges::any_of(free, [&](const auto& node) {
      return (!pinned || *pinned == node.first) && node.second >= needed;
    });
  }

  // ---- Interesting states ----

  void note(const std::string& state) { seen_.insert(state); }

  std::set<std::string> seen() {
    const auto add_if = [&](bool on, const char* state) {
      if (on) note(state);
    };
    const auto& counts = loop_.counts();
    const auto& weather = storm_.seen();
    add_if(weather.lost_writes > 0, "a write was lost");
    add_if(weather.unanswered_binds > 0, "a binding was made without an answer");
    add_if(weather.unanswered_allocations > 0, "an allocation was made without an answer");
    add_if(weather.lost_calls > 0, "an extender call was lost");
    add_if(counts.binds_failed > 0, "a bind was answered with an error");
    add_if(counts.engines_started > 2, "two crashes");
    add_if(counts.relists > 20, "a watch was lost for good");
    add_if(checker_.most_devices_held() ==
               static_cast<std::size_t>(world_.nodes) * static_cast<std::size_t>(world_.devices),
           "every device was in use");
    if (loop_.engine() != nullptr) {
      const auto status = loop_.engine()->status();
      add_if(status.binds_undone > 0, "a bind was undone");
      add_if(status.reservations_expired > 0, "a reservation expired");
      add_if(status.reservations > 0, "a reservation waits at the end");
      add_if(status.pods_waiting > 0, "a pod waits for devices at the end");
    }
    for (const auto& item : server().list(Kind::resource_claim).items) {
      const auto& claim = std::get<ResourceClaim>(*item);
      add_if(claim.reserved_for.size() > 1, "a claim is shared");
    }
    return seen_;
  }

  Dice dice_;
  Faults faults_;
  World world_;
  Storm storm_;
  sim::ClusterLoop loop_;
  Checker checker_;
  std::set<std::string> seen_;
  int touches_ = 0;
};

}  // namespace dray::dst
