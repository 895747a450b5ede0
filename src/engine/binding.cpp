#include "dray/engine/binding.h"

#include <algorithm>
#include <utility>

#include "dray/base/check.h"

namespace dray::engine {
namespace {

constexpr std::uint32_t max_attempts = 8;

Duration backoff(std::uint32_t attempts) {
  const auto shift = std::min<std::uint32_t>(attempts, 6);
  return std::chrono::milliseconds(25) * (1 << shift);
}

bool reserved_for(const ResourceClaim& claim, const Uid& uid) {
  return std::ranges::any_of(claim.reserved_for, [&](const auto& c) { return c.uid == uid; });
}

bool is_protected(const ResourceClaim& claim, const std::string& epoch) {
  const auto annotation = claim.meta.annotations.find(epoch_annotation);
  return std::ranges::find(claim.meta.finalizers, claim_finalizer) != claim.meta.finalizers.end() &&
         annotation != claim.meta.annotations.end() && annotation->second == epoch;
}

/// Whether the server surely did not do what it was asked.
bool surely_refused(const Error& error) {
  return error.code == ErrorCode::invalid || error.code == ErrorCode::denied ||
         error.code == ErrorCode::unsupported;
}

}  // namespace

bool same_devices(const AllocationResult& a, const AllocationResult& b) {
  return std::ranges::equal(a.devices, b.devices, [](const auto& x, const auto& y) {
    return x.request == y.request && x.device == y.device && x.share_id == y.share_id;
  });
}

ClaimConsumer consumer_of(const PodKey& pod, const Uid& uid) {
  return {.api_group = "", .resource = "pods", .name = pod.name, .uid = uid};
}

Binding::Binding(Placement placement, std::int32_t epoch, Time now)
    : placement_(std::move(placement)),
      epoch_(std::to_string(epoch)),
      started_(now),
      claims_(placement_.claims.size()) {}

Binding::Commands Binding::start(const std::vector<std::shared_ptr<const ResourceClaim>>& claims,
                                 Time /*now*/) {
  DRAY_CHECK(claims.size() == claims_.size());
  Commands out;
  for (std::size_t i = 0; i < claims.size() && !failing_; ++i) advance_claim(i, *claims[i], out);
  bind_pod_when_ready(out);
  return out;
}

/// The next write for claim `index`, judged by what the claim is now.
void Binding::advance_claim(std::size_t index, const ResourceClaim& claim, Commands& out) {
  const auto& want = placement_.claims[index];
  auto& state = claims_[index];
  state.version = claim.meta.resource_version;
  const auto name = "claim " + want.claim.to_string();
  if (claim.meta.uid != want.claim_uid) {
    return fail_with(Result::refused, name + ": it was replaced by another of its name", out);
  }
  if (claim.allocation) {
    if (!same_devices(*claim.allocation, want.allocation)) {
      return fail_with(Result::refused, name + ": it has other devices meanwhile", out);
    }
    if (reserved_for(claim, placement_.pod_uid)) {
      state.touched = true;
      state.step = Step::held;
      return;
    }
  } else if (want.already_allocated) {
    return fail_with(Result::refused, name + ": it lost its devices meanwhile", out);
  }
  if (claim.meta.deleted) return fail_with(Result::refused, name + ": it is being deleted", out);
  const auto consumer = consumer_of(placement_.pod, placement_.pod_uid);
  if (claim.allocation) {
    state.step = Step::reserving;
    state.touched = true;
    out.push_back(
        {index, ReserveClaim{want.claim, want.claim_uid, claim.meta.resource_version, consumer}});
  } else if (is_protected(claim, epoch_)) {
    state.step = Step::allocating;
    state.touched = true;
    out.push_back({index, AllocateClaim{want.claim,
                                        want.claim_uid,
                                        claim.meta.resource_version,
                                        want.allocation,
                                        {consumer}}});
  } else {
    state.step = Step::protecting;
    out.push_back({index, ProtectClaim{want.claim,
                                       want.claim_uid,
                                       claim.meta.resource_version,
                                       {{epoch_annotation, epoch_}}}});
  }
}

std::vector<ResourceVersion> Binding::claim_versions() const {
  std::vector<ResourceVersion> versions;
  versions.reserve(claims_.size());
  for (const auto& claim : claims_) versions.push_back(claim.version);
  return versions;
}

Binding::Commands Binding::step(Token token, const WriteOutcome& outcome, Time now) {
  Commands out;
  if (token == pod_token) {
    if (phase_ == Phase::reading_pod) {
      pod_read(outcome, now, out);
    } else {
      pod_written(outcome, now, out);
    }
    return out;
  }
  DRAY_CHECK(token < claims_.size());
  if (claims_[token].step == Step::releasing) {
    claim_released(token, outcome, now, out);
  } else {
    claim_written(token, outcome, now, out);
  }
  return out;
}

void Binding::claim_written(std::size_t index, const WriteOutcome& outcome, Time now,
                            Commands& out) {
  auto& state = claims_[index];
  const auto ended = std::exchange(state.step, Step::idle);
  if (phase_ == Phase::undoing) {
    // The failure of another claim came first; now that this write has ended, it is undone too.
    if (state.touched) {
      release_claim(index, out);
    } else {
      state.step = Step::released;
      finish_when_undone();
    }
    return;
  }
  if (outcome) {
    if (const auto* claim = std::get_if<ResourceClaim>(&*outcome)) {
      advance_claim(index, *claim, out);
    } else {
      read_claim(index, out);
    }
    return bind_pod_when_ready(out);
  }
  const auto name = "claim " + placement_.claims[index].claim.to_string() + ": ";
  if (outcome.error().code == ErrorCode::not_found) {
    return fail_with(Result::refused, name + outcome.error().message, out);
  }
  // A denial may be the admission policy that has not heard of our epoch yet: it is tried again.
  const bool final = surely_refused(outcome.error()) && outcome.error().code != ErrorCode::denied;
  if (final || ++state.attempts >= max_attempts) {
    return fail_with(Result::failed, name + outcome.error().message, out);
  }
  if (outcome.error().code == ErrorCode::conflict && ended != Step::reading) {
    read_claim(index, out);
  } else {
    retry_claim_later(index, now);
  }
}

void Binding::read_claim(std::size_t index, Commands& out) {
  claims_[index].step = Step::reading;
  out.push_back({index, ReadClaim{placement_.claims[index].claim}});
}

void Binding::bind_pod_when_ready(Commands& out) {
  if (phase_ != Phase::claims) return;
  if (!std::ranges::all_of(claims_, [](const auto& c) { return c.step == Step::held; })) return;
  phase_ = Phase::binding_pod;
  pod_may_be_bound_ = true;
  out.push_back({pod_token, BindPod{placement_.pod, placement_.pod_uid, placement_.node}});
}

void Binding::pod_written(const WriteOutcome& outcome, Time now, Commands& out) {
  if (outcome) return finish_bound();
  if (error_.empty()) error_ = "binding: " + outcome.error().message;
  if (surely_refused(outcome.error())) {
    pod_may_be_bound_ = false;
    return fail_with(Result::failed, "binding: " + outcome.error().message, out);
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
  pod_may_be_bound_ = false;
  if (pod->node_name) {
    return fail_with(Result::refused, "pod " + placement_.pod.to_string() + " is bound elsewhere",
                     out);
  }
  if (pod->meta.deleted) {
    return fail_with(Result::refused, "pod " + placement_.pod.to_string() + " is being deleted",
                     out);
  }
  if (failing_ || ++pod_attempts_ >= max_attempts || now - started_ >= deadline) {
    return fail_with(failure_, error_, out);
  }
  phase_ = Phase::binding_pod;
  pod_may_be_bound_ = true;
  out.push_back({pod_token, BindPod{placement_.pod, placement_.pod_uid, placement_.node}});
}

void Binding::retry_claim_later(std::size_t index, Time now) {
  claims_[index].retry_at = now + backoff(claims_[index].attempts);
}

void Binding::retry_pod_later(Time now) {
  pod_retry_at_ = now + backoff(++pod_attempts_);
}

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
    const bool in_flight = state.step == Step::protecting || state.step == Step::allocating ||
                           state.step == Step::reserving || state.step == Step::reading;
    state.retry_at.reset();
    if (in_flight) continue;  // claim_written goes on when the write has ended
    if (state.touched) {
      release_claim(i, out);
    } else {
      state.step = Step::released;
    }
  }
  finish_when_undone();
}

void Binding::release_claim(std::size_t index, Commands& out) {
  const auto& want = placement_.claims[index];
  claims_[index].step = Step::releasing;
  out.push_back({index, ReleaseClaim{want.claim, want.claim_uid, placement_.pod_uid, true}});
}

void Binding::claim_released(std::size_t index, const WriteOutcome& outcome, Time now,
                             Commands& /*out*/) {
  auto& state = claims_[index];
  if (outcome || outcome.error().code == ErrorCode::not_found) {
    state.step = Step::released;
    return finish_when_undone();
  }
  ++state.attempts;
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

Binding::Commands Binding::tick(Time now) {
  Commands out;
  if (finished()) return out;
  if (pod_retry_at_ && *pod_retry_at_ <= now) {
    pod_retry_at_.reset();
    out.push_back({pod_token, ReadPod{placement_.pod}});
  }
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    auto& state = claims_[i];
    if (!state.retry_at || *state.retry_at > now) continue;
    state.retry_at.reset();
    if (state.step == Step::releasing) {
      release_claim(i, out);
    } else {
      read_claim(i, out);
    }
  }
  if (!failing_ && now - started_ >= deadline) {
    fail_with(Result::failed, error_.empty() ? "the API server did not answer in time" : error_,
              out);
  }
  return out;
}

std::optional<Time> Binding::next_tick() const {
  if (finished()) return std::nullopt;
  std::optional<Time> next = pod_retry_at_;
  const auto earlier = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  for (const auto& claim : claims_) {
    if (claim.retry_at) earlier(*claim.retry_at);
  }
  if (!failing_) earlier(started_ + deadline);
  return next;
}

}  // namespace dray::engine
