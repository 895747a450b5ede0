#include <algorithm>
#include <utility>

#include "engine/protocol/binding.h"

// How a binding ends: bound, or undone in reverse.

namespace dray::engine {
namespace {

constexpr std::uint32_t max_delete_attempts = 8;

}  // namespace

/// Decides the end. While the pod may be bound, undoing would take devices from a running pod: then
/// the failure stands, and is carried out when a read has shown the pod.
void Binding::fail_with(Result result, std::string error, Commands& out) {
  if (!failing_) {
    failing_ = true;
    failure_ = result;
    error_ = std::move(error);
  }
  if (!pod_may_be_bound_) undo(out);
}

void Binding::undo(Commands& out) {
  phase_ = Phase::undoing;
  pod_retry_at_.reset();
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
  out.push_back({index, ReleaseClaim{want.claim, want.claim_uid, placement_.pod_uid, true}});
}

void Binding::claim_released(std::size_t index, const WriteOutcome& outcome, Time now,
                             Commands& out) {
  auto& state = claims_[index];
  if (outcome || outcome.error().code == ErrorCode::not_found) {
    if (outcome && state.made) {
      const auto& want = placement_.claims[index];
      state.step = Step::deleting;
      out.push_back({index, DeleteClaim{want.claim, want.claim_uid}});
      return;
    }
    state.step = Step::released;
    return finish_when_undone();
  }
  ++state.attempts;
  retry_claim_later(index, now);
}

void Binding::claim_deleted(std::size_t index, const WriteOutcome& outcome, Time now) {
  auto& state = claims_[index];
  const bool gone = outcome || outcome.error().code == ErrorCode::conflict ||
                    outcome.error().code == ErrorCode::not_found;
  // It holds nothing any more, and goes with its pod at the latest.
  if (gone || ++state.attempts >= max_delete_attempts) {
    state.step = Step::released;
    return finish_when_undone();
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
    result_ = failure_;
  }
}

}  // namespace dray::engine
