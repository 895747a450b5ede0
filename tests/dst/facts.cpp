#include "tests/dst/facts.h"

#include <algorithm>
#include <charconv>

namespace dray::dst {
namespace {

std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = 0;
  (void)std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void forget_claim(Facts& facts, const ResourceClaim& claim) {
  if (!claim.allocation) return;
  for (const auto& each : claim.allocation->devices) {
    auto& holders = facts.holders[each.device];
    holders.erase(claim.meta.uid);
    if (holders.empty()) facts.rival_took.erase(each.device);
  }
}

void learn_claim(Facts& facts, const Commit& commit) {
  if (commit.claim_before != nullptr) forget_claim(facts, *commit.claim_before);
  if (commit.claim == nullptr) {
    if (commit.claim_before != nullptr) {
      const Uid uid =
          commit.claim_before->meta.uid;  // what was committed before stands in `claims`
      facts.claims.erase(uid);
      facts.allocated_in.erase(uid);
    }
    return;
  }
  const auto& claim = *commit.claim;
  if (commit.allocates() && commit.by != nullptr) {
    facts.allocated_in[claim.meta.uid] = epoch_of(commit.by->field_manager);
  }
  if (claim.allocation) {
    for (const auto& each : claim.allocation->devices) {
      if (is_admin(each)) continue;
      facts.holders[each.device].insert(claim.meta.uid);
      if (claim.meta.name.starts_with(rival_prefix)) facts.rival_took[each.device] = facts.now();
    }
  }
  for (const auto& user : claim.reserved_for) {
    facts.held_once.insert(user.uid);
    // A member that went a moment ago counts: its bind is under way as long as nobody told dray.
    const auto group = facts.group_of.find(user.uid);
    if (group != facts.group_of.end()) facts.held_of_group[group->second].insert(user.uid);
  }
  facts.claims.insert_or_assign(claim.meta.uid, claim);
}

/// The pod has finished, or is gone, and dray had no part in it.
bool ends(const Facts& facts, const Commit& commit) {
  const auto* before = commit.pod_before;
  if (before == nullptr || before->finished() || facts.evicted.contains(before->meta.uid)) {
    return false;
  }
  return commit.pod == nullptr || commit.pod->finished();
}

void learn_pod(Facts& facts, const Commit& commit) {
  const auto* before = commit.pod_before;
  if (ends(facts, commit)) facts.ends.push_back(facts.now());
  const bool goes = commit.pod == nullptr || commit.pod->node_name || commit.pod->meta.deleted;
  if (before != nullptr && !before->node_name && !before->meta.deleted && goes) {
    facts.waited.emplace_back(facts.now(), *before);
  }
  if (commit.pod == nullptr) {
    if (commit.pod_before != nullptr) facts.pods.erase(Uid(commit.pod_before->meta.uid));
    return;
  }
  const auto& pod = *commit.pod;
  if (pod.node_name) facts.bound.emplace(pod.meta.uid, *pod.node_name);
  if (pod.pod_group) facts.group_of.insert_or_assign(pod.meta.uid, *pod.pod_group);
  const bool evicted = std::ranges::any_of(pod.conditions, [](const Condition& condition) {
    return condition.type == "DisruptionTarget" && condition.status == "True";
  });
  if (evicted && facts.evicted.insert(pod.meta.uid).second) facts.evictions.push_back(facts.now());
  facts.pods.insert_or_assign(pod.meta.uid, pod);
}

void learn_slice(Facts& facts, const ResourceSlice& slice, bool gone) {
  for (auto& [id, fact] : facts.devices) {
    if (id.driver != slice.driver || id.pool != slice.pool || !fact.published) continue;
    fact.published = false;
    fact.last_seen = facts.now();
  }
  if (gone) return;
  for (const auto& device : slice.devices) {
    auto& fact = facts.devices[{slice.driver, slice.pool, device.name}];
    if (fact.device.name == device.name && !(fact.device == device)) {
      fact.before = fact.device;
      fact.changed = facts.now();
    }
    fact.device = device;
    fact.node = slice.scope.node_name;
    fact.published = true;
    if (device.taints.empty()) fact.tainted_since.reset();
    if (!device.taints.empty() && !fact.tainted_since) fact.tainted_since = facts.now();
  }
}

}  // namespace

std::vector<const ResourceClaim*> claims_of(const Pod& pod, const sim::ApiServer& server) {
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

bool reserved_for(const ResourceClaim& claim, const Uid& uid) {
  return std::ranges::find(claim.reserved_for, uid, &ClaimConsumer::uid) !=
         claim.reserved_for.end();
}

bool is_shared(const AllocatedDevice& device) {
  return device.share_id.has_value() || !device.consumed_capacity.empty();
}

bool is_admin(const AllocatedDevice& device) {
  return device.admin_access.value_or(false);
}

bool is_given_up(const Facts& facts, const Pod& pod) {
  constexpr int most_denials = 3;
  const auto found = facts.denials.find(pod.meta.uid);
  if (found == facts.denials.end() || found->second.times < most_denials) return false;
  const auto longer = std::min(found->second.times - most_denials, 5);
  // By a clock that may be slow.
  return facts.now() - found->second.last <= std::chrono::seconds(70) * (1 << longer);
}

std::int32_t epoch_of(const std::string& field_manager) {
  constexpr std::string_view prefix = "dray-";
  if (!field_manager.starts_with(prefix)) return 0;
  return static_cast<std::int32_t>(leading_number(field_manager.substr(prefix.size())));
}

std::uint64_t number(const ResourceVersion& version) {
  return leading_number(version.get());
}

void learn(Facts& facts, const Commit& commit) {
  const auto& event = commit.event;
  if (event.kind == Kind::resource_claim) learn_claim(facts, commit);
  if (event.kind == Kind::pod) learn_pod(facts, commit);
  if (event.kind == Kind::resource_slice) {
    learn_slice(facts, std::get<ResourceSlice>(*event.object),
                event.type == sim::WatchEvent::Type::deleted);
  }
  if (commit.by != nullptr) {
    facts.highest_epoch = std::max(facts.highest_epoch, epoch_of(commit.by->field_manager));
  }
}

}  // namespace dray::dst
