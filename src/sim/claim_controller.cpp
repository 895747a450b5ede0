#include "dray/sim/claim_controller.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/model/pod_claim.h"
#include "sim/claim_names.h"

namespace dray::sim {
namespace {

constexpr std::size_t max_deleted_pods = 500;
constexpr Duration made_claims_believed = std::chrono::hours(1);
constexpr std::string_view pod_prefix = "pod:";
constexpr std::string_view claim_prefix = "claim:";
constexpr std::string_view garbage_prefix = "garbage:";

std::string with(std::string_view prefix, const std::string& key) {
  return std::string(prefix) + key;
}

bool reserved_for(const ResourceClaim& claim, const Uid& uid) {
  return std::ranges::find(claim.reserved_for, uid, &ClaimConsumer::uid) !=
         claim.reserved_for.end();
}

bool can_reserve(const ResourceClaim& claim) {
  return claim.reserved_for.size() < 256;
}

}  // namespace

const Pod* ClaimController::pod(const std::string& key) const {
  const auto found = pods_.find(key);
  return found == pods_.end() ? nullptr : &std::get<Pod>(*found->second);
}

const ResourceClaim* ClaimController::claim(const std::string& key) const {
  const auto found = claims_.find(key);
  return found == claims_.end() ? nullptr : &std::get<ResourceClaim>(*found->second);
}

const ResourceClaim* ClaimController::claim_or_made(const std::string& key, Time now) {
  const auto* known = claim(key);
  const auto found = made_.find(key);
  if (found == made_.end()) return known;
  if (known != nullptr) {
    made_.erase(found);
    return known;
  }
  if (now >= found->second.expires) return nullptr;
  return &std::get<ResourceClaim>(*found->second.object);
}

void ClaimController::remember_made(const std::shared_ptr<const KubeObject>& object, Time now) {
  while (!made_order_.empty() && made_order_.front().first <= now) {
    made_.erase(made_order_.front().second);
    made_order_.pop_front();
  }
  const auto& meta = meta_of(*object);
  const auto key = object_key(meta);
  made_[key] = {object, now + made_claims_believed};
  made_order_.emplace_back(now + made_claims_believed, key);
  for (const auto& owner : meta.owners) claims_by_owner_[owner.uid].insert(key);
}

// ---- Events ----

void ClaimController::observe(const WatchEvent& event) {
  if (event.object == nullptr) return;
  switch (event.kind) {
    case Kind::pod:
      return observe_pod(event);
    case Kind::resource_claim:
      return observe_claim(event);
    case Kind::resource_claim_template: {
      const auto& object = std::get<ResourceClaimTemplate>(*event.object);
      if (event.type == WatchEvent::Type::deleted) {
        templates_.erase(object_key(object.meta));
      } else {
        templates_[object_key(object.meta)] = event.object;
        observe_template(object);
      }
      return;
    }
    default:
      return;
  }
}

void ClaimController::observe_pod(const WatchEvent& event) {
  const auto& next = std::get<Pod>(*event.object);
  const auto key = object_key(next.meta);
  never_seen_.erase(next.meta.uid);
  if (const auto* old = pod(key)) {
    index_pod(*old, false);
    if (old->meta.uid != next.meta.uid) enqueue_pod(*old, true);
  }
  const bool deleted = event.type == WatchEvent::Type::deleted;
  if (deleted) {
    pods_.erase(key);
  } else {
    pods_[key] = event.object;
    index_pod(next, true);
  }
  enqueue_pod(next, deleted);
  if (!deleted) return;
  const auto owned = claims_by_owner_.find(next.meta.uid);
  if (owned == claims_by_owner_.end()) return;
  for (const auto& name : owned->second) queue_.add(with(garbage_prefix, name));
}

void ClaimController::observe_claim(const WatchEvent& event) {
  const auto& next = std::get<ResourceClaim>(*event.object);
  const auto key = object_key(next.meta);
  if (const auto* old = claim(key)) {
    for (const auto& owner : old->meta.owners) {
      const auto owned = claims_by_owner_.find(owner.uid);
      if (owned == claims_by_owner_.end()) continue;
      owned->second.erase(key);
      if (owned->second.empty()) claims_by_owner_.erase(owned);
    }
  }
  if (event.type == WatchEvent::Type::deleted) {
    claims_.erase(key);
  } else {
    claims_[key] = event.object;
    for (const auto& owner : next.meta.owners) claims_by_owner_[owner.uid].insert(key);
    queue_.add(with(claim_prefix, key));
    if (!next.meta.owners.empty()) queue_.add(with(garbage_prefix, key));
  }
  enqueue_pods_of(pods_by_claim_, key);
}

void ClaimController::observe_template(const ResourceClaimTemplate& object) {
  enqueue_pods_of(pods_by_template_, object_key(object.meta));
}

void ClaimController::index_pod(const Pod& pod, bool add) {
  const auto key = object_key(pod.meta);
  const auto note = [&](auto& index, const std::string& name) {
    const auto place = pod.meta.namespace_name + "/" + name;
    if (add) {
      index[place].insert(key);
    } else if (const auto found = index.find(place); found != index.end()) {
      found->second.erase(key);
      if (found->second.empty()) index.erase(found);
    }
  };
  for (const auto& reference : pod.resource_claims) {
    if (reference.template_name) note(pods_by_template_, *reference.template_name);
    const auto name = claim_name(pod, reference);
    if (name && name->name) note(pods_by_claim_, *name->name);
  }
}

void ClaimController::enqueue_pods_of(const std::map<std::string, std::set<std::string>>& index,
                                      const std::string& key) {
  const auto found = index.find(key);
  if (found == index.end()) return;
  for (const auto& name : found->second) {
    if (const auto* user = pod(name)) enqueue_pod(*user, false);
  }
}

void ClaimController::enqueue_pod(const Pod& pod, bool deleted) {
  if (pod.resource_claims.empty() && !pod.extended_resource_claim) return;
  if (deleted && deleted_pods_.insert(pod.meta.uid).second) {
    deleted_order_.push_back(pod.meta.uid);
    if (deleted_order_.size() > max_deleted_pods) {
      deleted_pods_.erase(deleted_order_.front());
      deleted_order_.pop_front();
    }
  }
  if (deleted || pod_done(pod)) {
    for (const auto& reference : pod.resource_claims) {
      const auto name = claim_name(pod, reference);
      if (name && name->name) {
        queue_.add(with(claim_prefix, pod.meta.namespace_name + "/" + *name->name));
      }
    }
    if (pod.extended_resource_claim) {
      queue_.add(with(claim_prefix, pod.meta.namespace_name + "/" + *pod.extended_resource_claim));
    }
  }
  if (pod_needs_work(pod)) queue_.add(with(pod_prefix, object_key(pod.meta)));
}

bool ClaimController::pod_needs_work(const Pod& pod) const {
  if (pod.meta.deleted) return false;
  for (const auto& reference : pod.resource_claims) {
    const auto name = claim_name(pod, reference);
    if (!name) return true;
    if (!name->name) continue;
    const auto* found = claim(pod.meta.namespace_name + "/" + *name->name);
    if (found == nullptr) {
      if (reference.template_name) return true;
      continue;
    }
    if (name->check_owner && !owned_by(*found, pod.meta.uid)) continue;
    if (pod.node_name && found->allocation && !reserved_for(*found, pod.meta.uid) &&
        can_reserve(*found)) {
      return true;
    }
  }
  return false;
}

// ---- Work ----

bool ClaimController::work(ApiServer& server, Time now) {
  const auto item = queue_.take(now);
  if (!item) return false;
  const auto colon = item->find(':') + 1;
  const auto prefix = std::string_view(*item).substr(0, colon);
  const auto key = item->substr(colon);
  const auto done = prefix == pod_prefix     ? sync_pod(key, server, now)
                    : prefix == claim_prefix ? sync_claim(key, server, now)
                                             : collect_garbage(key, server, now);
  if (done) {
    queue_.forget(*item);
  } else {
    queue_.add_rate_limited(*item, now);
  }
  return true;
}

Result<void> ClaimController::sync_pod(const std::string& key, ApiServer& server, Time now) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return {};
  const auto held = found->second;
  const auto& pod = std::get<Pod>(*held);
  if (pod.meta.deleted) return {};
  std::map<std::string, std::string> made;
  for (const auto& reference : pod.resource_claims) {
    auto name = make_claim(pod, reference, server, now);
    if (!name) {
      (void)server.write(
          engine::RecordEvent{pod.key(),
                              pod.meta.uid,
                              {"Warning", "FailedResourceClaimCreation", "",
                               "PodResourceClaim " + reference.name + ": " + name.error().message}},
          now);
      return std::unexpected(std::move(name.error()));
    }
    if (*name) made[reference.name] = **name;
  }
  if (!made.empty()) {
    if (auto named = name_claims(pod, made, server, now); !named) return named;
  }
  if (!pod.node_name) return {};
  return reserve_for_bound_pod(pod, server, now);
}

/// The name of a claim that was made (now, or before without being named), if there was need.
Result<std::optional<std::string>> ClaimController::make_claim(const Pod& pod,
                                                               const PodResourceClaim& reference,
                                                               ApiServer& server, Time now) {
  const auto& space = pod.meta.namespace_name;
  if (const auto name = claim_name(pod, reference)) {
    if (!name->name) return std::nullopt;
    const auto* known = claim_or_made(space + "/" + *name->name, now);
    if (known == nullptr) known = server.find<ResourceClaim>(space, *name->name);
    const bool usable = known != nullptr && (!name->check_owner || owned_by(*known, pod.meta.uid));
    if (usable) return std::nullopt;
  }
  if (!reference.template_name) return std::nullopt;
  if (const auto owned = claims_by_owner_.find(pod.meta.uid); owned != claims_by_owner_.end()) {
    for (const auto& key : owned->second) {
      const auto* orphan = claim_or_made(key, now);
      if (orphan == nullptr) continue;
      const auto note = orphan->meta.annotations.find(pod_claim_annotation);
      if (note == orphan->meta.annotations.end() || note->second != reference.name) continue;
      return orphan->meta.name;
    }
  }
  const auto found = templates_.find(space + "/" + *reference.template_name);
  if (found == templates_.end()) {
    return fail(ErrorCode::not_found,
                "resource claim template \"" + *reference.template_name + "\" not found");
  }
  const auto& source = std::get<ResourceClaimTemplate>(*found->second);
  ResourceClaim next;
  next.meta.namespace_name = space;
  next.meta.labels = source.claim_labels;
  next.meta.annotations = source.claim_annotations;
  next.meta.annotations[pod_claim_annotation] = reference.name;
  next.meta.owners.push_back(pod_as_owner(pod.meta.name, pod.meta.uid));
  next.spec = source.spec;
  auto stored = server.create(std::move(next), now, pod.meta.name + "-" + reference.name + "-");
  if (!stored) return std::unexpected(std::move(stored.error()));
  const auto object = std::make_shared<const KubeObject>(*std::move(stored));
  remember_made(object, now);
  return meta_of(*object).name;
}

/// PATCH pods/status (server-side apply) with the names of all claims made so far.
Result<void> ClaimController::name_claims(const Pod& pod,
                                          const std::map<std::string, std::string>& made,
                                          ApiServer& server, Time now) const {
  std::map<std::string, std::string> names;
  for (const auto& status : pod.resource_claim_statuses) {
    if (status.claim_name) names[status.name] = *status.claim_name;
  }
  for (const auto& [reference, name] : made) names[reference] = name;
  auto patched = server.patch(
      Kind::pod, pod.meta.namespace_name, pod.meta.name, Endpoint::status,
      [&](KubeObject& object) -> Result<void> {
        auto& statuses = std::get<Pod>(object).resource_claim_statuses;
        statuses.clear();
        for (const auto& [reference, name] : names) statuses.push_back({reference, name});
        return {};
      },
      now);
  if (!patched) return std::unexpected(std::move(patched.error()));
  return {};
}

Result<void> ClaimController::reserve_for_bound_pod(const Pod& pod, ApiServer& server,
                                                    Time now) const {
  for (const auto& reference : pod.resource_claims) {
    const auto name = claim_name(pod, reference);
    if (!name) return std::unexpected(name.error());
    if (!name->name) continue;
    const auto* found = claim(pod.meta.namespace_name + "/" + *name->name);
    if (found == nullptr) return {};
    if (name->check_owner && !owned_by(*found, pod.meta.uid)) {
      return fail(ErrorCode::conflict, "claim " + found->key().to_string() + " is not the pod's");
    }
    if (!found->allocation || reserved_for(*found, pod.meta.uid) || !can_reserve(*found)) continue;
    auto next = *found;
    next.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = pod.meta.name, .uid = pod.meta.uid});
    const auto reserved = server.update(std::move(next), Endpoint::status, now);
    if (!reserved) return std::unexpected(reserved.error());
  }
  return {};
}

}  // namespace dray::sim
