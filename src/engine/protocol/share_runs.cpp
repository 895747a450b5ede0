#include "engine/protocol/share_runs.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "dray/engine/share_claim.h"

namespace dray::engine {
namespace {

constexpr Duration share_retry = std::chrono::seconds(1);
/// A pod this old has had its claim asked for before: its controller waits before it looks again.
constexpr Duration controller_patience = std::chrono::seconds(1);

}  // namespace

void ShareRuns::put(const Pod& pod) {
  const bool named = std::ranges::any_of(
      pod.resource_claim_statuses, [](const auto& status) { return status.name == share_entry; });
  if (has_share_entry(pod) && !named && !pod.meta.deleted) {
    waiting_.try_emplace(pod.meta.uid);
  } else {
    waiting_.erase(pod.meta.uid);
  }
}

void ShareRuns::set_rule(const std::optional<policy::Fractions>& rule,
                         const cluster::Snapshot& snapshot) {
  rule_ = rule;
  offers_.set_rule(rule, snapshot);
}

void ShareRuns::claim_gone(const ClaimKey& claim) {
  for (auto& [uid, share] : waiting_) {
    if (share.asked && share.claim == claim) share.asked = false;
  }
}

Commands ShareRuns::tick(Time now) {
  Commands out;
  if (waiting_.empty()) return out;
  const auto sizes = offers_.all();
  for (auto& [uid, share] : waiting_) {
    const auto pod = cluster_.pod(uid);
    if (!pod || share.asked) continue;
    if (now < share.retry_at) {
      out.emplace_back(PlanAt{share.retry_at});
      continue;
    }
    auto claim = rule_ ? share_claim(*pod, *rule_, sizes)
                       : fail(ErrorCode::unsupported, "the policy has no fractions");
    if (!claim) {
      share.refusal = std::move(claim.error().message);
      out.emplace_back(TellWaiting{uid, Reason::unsupported, share.refusal});
      continue;
    }
    share.refusal.clear();
    share.asked = true;
    share.claim = claim->key();
    out.emplace_back(Send{CreateClaim{std::move(*claim)}, ForShare{uid}});
  }
  return out;
}

Commands ShareRuns::step(const Uid& pod, const WriteOutcome& outcome, Time now) {
  Commands out;
  const auto found = waiting_.find(pod);
  if (found == waiting_.end()) return out;
  auto& share = found->second;
  // A conflict: it is there, from before.
  if (!outcome && outcome.error().code != ErrorCode::conflict) {
    share.asked = false;
    share.retry_at = now + share_retry;
    out.emplace_back(PlanAt{share.retry_at});
    // What is wrong with the claim is wrong with the annotations or the policy's rule.
    if (outcome.error().code == ErrorCode::invalid) {
      share.refusal = outcome.error().message;
      if (!share.refusal.empty()) {
        out.emplace_back(TellWaiting{pod, Reason::unsupported, share.refusal});
      }
    }
    return out;
  }
  const auto known = cluster_.pod(pod);
  if (!known || !known->meta.created || now - *known->meta.created < controller_patience) {
    return out;
  }
  // Any change of the pod has the controller look at once.
  out.emplace_back(
      TellWaiting{pod, Reason::claim_missing, std::string("claim for ") + share_entry, true});
  return out;
}

void ShareRuns::reset() {
  for (auto& [uid, share] : waiting_) share = {};
}

const std::string* ShareRuns::refusal(const Uid& pod) const {
  const auto share = waiting_.find(pod);
  if (share == waiting_.end() || share->second.refusal.empty()) return nullptr;
  return &share->second.refusal;
}

}  // namespace dray::engine
