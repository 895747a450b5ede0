#include "app/repair/repair_plan.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dray/engine/audit.h"

namespace dray::app {
namespace {

using engine::AuditView;

/// The claims and pods of a cluster, and who has which device to itself.
struct Ledger {
  std::map<ClaimKey, const ResourceClaim*> claims;
  std::map<PodKey, std::shared_ptr<const Pod>> pods;
  std::map<DeviceId, std::vector<const ResourceClaim*>> holders;

  explicit Ledger(const std::vector<KubeObject>& objects) {
    for (const auto& object : objects) {
      if (const auto* pod = std::get_if<Pod>(&object)) {
        pods[pod->key()] = std::make_shared<const Pod>(*pod);
      } else if (const auto* claim = std::get_if<ResourceClaim>(&object)) {
        if (claim->allocation) claims[claim->key()] = claim;
      }
    }
    for (const auto& [key, claim] : claims) {
      for (const auto& each : claim->allocation->devices) {
        if (!engine::exclusive(each)) continue;
        auto& all = holders[each.device];
        if (all.empty() || all.back() != claim) all.push_back(claim);
      }
    }
  }
};

RepairFinding finding_of(Repair kind, const ResourceClaim& claim) {
  RepairFinding finding;
  finding.kind = kind;
  finding.claim = claim.key();
  finding.uid = claim.meta.uid;
  return finding;
}

std::string names(const std::vector<ClaimConsumer>& users) {
  std::vector<std::string_view> names;
  names.reserve(users.size());
  for (const auto& user : users) names.emplace_back(user.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Of each device in several claims: the claims that have to give it back.
void find_double_use(const Ledger& ledger, const AuditView& view,
                     std::map<ClaimKey, RepairFinding>& found) {
  for (const auto& [device, holders] : ledger.holders) {
    if (holders.size() < 2) continue;
    const auto losers = engine::give_way(holders, view);
    const auto stays = *std::ranges::find_if(holders, [&](const ResourceClaim* holder) {
      return std::ranges::find(losers, holder) == losers.end();
    });
    for (const auto* loser : losers) {
      const auto [at, added] =
          found.try_emplace(loser->key(), finding_of(Repair::double_use, *loser));
      auto& finding = at->second;
      if (!finding.what.empty()) finding.what += "; ";
      finding.what += fmt::format("{} is also in {}", device.to_string(), stays->key().to_string());
      const auto hold = engine::hold_of(*loser, view);
      if (hold == engine::Hold::loose) {
        finding.users = loser->reserved_for;
      } else if (hold == engine::Hold::bound) {
        finding.advice = "pods run with both: delete those of one of them";
      } else {
        finding.advice = "another scheduler allocated it: delete the pod that waits for it";
      }
    }
  }
}

void find_unused(const ResourceClaim& claim, const AuditView& view,
                 std::map<ClaimKey, RepairFinding>& found) {
  if (found.contains(claim.key())) return;
  if (claim.reserved_for.empty()) {
    auto finding = finding_of(Repair::unused, claim);
    finding.what = "its devices are kept for nobody";
    finding.users = {ClaimConsumer{}};
    found.emplace(claim.key(), std::move(finding));
    return;
  }
  auto users = engine::orphaned_users(claim, view);
  if (users.empty()) return;
  auto finding = finding_of(Repair::orphan, claim);
  finding.what = fmt::format("reserved for pods that are gone: {}", names(users));
  finding.users = std::move(users);
  found.emplace(claim.key(), std::move(finding));
}

}  // namespace

std::string_view text(Repair kind) {
  switch (kind) {
    case Repair::double_use:
      return "device in two claims";
    case Repair::orphan:
      return "user is gone";
    case Repair::unused:
      return "nobody uses it";
  }
  return "";
}

std::vector<RepairFinding> plan_repair(const std::vector<KubeObject>& objects,
                                       const std::string& scheduler_name) {
  const Ledger ledger(objects);
  const AuditView view{
      .pod = [&](const PodKey& key) -> std::shared_ptr<const Pod> {
        const auto at = ledger.pods.find(key);
        return at == ledger.pods.end() ? nullptr : at->second;
      },
      .ours = [&](const Pod& pod) { return pod.scheduler_name == scheduler_name; }};
  std::map<ClaimKey, RepairFinding> found;
  find_double_use(ledger, view, found);
  for (const auto& [key, claim] : ledger.claims) find_unused(*claim, view, found);
  std::vector<RepairFinding> findings;
  findings.reserve(found.size());
  for (auto& [key, finding] : found) findings.push_back(std::move(finding));
  return findings;
}

std::vector<engine::ReleaseClaim> releases(const RepairFinding& finding) {
  std::vector<engine::ReleaseClaim> writes;
  writes.reserve(finding.users.size());
  for (const auto& user : finding.users) {
    writes.push_back({.claim = finding.claim, .uid = finding.uid, .consumer = user.uid});
  }
  return writes;
}

}  // namespace dray::app
