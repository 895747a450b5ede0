#include <algorithm>
#include <chrono>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/state.h"

// The claims of pods that ask for a part of a device by KAI's annotations.

namespace dray::engine {
namespace {

constexpr Duration share_retry = std::chrono::seconds(1);
/// A pod this old has had its claim asked for before: its controller waits before it looks again.
constexpr Duration controller_patience = std::chrono::seconds(1);

}  // namespace

/// Remembers a pod whose claim the resourceclaim controller has not found yet.
void Engine::State::watch_share(const Pod& pod) {
  const bool named = std::ranges::any_of(
      pod.resource_claim_statuses, [](const auto& status) { return status.name == share_entry; });
  if (has_share_entry(pod) && !named && !pod.meta.deleted) {
    sharing.try_emplace(pod.meta.uid);
  } else {
    sharing.erase(pod.meta.uid);
  }
}

void Engine::State::make_shares(Time now) {
  if (sharing.empty()) return;
  const auto& rule = policy->config.fractions;
  const auto sizes = offers.all();
  for (auto& [uid, share] : sharing) {
    const auto track = tracks.find(uid);
    const auto pod = track == tracks.end() ? nullptr : pod_of(track->second);
    if (!pod || share.asked) continue;
    if (now < share.retry_at) {
      plan_again_at(share.retry_at);
      continue;
    }
    auto claim = rule ? share_claim(*pod, *rule, sizes)
                      : fail(ErrorCode::unsupported, "the policy has no fractions");
    if (!claim) {
      share.refusal = std::move(claim.error().message);
      refuse_share(track->second, now);
      continue;
    }
    share.refusal.clear();
    share.asked = true;
    share.claim = claim->key();
    send(CreateClaim{std::move(*claim)}, ForShare{uid});
  }
}

/// A claim that somebody deleted before the controller found it is made anew.
void Engine::State::share_gone(const ClaimKey& claim) {
  for (auto& [uid, share] : sharing) {
    if (share.asked && share.claim == claim) share.asked = false;
  }
}

/// Tells why the pod has no claim; false: it may have one.
bool Engine::State::refuse_share(PodTrack& track, Time now) {
  const auto share = sharing.find(track.uid);
  if (share == sharing.end() || share->second.refusal.empty()) return false;
  track.reason = Reason::unsupported;
  track.detail = share->second.refusal;
  report_waiting(track, now);
  return true;
}

void Engine::State::share_written(const Uid& uid, const WriteOutcome& outcome, Time now) {
  const auto share = sharing.find(uid);
  if (share == sharing.end()) return;
  // A conflict: it is there, from before.
  const auto track = tracks.find(uid);
  if (!outcome && outcome.error().code != ErrorCode::conflict) {
    share->second.asked = false;
    share->second.retry_at = now + share_retry;
    plan_again_at(share->second.retry_at);
    // What is wrong with the claim is wrong with the annotations or the policy's rule.
    if (outcome.error().code == ErrorCode::invalid && track != tracks.end()) {
      share->second.refusal = outcome.error().message;
      refuse_share(track->second, now);
    }
    return;
  }
  const auto pod = track == tracks.end() ? nullptr : pod_of(track->second);
  if (!pod || !pod->meta.created || now - *pod->meta.created < controller_patience) return;
  // Any change of the pod has the controller look at once.
  track->second.reason = Reason::claim_missing;
  track->second.detail = std::string("claim for ") + share_entry;
  track->second.reported = Reason::none;
  report_waiting(track->second, now);
}

}  // namespace dray::engine
