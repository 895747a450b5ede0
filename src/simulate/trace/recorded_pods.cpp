#include "simulate/trace/recorded_pods.h"

#include <algorithm>

#include "dray/model/pod_claim.h"

namespace dray::simulate {
namespace {

/// When the pod got its node, by what it says itself.
std::optional<Time> says_bound(const Pod& pod) {
  for (const auto& condition : pod.conditions) {
    if (condition.type == "PodScheduled" && condition.status == "True") {
      return condition.last_transition;
    }
  }
  return std::nullopt;
}

const DeviceRequestSpec* find_request(const ResourceClaim& claim, const std::string& name) {
  const auto slash = name.find('/');
  for (const auto& request : claim.spec.requests) {
    if (request.name != name.substr(0, slash)) continue;
    if (request.exactly) return &*request.exactly;
    if (slash == std::string::npos) return nullptr;
    const auto sub = std::ranges::find(request.first_available, name.substr(slash + 1),
                                       &DeviceRequestSpec::name);
    return sub == request.first_available.end() ? nullptr : &*sub;
  }
  return nullptr;
}

/// Devices by class: those that the claim has, or asks for while it has none.
std::map<std::string, std::int64_t> devices_of(const ResourceClaim& claim) {
  std::map<std::string, std::int64_t> devices;
  if (claim.allocation) {
    for (const auto& device : claim.allocation->devices) {
      const auto* request = find_request(claim, device.request);
      const bool counts = request != nullptr && !device.admin_access.value_or(false);
      if (counts) ++devices[request->device_class.get()];
    }
    return devices;
  }
  for (const auto& request : claim.spec.requests) {
    const auto* first = request.exactly                   ? &*request.exactly
                        : request.first_available.empty() ? nullptr
                                                          : &request.first_available.front();
    if (first == nullptr || first->admin_access.value_or(false)) continue;
    devices[first->device_class.get()] += first->allocation_mode == "All" ? 1 : first->count;
  }
  return devices;
}

}  // namespace

bool is_of_node(const Pod& pod) {
  return std::ranges::any_of(pod.meta.owners, [](const auto& owner) {
    return owner.kind == "DaemonSet" || owner.kind == "Node";
  });
}

void RecordedPods::begin() {
  listing_ = true;
  unconfirmed_.clear();
  for (const auto& [name, uid] : alive_) unconfirmed_.insert(name);
}

void RecordedPods::synced(Time now) {
  for (const auto& name : std::exchange(unconfirmed_, {})) end(name, now);
  // Groups may have been listed after their pods.
  for (const auto& [name, uid] : alive_) look_again(lives_.at(uid));
  listing_ = false;
}

void RecordedPods::see(const KubeObject& object, Time now) {
  if (const auto* pod = std::get_if<Pod>(&object)) return see_pod(*pod, now);
  if (const auto* claim = std::get_if<ResourceClaim>(&object)) {
    const Name name{claim->meta.namespace_name, claim->meta.name};
    claims_[name] = std::make_shared<const ResourceClaim>(*claim);
    const auto look = [this](const Uid& pod) {
      if (const auto life = lives_.find(pod); life != lives_.end()) look_again(life->second);
    };
    for (const auto& user : claim->reserved_for) look(user.uid);
    for (const auto& owner : claim->meta.owners) look(owner.uid);
    return;
  }
  see_group(object, now);
}

/// Creation times have whole seconds: by them a group of the same second would come before all
/// pods of it, which come when they are seen.
void RecordedPods::see_group(const KubeObject& object, Time now) {
  const auto& meta = meta_of(object);
  if (!listing_ && meta.created && now - *meta.created < std::chrono::seconds(1)) {
    made_.try_emplace(meta.uid, now);
  }
  const auto made = made_.find(meta.uid);
  if (made == made_.end()) return groups_.observe(object);
  auto exact = object;
  meta_of(exact).created = made->second;
  groups_.observe(exact);
}

void RecordedPods::gone(Kind kind, const std::string& namespace_name, const std::string& name,
                        Time now) {
  if (kind == Kind::pod) return end({namespace_name, name}, now);
  if (kind == Kind::resource_claim) claims_.erase({namespace_name, name});
  groups_.forget(kind, namespace_name, name);
}

void RecordedPods::see_pod(const Pod& pod, Time now) {
  const Name name{pod.meta.namespace_name, pod.meta.name};
  unconfirmed_.erase(name);
  const auto known = alive_.find(name);
  if (known != alive_.end() && known->second != pod.meta.uid) end(name, now);
  const bool is_new = !lives_.contains(pod.meta.uid);
  if (is_new && pod.finished()) return;
  auto& life = lives_[pod.meta.uid];
  if (life.ended) return;
  if (is_new) {
    life.submitted = listing_ ? pod.meta.created.value_or(now) : now;
    alive_[name] = pod.meta.uid;
  }
  life.pod = std::make_shared<const Pod>(pod);
  if (pod.node_name && !life.bound) {
    life.bound = std::max(listing_ ? says_bound(pod).value_or(now) : now, life.submitted);
  }
  look_again(life);
  if (pod.finished()) end(name, now);
}

/// Objects of other kinds come in no order with the pod's: what is known last counts, and what was
/// known before the group's object went.
void RecordedPods::look_again(PodLife& life) {
  if (auto group = groups_.group_of(*life.pod)) life.group = std::move(group);
  const auto queue = groups_.queue_of(*life.pod);
  if (life.queue.empty() || queue != life.pod->meta.namespace_name) life.queue = queue;
  count_devices(life);
}

void RecordedPods::count_devices(PodLife& life) {
  std::map<std::string, std::int64_t> devices;
  bool any = false;
  for (const auto& entry : life.pod->resource_claims) {
    const auto* name = claim_of_entry(*life.pod, entry).name;
    if (name == nullptr) continue;
    const auto claim = claims_.find({life.pod->meta.namespace_name, *name});
    if (claim == claims_.end()) continue;
    any = true;
    const auto by = counted_by_.try_emplace(claim->second->meta.uid, life.pod->meta.uid).first;
    if (by->second != life.pod->meta.uid) continue;
    for (const auto& [device_class, count] : devices_of(*claim->second)) {
      devices[device_class] += count;
    }
  }
  if (any) life.devices = std::move(devices);
}

void RecordedPods::end(const Name& name, Time now) {
  const auto alive = alive_.extract(name);
  if (alive.empty()) return;
  auto& life = lives_.at(alive.mapped());
  life.ended = now;
}

}  // namespace dray::simulate
