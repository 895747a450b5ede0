#include "engine/protocol/auditor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace dray::engine {
namespace {

bool unused(const ResourceClaim& claim) {
  return claim.allocation && claim.reserved_for.empty();
}

}  // namespace

Auditor::Auditor(const cluster::ClusterState& cluster, View view)
    : cluster_(cluster), view_(std::move(view)) {}

AuditView Auditor::view() const {
  return {.pod = [this](const PodKey& key) { return cluster_.pod(key); }, .ours = view_.ours};
}

std::optional<Time> Auditor::next_tick() const {
  return timers_.next();
}

Auditor::Figures Auditor::figures() const {
  auto figures = figures_;
  figures.devices_in_two_claims = contested_.size();
  return figures;
}

// ---- What is known

void Auditor::put(const ResourceClaim& claim, Time now) {
  const auto key = claim.key();
  forget(key);
  note_given_back(claim);
  if (!claim.allocation) return;
  auto& known = known_[key];
  for (const auto& each : claim.allocation->devices) {
    if (exclusive(each)) known.devices.push_back(each.device);
  }
  for (const auto& device : known.devices) {
    auto& holders = holders_[device];
    holders.insert(key);
    if (holders.size() < 2) continue;
    contested_.insert(device);
    for (const auto& holder : holders) look_later(holder, now + double_use_patience);
  }
  for (const auto& user : claim.reserved_for) {
    known.users.push_back(user.uid);
    used_by_[user.uid].insert(key);
  }
  look_at_users(claim, now);
}

void Auditor::erase(const ClaimKey& claim) {
  forget(claim);
  runs_.erase(claim);
  timers_.arm(claim, std::nullopt);
  std::erase_if(told_, [&](const auto& told) { return std::get<0>(told) == claim; });
}

void Auditor::forget(const ClaimKey& key) {
  const auto entry = known_.extract(key);
  if (entry.empty()) return;
  for (const auto& device : entry.mapped().devices) {
    const auto holders = holders_.find(device);
    if (holders == holders_.end()) continue;
    holders->second.erase(key);
    if (holders->second.size() < 2) contested_.erase(device);
    if (holders->second.empty()) holders_.erase(holders);
  }
  for (const auto& user : entry.mapped().users) {
    const auto used = used_by_.find(user);
    if (used == used_by_.end()) continue;
    used->second.erase(key);
    if (used->second.empty()) used_by_.erase(used);
  }
}

void Auditor::pod_gone(const Uid& pod, Time now) {
  const auto used = used_by_.find(pod);
  if (used == used_by_.end()) return;
  for (const auto& claim : used->second) look_later(claim, now + orphan_patience);
}

void Auditor::look_at_users(const ResourceClaim& claim, Time now) {
  if (!leading_) return;
  if (!orphaned_users(claim, view()).empty()) look_later(claim.key(), now + orphan_patience);
  if (unused(claim)) look_later(claim.key(), now + unused_patience);
}

/// What is to be looked at sooner already stays so.
void Auditor::look_later(const ClaimKey& key, Time at) {
  if (leading_ && !timers_.armed(key)) timers_.arm(key, at);
}

void Auditor::lead(bool leading, Time now) {
  leading_ = leading;
  runs_.clear();
  timers_.clear();
  told_.clear();
  if (!leading) return;
  for (const auto& [key, known] : known_) {
    if (contested(known)) {
      look_later(key, now + double_use_patience);
    } else if (const auto claim = cluster_.claim(key)) {
      look_at_users(*claim, now);
    }
  }
}

// ---- What is found

bool Auditor::contested(const Known& known) const {
  return !contested_.empty() && std::ranges::any_of(known.devices, [this](const auto& device) {
    return contested_.contains(device);
  });
}

bool Auditor::loses(const ResourceClaim& claim) const {
  return std::ranges::any_of(known_.at(claim.key()).devices, [&](const DeviceId& device) {
    if (!contested_.contains(device)) return false;
    std::vector<std::shared_ptr<const ResourceClaim>> held;
    for (const auto& key : holders_.at(device)) {
      auto holder = cluster_.claim(key);
      if (holder && holder->allocation) held.push_back(std::move(holder));
    }
    std::vector<const ResourceClaim*> holders;
    holders.reserve(held.size());
    for (const auto& holder : held) holders.push_back(holder.get());
    return std::ranges::any_of(give_way(holders, view()), [&](const ResourceClaim* loser) {
      return loser->key() == claim.key();
    });
  });
}

Commands Auditor::tick(Time now) {
  const auto key = timers_.take_due(now);
  if (!key) return {};
  if (const auto run = runs_.find(*key); run != runs_.end() && run->second.unread > 0) return {};
  const auto claim = cluster_.claim(*key);
  return claim && claim->allocation && known_.contains(*key) ? check(*claim, now) : Commands();
}

Commands Auditor::check(const ResourceClaim& claim, Time now) {
  const auto key = claim.key();
  const bool busy = std::ranges::any_of(
      claim.reserved_for, [this](const ClaimConsumer& user) { return view_.busy(user.uid); });
  const bool in_two = contested(known_.at(key));
  if (busy) {
    look_later(key, now + double_use_patience);
    return {};
  }
  if (in_two && loses(claim)) {
    if (hold_of(claim, view()) == Hold::loose) return start(claim, claim.reserved_for, true);
    look_later(key, now + orphan_patience);  // until then somebody may have done something
    return tell_of_two(claim);
  }
  if (auto orphans = orphaned_users(claim, view()); !orphans.empty()) {
    return start(claim, std::move(orphans), false);
  }
  if (unused(claim)) {
    return tell(claim, "ClaimNotUsed",
                fmt::format("dray: {} devices are allocated to this claim and no pod uses it; "
                            "dray repair frees them",
                            claim.allocation->devices.size()));
  }
  // As it is now it stays; the one that gives way may not do so at once.
  if (in_two) look_later(key, now + orphan_patience);
  return {};
}

Commands Auditor::tell_of_two(const ResourceClaim& claim) {
  const auto& devices = known_.at(claim.key()).devices;
  const auto device = std::ranges::find_if(
      devices, [this](const DeviceId& each) { return contested_.contains(each); });
  return tell(claim, "DeviceInTwoClaims",
              fmt::format("dray: device {} is allocated to another claim, too, and neither is "
                          "dray's to take back; dray repair --dry-run names both",
                          device->to_string()));
}

/// Once for each claim while it is there.
Commands Auditor::tell(const ResourceClaim& claim, const char* reason, std::string note) {
  if (!told_.emplace(claim.key(), claim.meta.uid, reason).second) return {};
  return {Send{RecordEvent{.pod = {claim.meta.namespace_name, claim.meta.name},
                           .uid = claim.meta.uid,
                           .event = {.type = "Warning",
                                     .reason = reason,
                                     .action = "Auditing",
                                     .note = std::move(note)},
                           .regarding = Kind::resource_claim},
               ForNothing{}}};
}

// ---- What is done about it

Commands Auditor::start(const ResourceClaim& claim, std::vector<ClaimConsumer> users,
                        bool gives_way) {
  Commands out;
  const auto number = next_run_++;
  for (const auto& user : users) {
    out.emplace_back(Send{ReadPod{{claim.meta.namespace_name, user.name}},
                          ForAudit{claim.key(), number, user.uid}});
  }
  const auto reads = users.size();
  runs_.insert_or_assign(claim.key(), Run{.number = number,
                                          .uid = claim.meta.uid,
                                          .users = std::move(users),
                                          .gives_way = gives_way,
                                          .unread = reads});
  return out;
}

Commands Auditor::step(const ForAudit& purpose, const WriteOutcome& outcome, Time now) {
  const auto found = runs_.find(purpose.claim);
  if (found == runs_.end() || found->second.number != purpose.run) return {};
  auto& run = found->second;
  if (view_.busy(purpose.user) || !may_lose(purpose.user, run.gives_way, outcome, view_.ours)) {
    runs_.erase(found);
    look_later(purpose.claim, now + double_use_patience);
    return {};
  }
  if (--run.unread > 0) return {};
  look_later(purpose.claim, now + orphan_patience);
  return {GiveBack{purpose.claim, run.uid, run.users}};
}

/// The watch shows what came of it.
void Auditor::note_given_back(const ResourceClaim& claim) {
  const auto found = runs_.find(claim.key());
  if (found == runs_.end() || found->second.unread > 0) return;
  const auto& run = found->second;
  const bool uses_it = std::ranges::any_of(run.users, [&](const ClaimConsumer& user) {
    return std::ranges::find(claim.reserved_for, user) != claim.reserved_for.end();
  });
  if (uses_it && claim.meta.uid == run.uid) return;
  (run.gives_way ? figures_.claims_healed : figures_.orphans_released) +=
      run.gives_way ? 1 : run.users.size();
  runs_.erase(found);
}

}  // namespace dray::engine
