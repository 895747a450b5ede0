#include "planner/state/claim_use.h"

#include <algorithm>

#include "dray/model/claim_limits.h"

namespace dray::planner {
namespace {

const DeviceRequestSpec* first_choice(const DeviceRequest& request) {
  if (request.exactly) return &*request.exactly;
  return request.first_available.empty() ? nullptr : &request.first_available.front();
}

bool owned_by(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.meta.owners,
                             [&](const auto& owner) { return owner.uid == pod.meta.uid; });
}

bool uses(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
          const ClaimConsumer& user) {
  if (!user.api_group.empty()) return true;
  const auto pod = snapshot.pod({claim.meta.namespace_name, user.name});
  return pod && pod->meta.uid == user.uid && !pod->finished();
}

}  // namespace

bool is_singular(const cluster::Snapshot& snapshot, const Pod& pod, const PodClaims& claims,
                 bool leaves) {
  return std::ranges::any_of(claims, [&](const auto& claim) {
    if (!owned_by(*claim, pod)) return true;
    return leaves ? used_by_others(snapshot, *claim, pod)
                  : snapshot.allocation(claim->key()) != nullptr;
  });
}

bool asks_for_part(const PodClaims& claims) {
  return std::ranges::any_of(claims, [](const auto& claim) {
    return std::ranges::any_of(claim->spec.requests, [](const auto& request) {
      const auto* spec = first_choice(request);
      return spec != nullptr && !spec->capacity_requests.empty();
    });
  });
}

std::size_t devices_in(const ResourceClaim& claim, const AllocationResult* allocation) {
  if (allocation != nullptr) return allocation->devices.size();
  std::size_t count = 0;
  for (const auto& request : claim.spec.requests) {
    const auto* spec = first_choice(request);
    if (spec == nullptr || spec->admin_access.value_or(false)) continue;
    const bool all = spec->allocation_mode == "All";
    count += all ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(spec->count, 1));
  }
  return count;
}

bool is_shared(const ResourceClaim& claim, const Pod& pod) {
  return !owned_by(claim, pod);
}

bool used_by_others(const cluster::Snapshot& snapshot, const ResourceClaim& claim, const Pod& pod) {
  return used_by_others(snapshot, claim, [&](const Uid& user) { return user == pod.meta.uid; });
}

bool used_by_others(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
                    const std::function<bool(const Uid&)>& known) {
  return std::ranges::any_of(claim.reserved_for, [&](const auto& user) {
    return !(user.api_group.empty() && known(user.uid)) && uses(snapshot, claim, user);
  });
}

bool is_listed_user(const ResourceClaim& claim, const Pod& pod) {
  return std::ranges::any_of(claim.reserved_for, [&](const auto& user) {
    if (user.uid == pod.meta.uid) return true;
    return pod.pod_group && user.resource == "podgroups" && user.name == *pod.pod_group;
  });
}

bool same_user(const ResourceClaim& claim, const Pod& a, const Pod& b) {
  if (a.meta.uid == b.meta.uid) return true;
  if (!a.pod_group || a.pod_group != b.pod_group) return false;
  return std::ranges::any_of(claim.meta.owners, [&](const auto& owner) {
    return owner.kind == "PodGroup" && owner.name == *a.pod_group;
  });
}

bool is_full_for(const ResourceClaim& claim, const Pod& pod) {
  return claim.reserved_for.size() >= max_consumers && !is_listed_user(claim, pod);
}

bool is_first_user(const cluster::Snapshot& snapshot, const ResourceClaim& claim, const Pod& pod) {
  if (owned_by(claim, pod)) return true;
  const auto first = std::ranges::find_if(claim.reserved_for, [&](const auto& user) {
    return user.uid == pod.meta.uid || uses(snapshot, claim, user);
  });
  return first == claim.reserved_for.end() || first->uid == pod.meta.uid ||
         !first->api_group.empty();
}

std::optional<Device> published_device(const cluster::Snapshot& snapshot, const DeviceId& id) {
  const auto pool = snapshot.find_pool(id.driver, id.pool);
  if (!pool) return std::nullopt;
  for (const auto& slot : snapshot.pool(*pool).slots) {
    for (const auto& published : slot.slice->devices) {
      if (*published.name != id.device.get()) continue;
      Device device;
      device.name = id.device;
      device.capacity = published.traits->capacity;
      return device;
    }
  }
  return std::nullopt;
}

}  // namespace dray::planner
