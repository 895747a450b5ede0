#include <algorithm>
#include <utility>

#include "engine/protocol/binding.h"

// The pod's part of a binding: its claims are there, and it is bound or, if that fails, surely not.

namespace dray::engine {
void Binding::bind_pod_when_ready(Commands& out) {
  if (pace_ != Pace::when_told && claims_held()) tell_pod(out);
}

/// The next of what the pod's status has to say before the pod is bound, and then that.
void Binding::tell_pod(Commands& out) {
  const auto extended = std::ranges::find_if(
      placement_.claims, [](const ClaimPlacement& claim) { return claim.extended.has_value(); });
  if (phase_ == Phase::claims && extended != placement_.claims.end()) {
    phase_ = Phase::naming_claim;
    out.push_back(
        {pod_token, NameExtendedClaim{placement_.pod, placement_.pod_uid, extended->claim.name,
                                      extended->extended->mappings}});
    return;
  }
  if (phase_ != Phase::charging_node && !placement_.node_allocatable.empty()) {
    phase_ = Phase::charging_node;
    node_charged_ = true;
    out.push_back({pod_token, SetNodeAllocatable{placement_.pod, placement_.pod_uid,
                                                 placement_.node_allocatable}});
    return;
  }
  bind_pod(out);
}

void Binding::pod_told(const WriteOutcome& outcome, Time now, Commands& out) {
  if (!outcome) {
    if (outcome.error().code != ErrorCode::unavailable || ++pod_attempts_ >= max_attempts) {
      return fail_after("writing the status of the pod: ", outcome.error(), out);
    }
    phase_ = Phase::claims;  // and all of it is told again
    return retry_pod_later(now);
  }
  // The binding names the version that is bound: the write has made a new one.
  const auto* pod = std::get_if<Pod>(&*outcome);
  if (pod != nullptr && !pod_version_.get().empty()) {
    if (uses_other_claims(*pod, placement_)) {
      return fail_with(Result::refused,
                       "pod " + placement_.pod.to_string() + " uses other claims by now", out);
    }
    pod_version_ = pod->meta.resource_version;
  }
  tell_pod(out);
}

void Binding::see(const Pod& pod) {
  if (phase_ != Phase::claims || pod_version_.get().empty()) return;
  if (!uses_other_claims(pod, placement_)) pod_version_ = pod.meta.resource_version;
}

void Binding::bind_pod(Commands& out) {
  phase_ = Phase::binding_pod;
  pod_may_be_bound_ = true;
  out.push_back(
      {pod_token, BindPod{placement_.pod, placement_.pod_uid, placement_.node, pod_version_}});
}

void Binding::pod_written(const WriteOutcome& outcome, Time now, Commands& out) {
  if (phase_ == Phase::naming_claim || phase_ == Phase::charging_node) {
    return pod_told(outcome, now, out);
  }
  if (phase_ == Phase::undoing) return;  // what is left in the pod's status does no harm
  if (outcome) return finish_bound();
  if (error_.empty()) error_ = "binding: " + outcome.error().message;
  bind_unanswered_ = bind_unanswered_ || outcome.error().code == ErrorCode::unavailable;
  failure_.denied = surely_refused(outcome.error());
  if (failure_.denied && !bind_unanswered_) {
    pod_may_be_bound_ = false;
    return fail_after("binding: ", outcome.error(), out);
  }
  // Not found, conflict ("already assigned") and no answer: the pod itself tells.
  phase_ = Phase::reading_pod;
  if (outcome.error().code == ErrorCode::unavailable) {
    retry_pod_later(now);
  } else {
    out.push_back({pod_token, ReadPod{placement_.pod}});
  }
}

void Binding::pod_read(const WriteOutcome& outcome, Time now, Commands& out) {
  if (!outcome && outcome.error().code != ErrorCode::not_found) return retry_pod_later(now);
  const auto* pod = outcome ? std::get_if<Pod>(&*outcome) : nullptr;
  if (pod == nullptr || pod->meta.uid != placement_.pod_uid) {
    pod_may_be_bound_ = false;
    return fail_with(Result::refused, "pod " + placement_.pod.to_string() + " is gone", out);
  }
  if (pod->node_name == placement_.node) return finish_bound();
  if (pod->node_name) {
    pod_may_be_bound_ = false;
    return fail_with(Result::refused, "pod " + placement_.pod.to_string() + " is bound elsewhere",
                     out);
  }
  if (pod->meta.deleted) {  // which no binding gets past
    pod_may_be_bound_ = false;
    return fail_with(Result::refused, "pod " + placement_.pod.to_string() + " is being deleted",
                     out);
  }
  const bool moved = pod_version_ != pod->meta.resource_version && !pod_version_.get().empty();
  if (moved) bind_unanswered_ = false;  // one that named another version cannot land any more
  pod_version_ = pod->meta.resource_version;
  if (!failure_.decided && uses_other_claims(*pod, placement_)) {
    failure_.decided = true;
    failure_.result = Result::refused;
    error_ = "pod " + placement_.pod.to_string() + " uses other claims by now";
  }
  if (failure_.decided || failure_.denied || ++pod_attempts_ >= max_attempts ||
      now - started_ >= deadline) {
    return give_up_binding(out);
  }
  bind_pod(out);
}

void Binding::retry_pod_later(Time now) {
  pod_retry_at_ = now + backoff(++pod_attempts_);
}

/// The pod is not bound, and is not to be any more.
void Binding::give_up_binding(Commands& out) {
  if (!bind_unanswered_) {
    pod_may_be_bound_ = false;
    return fail_with(failure_.result, error_, out);
  }
  phase_ = Phase::fencing_pod;
  out.push_back(
      {pod_token,
       AnnotatePod{placement_.pod, placement_.pod_uid, {{undone_annotation, pod_version_.get()}}}});
}

/// What comes back is the pod after whatever landed before: nothing that was sent lands after it.
void Binding::pod_fenced(const WriteOutcome& outcome, Time now, Commands& out) {
  const bool gone = !outcome && (outcome.error().code == ErrorCode::not_found ||
                                 outcome.error().code == ErrorCode::conflict);
  const auto* pod = outcome ? std::get_if<Pod>(&*outcome) : nullptr;
  if (pod != nullptr && pod->node_name == placement_.node) return finish_bound();
  if (pod == nullptr && !gone) return retry_pod_later(now);
  bind_unanswered_ = false;
  give_up_binding(out);
}

}  // namespace dray::engine
