#include "tests/dst/workload.h"

#include <algorithm>
#include <utility>

#include "dray/sim/kubelet.h"
#include "tests/dst/storm.h"
#include "tests/objects/claims.h"
#include "tests/objects/devices.h"
#include "tests/objects/groups.h"
#include "tests/objects/nodes.h"
#include "tests/objects/pods.h"

namespace dray::dst {

using namespace testing;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::vector<DeviceRequest> some(std::int64_t count, const char* driver) {
  return {request("devices", exactly(count, driver))};
}

std::vector<DeviceRequest> part(const char* amount) {
  auto spec = exactly(1, parts_driver);
  spec.has_capacity = true;
  spec.capacity_requests["memory"] = quantity(amount);
  return {request("devices", spec)};
}

Device shared_device() {
  auto made = device("part-0");
  made.allow_multiple_allocations = true;
  made.capacity["memory"] = {Quantity(parts_of_device), std::nullopt};
  return made;
}

/// Three devices that are cut from what is enough for two.
ResourceSlice counted_slice(const std::string& node) {
  auto slice = make_slice(node, {}, counters_driver);
  slice.shared_counters = {{"whole", {{"memory", Quantity(counters_of_node)}}}};
  slice.pool_slice_count = 2;
  slice.devices.clear();
  return slice;
}

ResourceSlice cut_devices(const std::string& node) {
  auto slice = make_slice(node, {}, counters_driver);
  slice.meta.name += "-devices";
  slice.pool_slice_count = 2;
  for (int i = 0; i < 3; ++i) {
    auto made = device("cut-" + std::to_string(i));
    made.consumes_counters = {{"whole", {{"memory", Quantity(1)}}, {}}};
    slice.devices.push_back(std::move(made));
  }
  return slice;
}

ResourceSlice gpus_of(const std::string& node, const World& world) {
  auto slice = make_gpus(node, world.devices);
  bool large = true;
  for (auto& each : slice.devices) {
    if (world.models) {
      each.attributes[model_attribute] = std::string(large ? large_model : small_model);
    }
    large = !large;
  }
  return slice;
}

/// A GPU of the model that it names.
std::vector<DeviceRequest> of_model(const std::string& model) {
  auto spec = exactly(1, gpu_driver);
  spec.selectors.push_back(
      {std::string("device.attributes[\"") + gpu_driver + "\"].model == \"" + model + "\""});
  return {request("devices", spec)};
}

Device attached_device() {
  auto made = device("attached-0");
  made.binding_conditions = {attached_condition};
  made.binding_failure_conditions = {attach_failed_condition};
  return made;
}

}  // namespace

Workload::Workload(const Story& story, sim::ClusterLoop& loop)
    : story_(story), loop_(loop), dice_(story.seed, 4), more_dice_(story.seed, 6) {}

void Workload::build() {
  const auto& world = story_.world;
  for (int i = 0; i < world.nodes; ++i) add_node(i);
  for (const auto* driver :
       {gpu_driver, fabric_driver, parts_driver, counters_driver, attached_driver}) {
    create(make_driver_class(driver, driver));
    create(make_template(std::string("one-") + driver, some(1, driver)));
  }
  create(make_template("two-gpus", some(2, gpu_driver)));
  for (const auto* model : {large_model, small_model}) {
    create(make_template(std::string("one-") + model, of_model(model)));
  }
  create(make_template("small-part", part("1")));
  create(make_template("large-part", part("3")));
  create(make_claim("shared", some(1, gpu_driver)));
  if (world.fabric) {
    auto slice = make_slice("fabric", {device("port-0"), device("port-1")}, fabric_driver);
    slice.scope = {};
    slice.scope.all_nodes = true;
    create(std::move(slice));
  }
  if (world.budgets) {
    PodDisruptionBudget budget;
    budget.meta = default_meta("few");
    budget.selector = LabelSelector{{{"guarded", "yes"}}, {}};
    budget.disruptions_allowed = 1;  // as the disruption controller says
    server().restore(std::move(budget), loop_.now());
  }
}

void Workload::add_node(int index) {
  const auto name = node_name(index);
  create(make_node(name));
  add_devices(name);
}

void Workload::add_devices(const std::string& node) {
  const auto& world = story_.world;
  create(gpus_of(node, world));
  if (world.parts) create(make_slice(node, {shared_device()}, parts_driver));
  if (world.counters) {
    create(counted_slice(node));
    create(cut_devices(node));
  }
  if (world.conditions) create(make_slice(node, {attached_device()}, attached_driver));
}

void Workload::plan() {
  const auto& world = story_.world;
  for (int i = 0; i < world.pods; ++i) {
    after(dice_.up_to(storm_time / 2), [this, i] { add_pod(i); });
  }
  for (int i = 0; i < world.gangs; ++i) {
    after(dice_.up_to(storm_time / 2), [this, i] { add_gang(i); });
  }
  if (story_.faults.unreadable) {
    after(dice_.up_to(storm_time / 2), [this] {
      auto claim = make_claim("odd", some(1, gpu_driver));
      claim.spec.unreadable = "request devices: a quantity that nobody can read";
      create(std::move(claim));
      create(with_claim(make_pod("odd-user"), "odd"));
    });
  }
  if (story_.faults.doomed) {
    after(dice_.up_to(storm_time / 2), [this] {
      create(with_template(make_pod(doomed_prefix), std::string("one-") + gpu_driver, "a"));
    });
    for (const auto* name : {doomed_gate, kept_prefix}) {
      if (name == doomed_gate && !world.gated) continue;
      after(more_dice_.up_to(storm_time / 2), [this, name] {
        create(with_template(make_pod(name), std::string("one-") + gpu_driver, "a"));
      });
    }
  }
}

void Workload::label(Pod& pod) {
  const auto& world = story_.world;
  if (!world.queues) return;
  pod.meta.labels[queue_label] = dice_.chance(50) ? "a" : "b";
  if (world.priorities && dice_.chance(30)) pod.priority = 50;
  if (world.budgets && dice_.chance(30)) pod.meta.labels["guarded"] = "yes";
}

/// What the world lacks becomes a GPU.
Pod Workload::pod_of_kind(const std::string& name, std::size_t kind) {
  const auto& world = story_.world;
  const auto one = [](const char* driver) { return std::string("one-") + driver; };
  auto pod = make_pod(name);
  if (kind == 7) {
    return with_template(with_template(pod, one(gpu_driver), "a"), one(gpu_driver), "b");
  }
  if (kind == 6) return with_template(pod, "two-gpus", "a");
  if (kind == 8) {
    const auto claim = more_dice_.chance(50) ? std::string("shared") : "shared-" + name;
    create(make_claim(claim, some(1, gpu_driver)));
    return with_claim(pod, claim, "s");
  }
  if (kind == 10 && world.fabric) return with_template(pod, one(fabric_driver), "a");
  if (kind == 11 && world.parts) {
    return with_template(pod, dice_.chance(50) ? "small-part" : "large-part", "a");
  }
  if (kind == 12 && world.counters) return with_template(pod, one(counters_driver), "a");
  if (kind == 13 && world.conditions) return with_template(pod, one(attached_driver), "a");
  if (kind == 9) return pod;
  if (world.models && more_dice_.chance(40)) {
    return with_template(pod, one(more_dice_.chance(50) ? large_model : small_model), "a");
  }
  return with_template(pod, one(gpu_driver), "a");
}

void Workload::add_pod(int index) {
  const auto kind = dice_.below(14);
  auto pod = pod_of_kind("p" + std::to_string(index), kind);
  label(pod);
  // Not with a shared claim: kube-controller-manager gives a finished pod its reservation back
  // and takes it again, for ever (kubernetes/kubernetes issue 141274), as its model does. Nor
  // with two generated ones: the end of one makes it look at the other and forget that it made
  // it, so that it makes and deletes that one anew for the finished pod, for ever.
  if (kind != 7 && kind != 8 && dice_.chance(50)) {
    pod.meta.annotations[sim::run_seconds_annotation] = std::to_string(dice_.between(1, 40));
  }
  create(pod);
  if (kind == 8) add_partner(pod);
  if (!story_.faults.pods_deleted || !dice_.chance(50)) return;
  after(dice_.up_to(dice_.chance(60) ? Duration(milliseconds(60)) : storm_time / 3),
        [this, name = pod.meta.name] { delete_pod(name); });
}

/// Another pod that uses its claim, which may be on its way by then.
void Workload::add_partner(const Pod& pod) {
  auto partner = make_pod(pod.meta.name + "-partner");
  partner.meta.labels = pod.meta.labels;
  partner.resource_claims = pod.resource_claims;
  after(more_dice_.up_to(milliseconds(300)), [this, partner] { create(partner); });
}

/// Pods with a GPU each, which come one by one.
void Workload::add_gang(int index) {
  const auto name = "g" + std::to_string(index);
  const auto size = dice_.between(2, 4);
  const auto minimum = dice_.between(2, size);
  const auto* queue = dice_.chance(50) ? "a" : "b";
  create(make_group(name, static_cast<std::int32_t>(minimum)));
  for (std::int64_t i = 0; i < size; ++i) {
    const auto member = name + "-" + std::to_string(i);
    after(dice_.up_to(milliseconds(500)), [this, name, member, queue] {
      auto pod = with_template(make_pod(member), std::string("one-") + gpu_driver, "a");
      pod.pod_group = name;
      if (story_.world.queues) pod.meta.labels[queue_label] = queue;
      create(pod);
    });
    if (story_.faults.pods_deleted && dice_.chance(20)) {
      after(dice_.up_to(storm_time), [this, member] { delete_pod(member); });
    }
  }
}

void Workload::delete_pod(const std::string& name) {
  const auto* pod = server().find<Pod>("default", name);
  if (pod == nullptr || pod->meta.deleted) return;
  if (!pod->scheduling_gates.empty()) seen_.insert("gated pod deleted");
  if (auto* leader = loop_.leader();
      leader != nullptr && leader->engine().status().binds_in_flight > 0) {
    seen_.insert("pod deleted mid-bind");
  }
  auto fresh = *pod;
  (void)server().remove(Kind::pod, "default", name, {}, loop_.now());
  if (!dice_.chance(40)) return;
  after(dice_.up_to(seconds(5)), [this, fresh = std::move(fresh)] { make_anew(fresh); });
}

void Workload::heal() {
  healed_ = true;
  for (auto i = more_dice_.between(0, 3); i > 0; --i) {
    after(order_patience + more_dice_.up_to(seconds(15)), [this] { end_some_pod(); });
  }
}

/// A pod that runs alone is deleted: there is room for others.
void Workload::end_some_pod() {
  std::vector<std::string> running;
  for (const auto& item : server().list(Kind::pod).items) {
    const auto& pod = std::get<Pod>(*item);
    if (pod.node_name && !pod.meta.deleted && !pod.pod_group) running.push_back(pod.meta.name);
  }
  if (running.empty()) return;
  const auto& name = running[more_dice_.below(running.size())];
  (void)server().remove(Kind::pod, "default", name, {}, loop_.now());
}

/// The same pod again, under its name, with nothing in its status.
void Workload::make_anew(const Pod& pod) {
  if (server().find<Pod>("default", pod.meta.name) != nullptr) return;
  auto fresh = make_pod(pod.meta.name);
  fresh.meta.labels = pod.meta.labels;
  fresh.meta.annotations = pod.meta.annotations;
  std::erase_if(fresh.meta.annotations,
                [](const auto& each) { return each.first.starts_with("dray.dev/"); });
  fresh.resource_claims = pod.resource_claims;
  fresh.pod_group = pod.pod_group;
  fresh.priority = pod.priority;
  fresh.node_selector = pod.node_selector;
  seen_.insert("pod recreated under its name");
  create(fresh);
}

/// The drivers' own controller.
void Workload::attach(const ResourceClaim& claim) {
  if (!claim.allocation) return;
  for (const auto& each : claim.allocation->devices) {
    if (each.binding_conditions.empty()) continue;
    const bool told = std::ranges::any_of(claim.device_statuses, [&](const DeviceStatus& status) {
      return status.device == each.device;
    });
    if (told) continue;
    const bool fails = !healed_ && dice_.chance(20);
    seen_.insert(fails ? "a device could not be attached" : "a device was attached");
    after(dice_.up_to(seconds(2)), [this, key = claim.key(), uid = claim.meta.uid,
                                    device = each.device, fails] {
      (void)server().patch(
          Kind::resource_claim, key.namespace_name, key.name, sim::Endpoint::status,
          [&](KubeObject& object) -> Result<void> {
            auto& live = std::get<ResourceClaim>(object);
            if (live.meta.uid != uid || !live.allocation) return {};
            DeviceStatus status;
            status.device = device;
            status.conditions = {{.type = fails ? attach_failed_condition : attached_condition,
                                  .status = "True",
                                  .reason = "Told",
                                  .message = "",
                                  .last_transition = {}}};
            live.device_statuses = {std::move(status)};
            return {};
          },
          loop_.now());
    });
  }
}

void Workload::committed(const sim::WatchEvent& event) {
  if (event.object == nullptr) return;
  const bool gone = event.type == sim::WatchEvent::Type::deleted;
  if (const auto* claim = std::get_if<ResourceClaim>(&*event.object); claim != nullptr && !gone) {
    attach(*claim);
  }
  const auto* pod = std::get_if<Pod>(&*event.object);
  if (pod == nullptr || !gone) return;
  const bool evicted = std::ranges::any_of(pod->conditions, [](const Condition& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True";
  });
  if (!evicted) return;
  seen_.insert("a pod was evicted");
  after(milliseconds(300), [this, pod = *pod] { make_anew(pod); });
}

}  // namespace dray::dst
