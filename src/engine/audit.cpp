#include "dray/engine/audit.h"

#include <algorithm>
#include <tuple>

namespace dray::engine {
namespace {

bool is_pod(const ClaimConsumer& user) {
  return user.api_group.empty() && user.resource == "pods";
}

/// The pod that the claim means, and not another of its name.
std::shared_ptr<const Pod> pod_of(const ResourceClaim& claim, const ClaimConsumer& user,
                                  const AuditView& view) {
  auto pod = view.pod({claim.meta.namespace_name, user.name});
  return pod && pod->meta.uid == user.uid ? pod : nullptr;
}

}  // namespace

bool exclusive(const AllocatedDevice& device) {
  return !device.share_id && !device.admin_access.value_or(false);
}

Hold hold_of(const ResourceClaim& claim, const AuditView& view) {
  auto hold = Hold::loose;
  for (const auto& user : claim.reserved_for) {
    if (!is_pod(user)) {
      hold = std::max(hold, Hold::foreign);
      continue;
    }
    const auto pod = pod_of(claim, user, view);
    if (!pod) continue;
    if (pod->node_name && !pod->finished()) return Hold::bound;
    if (!view.ours(*pod)) hold = std::max(hold, Hold::foreign);
  }
  // Nobody's: whoever allocated it may be about to reserve it.
  return claim.reserved_for.empty() ? Hold::foreign : hold;
}

std::vector<const ResourceClaim*> give_way(std::span<const ResourceClaim* const> holders,
                                           const AuditView& view) {
  std::vector<const ResourceClaim*> claims(holders.begin(), holders.end());
  const auto rank = [&](const ResourceClaim* claim) {
    return std::tuple(-static_cast<int>(hold_of(*claim, view)),
                      claim->allocation->allocated.value_or(Time::min()), claim->key());
  };
  std::ranges::sort(claims, {}, rank);
  if (!claims.empty()) claims.erase(claims.begin());
  return claims;
}

std::vector<ClaimConsumer> orphaned_users(const ResourceClaim& claim, const AuditView& view) {
  std::vector<ClaimConsumer> users;
  if (!claim.allocation) return users;
  std::ranges::copy_if(claim.reserved_for, std::back_inserter(users), [&](const auto& user) {
    if (!is_pod(user)) return false;
    const auto pod = pod_of(claim, user, view);
    return !pod || pod->finished();
  });
  return users;
}

bool may_lose(const Uid& user, bool gives_way, const WriteOutcome& read,
              const std::function<bool(const Pod&)>& ours) {
  if (!read) return read.error().code == ErrorCode::not_found;
  const auto* pod = std::get_if<Pod>(&*read);
  if (pod == nullptr) return false;
  if (pod->meta.uid != user || pod->finished()) return true;
  return gives_way && !pod->node_name && ours(*pod);
}

}  // namespace dray::engine
