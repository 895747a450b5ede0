#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/cluster_loop.h"

namespace dray::dst {

/// The claims of a pod as the server holds them; null for one that is not there.
inline std::vector<const ResourceClaim*> claims_of(const Pod& pod, const sim::ApiServer& server) {
  std::vector<const ResourceClaim*> claims;
  for (const auto& reference : pod.resource_claims) {
    auto name = reference.claim_name;
    for (const auto& status : pod.resource_claim_statuses) {
      if (!reference.claim_name && status.name == reference.name) name = status.claim_name;
    }
    claims.push_back(name ? server.find<ResourceClaim>(pod.meta.namespace_name, *name) : nullptr);
  }
  return claims;
}

inline bool reserved_for(const ResourceClaim& claim, const Uid& uid) {
  return std::ranges::find(claim.reserved_for, uid, &ClaimConsumer::uid) !=
         claim.reserved_for.end();
}

inline bool is_protected(const ResourceClaim& claim) {
  return std::ranges::find(claim.meta.finalizers, claim_finalizer) != claim.meta.finalizers.end();
}

/// What must hold after every commit of the API server, judged by what it holds and by nothing
/// else; but what the claim controller takes from a pod that it confounds with an earlier one, as
/// the real one does, is nobody else's fault. The first violation is kept.
class Checker {
 public:
  explicit Checker(const sim::ClusterLoop& loop)
      : server_(loop.server()), robbed_(loop.claim_controller().robbed()) {}

  void committed(const sim::WatchEvent& event) {
    if (event.object == nullptr || violation_) return;
    if (const auto* claim = std::get_if<ResourceClaim>(&*event.object)) {
      claim_committed(*claim, event.type == sim::WatchEvent::Type::deleted);
    }
    if (const auto* pod = std::get_if<Pod>(&*event.object)) {
      if (event.type != sim::WatchEvent::Type::deleted) pod_committed(*pod);
    }
  }

  /// An OK to a bind call is true: the API server holds the binding.
  void bind_answered(const extender::BindRequest& request, const std::string& error) {
    if (!error.empty()) return;
    const auto* pod = server_.find<Pod>(request.pod.namespace_name, request.pod.name);
    // Bound and gone already is true as well.
    if (pod == nullptr || pod->meta.uid != request.uid) {
      if (!bound_.contains(request.uid)) violate("OK to a bind of a pod that was never bound");
      return;
    }
    if (pod->node_name != request.node) violate("OK to a bind that is not there");
  }

  [[nodiscard]] const std::optional<std::string>& violation() const { return violation_; }
  [[nodiscard]] std::size_t most_devices_held() const { return most_held_; }

  void violate(const std::string& what) {
    if (!violation_) violation_ = what;
  }

 private:
  void claim_committed(const ResourceClaim& claim, bool deleted) {
    auto& held = held_by_[claim.meta.uid];
    for (const auto& id : held) holder_.erase(id);
    held.clear();
    if (deleted) {
      for (const auto& user : claim.reserved_for) expect_not_running(user, claim);
      held_by_.erase(claim.meta.uid);
      users_.erase(claim.meta.uid);
      return;
    }
    if (claim.allocation) {
      if (!is_protected(claim)) violate("allocated without the finalizer: " + claim.meta.name);
      for (const auto& result : claim.allocation->devices) {
        const auto [place, free] = holder_.emplace(result.device, claim.meta.name);
        if (!free) {
          violate("device " + result.device.to_string() + " in claims " + place->second + " and " +
                  claim.meta.name);
        }
        held.insert(result.device);
      }
    }
    most_held_ = std::max(most_held_, holder_.size());
    for (const auto& user : claim.reserved_for) held_once_.insert(user.uid);
    auto& users = users_[claim.meta.uid];
    for (const auto& user : users) {
      if (!reserved_for(claim, user.uid)) expect_not_running(user, claim);
    }
    users = claim.reserved_for;
  }

  void expect_not_running(const ClaimConsumer& user, const ResourceClaim& claim) {
    const auto* pod = server_.find<Pod>(claim.meta.namespace_name, user.name);
    if (pod == nullptr || pod->meta.uid != user.uid || pod->finished() || !pod->node_name) return;
    if (robbed_.contains(user.uid)) return;
    violate("claim " + claim.meta.name + " was taken from running pod " + user.name);
  }

  void pod_committed(const Pod& pod) {
    if (pod.pod_group) members_[*pod.pod_group].insert(pod.meta.uid);
    if (!pod.node_name || !bound_.insert(pod.meta.uid).second) return;
    if (pod.pod_group) gang_member_bound(pod);
    if (robbed_.contains(pod.meta.uid)) return;
    for (const auto* claim : claims_of(pod, server_)) {
      if (claim == nullptr || !claim->allocation) {
        return violate("pod " + pod.meta.name + " was bound without its devices");
      }
      if (!reserved_for(*claim, pod.meta.uid)) {
        return violate("pod " + pod.meta.name + " was bound without a reservation");
      }
      for (const auto& result : claim->allocation->devices) {
        if (result.device.pool.get() != pod.node_name->get()) {
          return violate("pod " + pod.meta.name + " is on " + pod.node_name->get() +
                         ", its device on " + result.device.pool.get());
        }
      }
    }
  }

  /// No member is bound before the claims of enough of them were written.
  void gang_member_bound(const Pod& pod) {
    const auto* group = server_.find<PodGroup>(pod.meta.namespace_name, *pod.pod_group);
    if (group == nullptr || !group->min_count) return;
    const auto held = std::ranges::count_if(
        members_[*pod.pod_group], [this](const Uid& uid) { return held_once_.contains(uid); });
    if (held < *group->min_count) {
      violate("pod " + pod.meta.name + " was bound before its gang had the devices it needs");
    }
  }

  const sim::ApiServer& server_;
  const std::set<Uid>& robbed_;
  std::set<Uid> held_once_;                       ///< pods that a claim was reserved for
  std::map<std::string, std::set<Uid>> members_;  ///< by PodGroup
  std::map<DeviceId, std::string> holder_;
  std::map<Uid, std::set<DeviceId>> held_by_;
  std::map<Uid, std::vector<ClaimConsumer>> users_;
  std::set<Uid> bound_;
  std::size_t most_held_ = 0;
  std::optional<std::string> violation_;
};

}  // namespace dray::dst
