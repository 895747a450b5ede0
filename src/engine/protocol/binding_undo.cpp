#include <algorithm>
#include <utility>

#include "engine/protocol/binding.h"

// How a binding ends: bound, or undone in reverse.

namespace dray::engine {
namespace {

constexpr std::uint32_t max_delete_attempts = 8;
/// A refusal may be an admission policy that has not heard of our epoch yet; one that stays is for
/// good.
constexpr std::uint32_t max_release_refusals = 8;

}  // namespace

/// Decides the end. While the pod may be bound, undoing would take devices from a running pod: then
/// the failure stands, and is carried out when a read has shown the pod.
void Binding::fail_with(Result result, std::string error, Commands& out) {
  if (!failure_.decided) {
    failure_.decided = true;
    failure_.result = result;
    error_ = std::move(error);
  }
  if (!pod_may_be_bound_) undo(out);
}

void Binding::fail_after(const std::string& write, const Error& error, Commands& out) {
  if (!failure_.decided) failure_.denied = surely_refused(error);
  fail_with(Result::failed, write + error.message, out);
}

void Binding::undo(Commands& out) {
  phase_ = Phase::undoing;
  pod_retry_at_.reset();
  // As kube-scheduler does it, and no more waited for: a pod without a node is not counted by it.
  if (std::exchange(node_charged_, false)) {
    out.push_back({pod_token, SetNodeAllocatable{placement_.pod, placement_.pod_uid, {}}});
  }
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    auto& state = claims_[i];
    const bool in_flight = state.step == Step::creating || state.step == Step::protecting ||
                           state.step == Step::allocating || state.step == Step::reserving ||
                           state.step == Step::reading;
    state.retry_at.reset();
    if (in_flight) continue;  // claim_written goes on when the write has ended
    if (state.touched || (state.made && !placement_.claims[i].claim_uid.get().empty())) {
      release_claim(i, out);
    } else {
      state.step = Step::released;
    }
  }
  finish_when_undone();
}

void Binding::release_claim(std::size_t index, Commands& out) {
  const auto& want = placement_.claims[index];
  if (claims_[index].user.resource == group_consumer_resource) {
    claims_[index].step = Step::released;
    return;
  }
  claims_[index].step = Step::releasing;
  const bool fence = claims_[index].unanswered_at.has_value();
  out.push_back({index, ReleaseClaim{want.claim, want.claim_uid, placement_.pod_uid, true, fence}});
}

void Binding::delete_claim(std::size_t index, Commands& out) {
  const auto& want = placement_.claims[index];
  claims_[index].step = Step::deleting;
  out.push_back({index, DeleteClaim{want.claim, want.claim_uid, claims_[index].version}});
}

void Binding::claim_released(std::size_t index, const WriteOutcome& outcome, Time now,
                             Commands& out) {
  auto& state = claims_[index];
  if (outcome || outcome.error().code == ErrorCode::not_found) {
    if (outcome && state.made) {
      if (const auto* claim = std::get_if<ResourceClaim>(&*outcome)) {
        state.version = claim->meta.resource_version;
      }
      return delete_claim(index, out);
    }
    state.step = Step::released;
    return finish_when_undone();
  }
  ++state.attempts;
  if (outcome.error().code == ErrorCode::conflict) {
    state.step = Step::checking;
    out.push_back({index, ReadClaim{placement_.claims[index].claim}});
    return;
  }
  // What stays refused stays written: the claim holds its devices from here on, not this binding.
  // While a write without an answer may still land, its devices are nobody else's.
  const bool may_land = state.unanswered_at && now < state.unanswered_until;
  if (surely_refused(outcome.error()) && ++state.refusals >= max_release_refusals && !may_land) {
    failure_.keeps_claims = true;
    state.step = Step::released;
    return finish_when_undone();
  }
  retry_claim_later(index, now);
}

/// A claim made anew under the name has nothing of ours.
void Binding::claim_checked(std::size_t index, const WriteOutcome& outcome, Time now) {
  auto& state = claims_[index];
  const auto* claim = outcome ? std::get_if<ResourceClaim>(&*outcome) : nullptr;
  const bool gone = !outcome && outcome.error().code == ErrorCode::not_found;
  if (gone || (claim != nullptr && claim->meta.uid != placement_.claims[index].claim_uid)) {
    state.step = Step::released;
    return finish_when_undone();
  }
  state.step = Step::releasing;
  retry_claim_later(index, now);
}

void Binding::claim_deleted(std::size_t index, const WriteOutcome& outcome, Time now,
                            Commands& out) {
  auto& state = claims_[index];
  const bool gone = outcome || outcome.error().code == ErrorCode::not_found;
  // It holds nothing any more, and goes with its pod at the latest.
  if (gone || ++state.attempts >= max_delete_attempts) {
    state.step = Step::released;
    return finish_when_undone();
  }
  if (outcome.error().code == ErrorCode::conflict) {
    state.step = Step::checking;
    out.push_back({index, ReadClaim{placement_.claims[index].claim}});
    return;
  }
  retry_claim_later(index, now);
}

void Binding::finish_bound() {
  error_.clear();
  pod_retry_at_.reset();
  result_ = Result::bound;
}

void Binding::finish_when_undone() {
  if (std::ranges::all_of(claims_, [](const auto& c) { return c.step == Step::released; })) {
    result_ = failure_.result;
  }
}

}  // namespace dray::engine
