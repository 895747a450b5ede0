#include "cluster/pod_book.h"

#include <utility>

#include "dray/cluster/state.h"

namespace dray::cluster {
namespace {

/// What a pod is known by; objects from files may have no uid.
std::string identity_of(const ObjectMeta& meta) {
  return meta.uid.get().empty() ? meta.namespace_name + "/" + meta.name : meta.uid.get();
}

}  // namespace

bool same_for_plans(const Pod& a, const Pod& b) {
  auto x = a;
  x.conditions = b.conditions;
  x.nominated_node = b.nominated_node;
  x.meta.resource_version = b.meta.resource_version;
  return x == b;
}

std::shared_ptr<const Pod> PodBook::find_by_identity(const std::string& id) const {
  const auto* key = keys_.find(id);
  return key == nullptr ? nullptr : find(*key);
}

/// What the pod is to take, and where.
std::optional<PodBook::Charge> PodBook::due(const std::string& id) const {
  const auto pod = find_by_identity(id);
  if (!pod || pod->finished()) return std::nullopt;
  if (pod->node_name && !pod->node_name->get().empty()) {
    return Charge{*pod->node_name, use_of(*pod)};
  }
  const auto* assumed = assumed_.find(id);
  if (assumed == nullptr) return std::nullopt;
  return Charge{assumed->node, use_of(*pod, assumed->node_allocatable)};
}

/// Whether that is anything else than what it took before.
bool PodBook::recharge(const std::string& id) {
  auto made = due(id);
  if (const auto* held = charges_.find(id)) {
    if (made && held->node == made->node && held->use == made->use) return false;
    nodes_.discharge(held->node, held->use);
    charges_.erase(id);
  } else if (!made) {
    return false;
  }
  if (made) {
    nodes_.charge(made->node, made->use);
    charges_.set(id, std::move(*made));
  }
  return true;
}

bool PodBook::put(const Pod& pod) {
  const auto id = identity_of(pod.meta);
  auto known = find(pod.key());
  if (known && identity_of(known->meta) != id) {
    (void)erase(pod.key(), known->meta.uid);
    known = nullptr;
  }
  pods_.set(pod.key(), std::make_shared<const Pod>(pod));
  keys_.set(id, pod.key());
  const bool charged = recharge(id);
  return charged || !known || !same_for_plans(*known, pod);
}

bool PodBook::erase(const PodKey& key, const Uid& uid) {
  const auto known = find(key);
  if (!known || (!uid.get().empty() && known->meta.uid != uid)) return false;
  const auto id = identity_of(known->meta);
  pods_.erase(key);
  keys_.erase(id);
  (void)recharge(id);
  return true;
}

void PodBook::assume(const Placement& placement) {
  (void)forget(placement.pod_uid);
  const auto& id = placement.pod_uid.get();
  for (const auto& claim : placement.claims) claims_.assume(placement.pod_uid, claim);
  assumed_.set(id, placement);
  (void)recharge(id);
}

bool PodBook::forget(const Uid& pod) {
  const auto* at = assumed_.find(pod.get());
  if (at == nullptr) return false;
  const auto placement = *at;
  assumed_.erase(pod.get());
  for (const auto& claim : placement.claims) claims_.forget(pod, claim.claim);
  (void)recharge(pod.get());
  return true;
}

std::shared_ptr<const Pod> PodBook::find(const PodKey& key) const {
  const auto* pod = pods_.find(key);
  return pod == nullptr ? nullptr : *pod;
}

std::shared_ptr<const Pod> PodBook::find(const Uid& uid) const {
  return find_by_identity(uid.get());
}

void PodBook::for_each(const std::function<void(const std::shared_ptr<const Pod>&)>& visit) const {
  pods_.for_each([&](const PodKey&, const auto& pod) { visit(pod); });
}

}  // namespace dray::cluster
