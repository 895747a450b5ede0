#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "dray/sim/claim_controller.h"
#include "sim/claim_names.h"

// The end of claims: users that are gone, allocations that nobody holds, claims without owners.
namespace dray::sim {
namespace {

const OwnerReference* owning_pod(const ResourceClaim& claim) {
  const auto owner = std::ranges::find_if(claim.meta.owners, [](const auto& o) {
    return o.controller && o.api_version == "v1" && o.kind == "Pod";
  });
  return owner == claim.meta.owners.end() ? nullptr : &*owner;
}

}  // namespace

bool ClaimController::still_uses(const ClaimConsumer& user, const std::string& space,
                                 const ApiServer& server) {
  if (!user.api_group.empty() || user.resource != "pods") return true;
  if (deleted_pods_.contains(user.uid)) return false;
  const auto* live = server.find<Pod>(space, user.name);
  const bool lives = live != nullptr && live->meta.uid == user.uid;
  // Whoever has the name in the cache is believed, and the API server is not asked.
  const auto* known = pod(space + "/" + user.name);
  if (known == nullptr) {
    if (lives) never_seen_.insert(user.uid);
    return lives;
  }
  if (known->meta.uid == user.uid) return !pod_done(*known);
  if (lives) robbed_.insert(user.uid);
  return false;
}

Result<void> ClaimController::sync_claim(const std::string& key, ApiServer& server, Time now) {
  const auto found = claims_.find(key);
  if (found == claims_.end()) return {};
  const auto held = found->second;
  const auto& claim = std::get<ResourceClaim>(*held);
  std::vector<ClaimConsumer> remaining;
  std::ranges::copy_if(claim.reserved_for, std::back_inserter(remaining), [&](const auto& user) {
    return still_uses(user, claim.meta.namespace_name, server);
  });
  const bool unused = remaining.empty();
  if (remaining.size() < claim.reserved_for.size()) {
    if (auto done = drop_users(claim, std::move(remaining), server, now); !done) return done;
  } else if (unused && claim.meta.deleted) {
    if (auto done = finish_deletion(claim, server, now); !done) return done;
  }
  if (!unused) return {};
  return delete_if_owner_is_done(claim, server, now);
}

Result<void> ClaimController::drop_users(const ResourceClaim& claim,
                                         std::vector<ClaimConsumer> remaining, ApiServer& server,
                                         Time now) const {
  const auto is_protected = [](const ResourceClaim& c) {
    return std::ranges::find(c.meta.finalizers, claim_finalizer) != c.meta.finalizers.end();
  };
  auto next = claim;
  next.reserved_for = std::move(remaining);
  if (next.reserved_for.empty() && is_protected(next)) next.allocation.reset();
  auto stored = server.update(std::move(next), Endpoint::status, now);
  if (!stored) return std::unexpected(std::move(stored.error()));
  auto& written = std::get<ResourceClaim>(*stored);
  if (!is_protected(written) || written.allocation) return {};
  std::erase(written.meta.finalizers, claim_finalizer);
  const auto freed = server.update(std::move(written), Endpoint::main, now);
  if (!freed) return std::unexpected(freed.error());
  return {};
}

Result<void> ClaimController::finish_deletion(const ResourceClaim& claim, ApiServer& server,
                                              Time now) const {
  auto next = claim;
  if (std::erase(next.meta.finalizers, claim_finalizer) == 0) return {};
  if (claim.allocation) {
    auto cleared = claim;
    cleared.allocation.reset();
    const auto stored = server.update(std::move(cleared), Endpoint::status, now);
    if (!stored) return std::unexpected(stored.error());
    next.meta.resource_version = meta_of(*stored).resource_version;
  }
  const auto freed = server.update(std::move(next), Endpoint::main, now);
  if (!freed) return std::unexpected(freed.error());
  return {};
}

Result<void> ClaimController::delete_if_owner_is_done(const ResourceClaim& claim, ApiServer& server,
                                                      Time now) const {
  const auto* owner = owning_pod(claim);
  if (owner == nullptr) return {};
  const auto* known = pod(claim.meta.namespace_name + "/" + owner->name);
  if (known == nullptr || (known->meta.uid == owner->uid && !pod_done(*known))) return {};
  return server.remove(Kind::resource_claim, claim.meta.namespace_name, claim.meta.name, {}, now);
}

/// The garbage collector: an object whose owners are all gone goes too. Asks the server, not a
/// cache.
Result<void> ClaimController::collect_garbage(const std::string& key, ApiServer& server,
                                              Time now) const {
  const auto* known = claim(key);
  if (known == nullptr || known->meta.owners.empty() || known->meta.deleted) return {};
  const bool orphan = std::ranges::all_of(known->meta.owners, [&](const auto& owner) {
    if (owner.kind != "Pod") return false;
    const auto* live = server.find<Pod>(known->meta.namespace_name, owner.name);
    return live == nullptr || live->meta.uid != owner.uid;
  });
  if (!orphan) return {};
  return server.remove(Kind::resource_claim, known->meta.namespace_name, known->meta.name,
                       {.uid = known->meta.uid, .resource_version = {}, .grace_seconds = {}}, now);
}

}  // namespace dray::sim
