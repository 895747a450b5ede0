#include "tests/dst/trouble.h"

#include <algorithm>
#include <utility>

#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/meta.h"

namespace dray::dst {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

Trouble::Trouble(const Story& story, sim::ClusterLoop& loop, Workload& workload, Checker& checker)
    : story_(story), loop_(loop), workload_(workload), checker_(checker), dice_(story.seed, 5) {}

void Trouble::start(std::size_t index) {
  sim::ClusterLoop::Clock clock;
  if (story_.faults.odd_clocks) {
    // Two of them together stay below what the fence allows for: 15 s to 10 s.
    clock.rate = static_cast<double>(dice_.between(85, 115)) / 100;
    clock.offset = seconds(dice_.between(-120, 120));
  }
  loop_.start_replica(index, clock);
}

void Trouble::plan() {
  set_policy(0);
  for (int i = 0; i < story_.world.replicas; ++i) {
    after(dice_.up_to(milliseconds(500)), [this, i] { start(static_cast<std::size_t>(i)); });
  }
  const auto some = [&](bool on, int most, void (Trouble::*action)()) {
    if (!on) return;
    for (auto i = dice_.between(1, most); i > 0; --i) {
      after(dice_.up_to(storm_time), [this, action] { (this->*action)(); });
    }
  };
  const auto& faults = story_.faults;
  some(faults.crashes, 5, &Trouble::crash);
  some(faults.pauses, 3, &Trouble::pause);
  some(faults.drains, 2, &Trouble::drain);
  some(faults.touches, 60, &Trouble::touch_something);
  some(faults.replaced_claims, 8, &Trouble::replace_claim);
  some(faults.rival, 5, &Trouble::take_as_rival);
  some(faults.nodes_change, 8, &Trouble::change_node);
  some(faults.taints, 6, &Trouble::taint);
  some(faults.devices_change && story_.world.models, 6, &Trouble::change_device);
  some(faults.policy_reloads && story_.world.queues, 4, &Trouble::reload_policy);
  if (!faults.compaction) return;
  for (auto i = dice_.between(1, 5); i > 0; --i) {
    after(dice_.up_to(storm_time), [this] {
      server().compact(server().revision());
      seen_.insert("compacted");
    });
  }
}

// ---- Replicas

/// Mostly the leader: there it hurts.
std::size_t Trouble::some_replica() {
  const auto any = dice_.below(static_cast<std::size_t>(story_.world.replicas));
  if (dice_.chance(25)) return any;
  for (std::size_t i = 0; i < loop_.replicas(); ++i) {
    if (loop_.replica(i) != nullptr && loop_.replica(i) == loop_.leader()) return i;
  }
  return any;
}

void Trouble::crash() {
  const auto index = some_replica();
  auto* replica = loop_.replica(index);
  if (replica == nullptr || replica->process().ended()) return;
  const auto status = replica->engine().status();
  if (status.binds_in_flight > 0) seen_.insert("crash mid-bind");
  if (status.reservations > 0) seen_.insert("crash with reservations");
  loop_.kill_replica(index);
  after(dice_.up_to(seconds(dice_.chance(70) ? 3 : 25)) + milliseconds(500), [this, index] {
    if (loop_.replica(index)->process().ended()) start(index);
  });
}

/// SIGSTOP, and on: which of its threads gets the processor first is chance.
void Trouble::pause() {
  auto* replica = loop_.replica(some_replica());
  if (replica == nullptr || replica->process().ended() || replica->process().stopped()) return;
  if (replica->leads() && replica->outbox().in_flight > 0) seen_.insert("stopped while writing");
  loop_.note("stop", "");
  replica->process().stop();
  sim::Process::Order order{sim::Process::Thread::lease, sim::Process::Thread::engine,
                            sim::Process::Thread::writer};
  for (std::size_t i = 2; i > 0; --i) std::swap(order.at(i), order.at(dice_.below(i + 1)));
  const auto length = dice_.up_to(seconds(dice_.chance(50) ? 40 : 6));
  after(length, [this, replica, order] {
    loop_.note("go on", "");
    if (replica->leads() && loop_.leader() != replica && loop_.leader() != nullptr) {
      seen_.insert("two believed to lead");
    }
    replica->process().go_on(order);
  });
}

/// SIGTERM; another takes over at once.
void Trouble::drain() {
  const auto index = some_replica();
  auto* replica = loop_.replica(index);
  if (replica == nullptr || replica->process().ended() || replica->process().stopped()) return;
  replica->drain();
  seen_.insert("the Lease was given back");
  // SIGKILL comes in the middle of it if it takes long.
  after(seconds(dice_.between(2, 14)), [this, index, replica] {
    if (loop_.replica(index) == replica) start(index);
  });
}

// ---- Others

/// Somebody else writes to a claim or a pod: dray's resourceVersions are stale.
void Trouble::touch_something() {
  const auto kind = dice_.chance(70) ? Kind::resource_claim : Kind::pod;
  const auto all = server().list(kind);
  if (all.items.empty()) return;
  const auto& meta = meta_of(*all.items[dice_.below(all.items.size())]);
  (void)server().patch(
      kind, meta.namespace_name, meta.name, sim::Endpoint::main,
      [&](KubeObject& object) -> Result<void> {
        meta_of(object).annotations["touched"] = std::to_string(++made_);
        return {};
      },
      loop_.now());
}

/// A claim of no running pod is deleted, and made anew under its name.
void Trouble::replace_claim() {
  std::vector<ResourceClaim> free;
  for (const auto& item : server().list(Kind::resource_claim).items) {
    const auto& claim = std::get<ResourceClaim>(*item);
    if (claim.reserved_for.empty()) free.push_back(claim);
  }
  if (free.empty()) return;
  auto fresh = free[dice_.below(free.size())];
  (void)server().remove(Kind::resource_claim, "default", fresh.meta.name, {}, loop_.now());
  seen_.insert("a claim was replaced");
  fresh.meta.finalizers.clear();
  fresh.meta.deleted.reset();
  fresh.allocation.reset();
  fresh.device_statuses.clear();
  after(dice_.up_to(milliseconds(300)), [this, fresh] {
    if (server().find<ResourceClaim>("default", fresh.meta.name) != nullptr) return;
    (void)server().create(fresh, loop_.now());
  });
}

/// Another allocator, which asks nobody, takes a device that is free, and gives it back.
void Trouble::take_as_rival() {
  if (healed_) return;
  const auto node =
      node_name(static_cast<int>(dice_.below(static_cast<std::size_t>(story_.world.nodes))));
  const auto id = device_id(node, "gpu-0");
  const auto holders = checker_.facts().holders.find(id);
  if (holders != checker_.facts().holders.end() && !holders->second.empty()) return;
  const auto name = rival_prefix + std::to_string(++made_);
  auto claim = make_claim(name, {request("gpu", exactly(1, gpu_driver))});
  claim.meta.uid = {};
  claim.allocation = allocation({id});
  claim.meta.finalizers = {claim_finalizer};
  seen_.insert("a rival took a device");
  server().restore(std::move(claim), loop_.now());
  after(dice_.up_to(seconds(20)), [this, name] {
    (void)server().patch(
        Kind::resource_claim, "default", name, sim::Endpoint::status,
        [](KubeObject& object) -> Result<void> {
          std::get<ResourceClaim>(object).allocation.reset();
          return {};
        },
        loop_.now());
    (void)server().patch(
        Kind::resource_claim, "default", name, sim::Endpoint::main,
        [](KubeObject& object) -> Result<void> {
          meta_of(object).finalizers.clear();
          return {};
        },
        loop_.now());
    (void)server().remove(Kind::resource_claim, "default", name, {}, loop_.now());
  });
}

void Trouble::bind_answered(const extender::BindRequest& request) {
  if (healed_ || !story_.faults.repeated_binds || !dice_.chance(15)) return;
  after(dice_.up_to(seconds(3)), [this, request] {
    auto* leader = loop_.leader();
    if (leader == nullptr) return;
    seen_.insert("a bind call was repeated");
    leader->bind(request, [](const auto& /*response*/) {});
  });
}

// ---- Nodes, devices, rules

void Trouble::change_node() {
  const auto index = static_cast<int>(dice_.below(static_cast<std::size_t>(story_.world.nodes)));
  const auto name = node_name(index);
  if (server().find<Node>("", name) == nullptr) return workload_.add_node(index);
  if (dice_.chance(75)) return cordon(name, dice_.chance(60));
  seen_.insert("node removed");
  for (const auto& item : server().list(Kind::resource_slice).items) {
    const auto& slice = std::get<ResourceSlice>(*item);
    if (slice.pool.get() != name) continue;
    (void)server().remove(Kind::resource_slice, "", std::string(slice.meta.name), {}, loop_.now());
  }
  (void)server().remove(Kind::node, "", name, {}, loop_.now());
  after(seconds(2), [this, name] { collect_pods_of(name); });
}

void Trouble::cordon(const std::string& node, bool on) {
  auto* leader = loop_.leader();
  if (on && leader != nullptr && leader->engine().status().reservations > 0) {
    seen_.insert("cordoned under a reservation");
  }
  (void)server().patch(
      Kind::node, "", node, sim::Endpoint::main,
      [&](KubeObject& object) -> Result<void> {
        std::get<Node>(object).unschedulable = on;
        return {};
      },
      loop_.now());
}

/// Kubernetes' pod garbage collector, for a node that stays away.
void Trouble::collect_pods_of(const std::string& node) {
  if (server().find<Node>("", node) != nullptr) return;
  for (const auto& item : server().list(Kind::pod).items) {
    const auto& pod = std::get<Pod>(*item);
    if (!pod.node_name || pod.node_name->get() != node) continue;
    (void)server().remove(Kind::pod, "default", pod.meta.name,
                          {.uid = pod.meta.uid, .resource_version = {}, .grace_seconds = 0},
                          loop_.now());
  }
}

void Trouble::taint() {
  const auto name = "bad-" + std::to_string(++made_);
  DeviceTaintRule rule;
  rule.meta = cluster_meta(name);
  rule.has_selector = true;
  rule.driver = DriverName(gpu_driver);
  rule.device = DeviceName("gpu-0");
  rule.taint = {.key = "broken", .value = "", .effect = "NoSchedule", .time_added = {}};
  (void)server().create(rule, loop_.now());
  seen_.insert("devices were tainted");
  after(dice_.up_to(seconds(15)), [this, name] {
    (void)server().remove(Kind::device_taint_rule, "", name, {}, loop_.now());
  });
}

/// Its driver publishes a GPU as one of the other model.
void Trouble::change_device() {
  const auto node =
      node_name(static_cast<int>(dice_.below(static_cast<std::size_t>(story_.world.nodes))));
  const auto index = dice_.below(static_cast<std::size_t>(story_.world.devices));
  const auto changed = server().patch(
      Kind::resource_slice, "", node + "-gpus", sim::Endpoint::main,
      [&](KubeObject& object) -> Result<void> {
        auto& slice = std::get<ResourceSlice>(object);
        auto& model = slice.devices.at(index).attributes[model_attribute];
        const bool was_large = model == AttributeValue(std::string(large_model));
        model = std::string(was_large ? small_model : large_model);
        ++slice.pool_generation;
        return {};
      },
      loop_.now());
  if (changed) seen_.insert("a device changed its model");
}

void Trouble::set_policy(int reload) {
  const auto policy = policy_of(story_.world, reload);
  if (!policy) return;
  for (const auto& queue : policy->queues) {
    const auto limit = queue.limit.find("gpu");
    if (limit == queue.limit.end()) continue;
    // What was decided under a wider one may still be under way.
    auto& widest = checker_.facts().limits[queue.name.get()];
    widest = std::max(widest, limit->second->value());
  }
  loop_.set_policy(policy);
}

void Trouble::reload_policy() {
  seen_.insert("the policy was read again");
  set_policy(++made_);
}

void Trouble::committed(const sim::WatchEvent& /*event*/) {}

void Trouble::heal() {
  healed_ = true;
  for (int i = 0; i < story_.world.replicas; ++i) {
    auto* replica = loop_.replica(static_cast<std::size_t>(i));
    if (replica == nullptr || replica->process().ended()) start(static_cast<std::size_t>(i));
  }
  for (int i = 0; i < story_.world.nodes; ++i) {
    if (server().find<Node>("", node_name(i)) == nullptr) workload_.add_node(i);
    cordon(node_name(i), false);
  }
}

}  // namespace dray::dst
