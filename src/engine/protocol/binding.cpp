#include "engine/protocol/binding.h"

#include <algorithm>
#include <utility>

#include "dray/alloc/extended_resources.h"
#include "dray/base/check.h"
#include "dray/model/pod_claim.h"
#include "engine/protocol/readiness.h"

namespace dray::engine {
namespace {

bool reserved_for(const ResourceClaim& claim, const Uid& uid) {
  return std::ranges::any_of(claim.reserved_for, [&](const auto& c) { return c.uid == uid; });
}

bool is_protected(const ResourceClaim& claim) {
  return std::ranges::find(claim.meta.finalizers, claim_finalizer) != claim.meta.finalizers.end();
}

}  // namespace

Duration Binding::backoff(std::uint32_t attempts) {
  const auto shift = std::min<std::uint32_t>(attempts, 6);
  return std::chrono::milliseconds(25) * (1 << shift);
}

bool surely_refused(const Error& error) {
  return error.code == ErrorCode::invalid || error.code == ErrorCode::denied ||
         error.code == ErrorCode::unsupported;
}

ClaimConsumer consumer_of(const PodKey& pod, const Uid& uid) {
  return {.api_group = "", .resource = "pods", .name = pod.name, .uid = uid};
}

Binding::Binding(Placement placement, Time now, Pace pace, ResourceVersion pod_version)
    : placement_(std::move(placement)),
      started_(now),
      pace_(pace),
      claims_(placement_.claims.size()),
      pod_version_(std::move(pod_version)) {
  for (auto& claim : placement_.claims) {
    auto& allocation = claim.allocation;
    if (has_binding_conditions(allocation) && !allocation.allocated) allocation.allocated = now;
  }
}

Binding::Commands Binding::start(const std::vector<std::shared_ptr<const ResourceClaim>>& claims,
                                 Time now, std::vector<ClaimConsumer> users) {
  DRAY_CHECK(claims.size() == claims_.size());
  users.resize(claims.size(), consumer_of(placement_.pod, placement_.pod_uid));
  for (std::size_t i = 0; i < users.size(); ++i) claims_[i].user = std::move(users[i]);
  Commands out;
  for (std::size_t i = 0; i < claims.size() && !failure_.decided; ++i) {
    if (!claims[i]) {
      create_claim(i, out);
    } else if (shown_as_held(i, *claims[i])) {
      read_claim(i, out);
    } else {
      advance_claim(i, *claims[i], now, out);
    }
  }
  bind_pod_when_ready(out);
  return out;
}

/// The finalizer comes with the claim: nothing is left to protect.
void Binding::create_claim(std::size_t index, Commands& out) {
  const auto& want = placement_.claims[index];
  DRAY_CHECK(want.extended.has_value());
  ResourceClaim claim;
  claim.meta.namespace_name = want.claim.namespace_name;
  claim.meta.name = want.claim.name;
  claim.meta.annotations = {{alloc::extended_resource_annotation, "true"}};
  claim.meta.finalizers = {claim_finalizer};
  claim.meta.owners.push_back(pod_as_owner(placement_.pod.name, placement_.pod_uid));
  claim.spec = want.extended->spec;
  claims_[index].step = Step::creating;
  claims_[index].made = true;
  out.push_back({index, CreateClaim{std::move(claim)}});
}

/// A write would meet a conflict if the watch were behind; where none is needed, it has to be
/// asked: an earlier binding of the pod may have given the claim back since.
bool Binding::shown_as_held(std::size_t index, const ResourceClaim& claim) const {
  const auto& user = claims_[index].user;
  return user.resource != group_consumer_resource && claim.allocation &&
         reserved_for(claim, user.uid);
}

/// The claim has its devices and its user; the devices may still have to be made ready.
void Binding::hold(std::size_t index, const ResourceClaim& claim, Time now, Commands& out) {
  auto& state = claims_[index];
  state.touched = true;
  state.step = Step::held;
  const auto name = "claim " + claim.key().to_string();
  switch (readiness(claim, binding_timeout, now)) {
    case Readiness::ready:
      return;
    case Readiness::failed:
      return fail_with(Result::refused, name + ": a device cannot be made ready", out);
    case Readiness::timed_out:
      return fail_with(Result::refused, name + ": a device was not made ready in time", out);
    case Readiness::pending:
      break;
  }
  state.step = Step::awaiting;
  state.retry_at = now + std::chrono::seconds(1);
  const bool rest_is_held = std::ranges::all_of(claims_, [](const auto& each) {
    return each.step == Step::held || each.step == Step::awaiting;
  });
  if (!rest_is_held || now - started_ < condition_patience) return;
  error_ = name + ": its devices are not ready yet";
  result_ = Result::waiting;
}

/// The next write for claim `index`, judged by what the claim is now.
void Binding::advance_claim(std::size_t index, const ResourceClaim& claim, Time now,
                            Commands& out) {
  auto& want = placement_.claims[index];
  auto& state = claims_[index];
  state.version = claim.meta.resource_version;
  if (state.unanswered_at != state.version) state.unanswered_at.reset();
  const auto name = "claim " + want.claim.to_string();
  if (want.extended) {
    if (!alloc::is_extended_resource_claim(claim, placement_.pod_uid)) {
      state.made = false;
      return fail_with(Result::refused, name + ": there is one of that name", out);
    }
    state.made = true;
    if (want.claim_uid.get().empty()) want.claim_uid = claim.meta.uid;
  }
  if (claim.meta.uid != want.claim_uid) {
    return fail_with(Result::refused, name + ": it was replaced by another of its name", out);
  }
  if (claim.allocation) {
    if (!same_devices(*claim.allocation, want.allocation)) {
      return fail_with(Result::refused, name + ": it has other devices meanwhile", out);
    }
    if (reserved_for(claim, state.user.uid)) return hold(index, claim, now, out);
  } else if (want.already_allocated) {
    return fail_with(Result::refused, name + ": it lost its devices meanwhile", out);
  }
  if (claim.meta.deleted) return fail_with(Result::refused, name + ": it is being deleted", out);
  const auto& consumer = state.user;
  if (claim.allocation) {
    state.step = Step::reserving;
    state.touched = true;
    out.push_back(
        {index, ReserveClaim{want.claim, want.claim_uid, claim.meta.resource_version, consumer}});
  } else if (is_protected(claim)) {
    state.step = Step::allocating;
    state.touched = true;
    out.push_back({index, AllocateClaim{want.claim,
                                        want.claim_uid,
                                        claim.meta.resource_version,
                                        want.allocation,
                                        {consumer}}});
  } else {
    state.step = Step::protecting;
    out.push_back({index, ProtectClaim{want.claim, want.claim_uid, claim.meta.resource_version}});
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
    } else if (phase_ == Phase::fencing_pod) {
      pod_fenced(outcome, now, out);
    } else {
      pod_written(outcome, now, out);
    }
    return out;
  }
  DRAY_CHECK(token < claims_.size());
  switch (claims_[token].step) {
    case Step::releasing:
      claim_released(token, outcome, now, out);
      break;
    case Step::checking:
      claim_checked(token, outcome, now);
      break;
    case Step::deleting:
      claim_deleted(token, outcome, now, out);
      break;
    default:
      claim_written(token, outcome, now, out);
  }
  return out;
}

void Binding::claim_written(std::size_t index, const WriteOutcome& outcome, Time now,
                            Commands& out) {
  auto& state = claims_[index];
  const auto ended = std::exchange(state.step, Step::idle);
  const bool unanswered = !outcome && outcome.error().code == ErrorCode::unavailable;
  if (unanswered && ended != Step::reading) {
    state.unanswered_at = state.version;
    state.unanswered_until = now + request_life;
  }
  if (phase_ == Phase::undoing) {
    // The failure of another claim came first; now that this write has ended, it is undone too.
    auto& uid = placement_.claims[index].claim_uid;
    if (const auto* claim = outcome ? std::get_if<ResourceClaim>(&*outcome) : nullptr;
        claim != nullptr && state.made && uid.get().empty()) {
      uid = claim->meta.uid;
    }
    if (state.touched || (state.made && !uid.get().empty())) {
      release_claim(index, out);
    } else {
      state.step = Step::released;
    }
    return finish_when_undone();
  }
  if (outcome) {
    if (const auto* claim = std::get_if<ResourceClaim>(&*outcome)) {
      advance_claim(index, *claim, now, out);
    } else {
      read_claim(index, out);
    }
    return bind_pod_when_ready(out);
  }
  const auto& want = placement_.claims[index];
  const auto name = "claim " + want.claim.to_string() + ": ";
  if (outcome.error().code == ErrorCode::not_found) {
    // An answer to its creation was lost, and the creation too.
    if (ended == Step::reading && want.extended && want.claim_uid.get().empty()) {
      return create_claim(index, out);
    }
    return fail_with(Result::refused, name + outcome.error().message, out);
  }
  // A denial may be the admission policy that has not heard of our epoch yet: it is tried again.
  const bool final = surely_refused(outcome.error()) && outcome.error().code != ErrorCode::denied;
  if (final || ++state.attempts >= max_attempts) {
    return fail_after(name, outcome.error(), out);
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

bool Binding::claims_held() const {
  return phase_ == Phase::claims && !failure_.decided &&
         std::ranges::all_of(claims_, [](const auto& c) { return c.step == Step::held; });
}

bool Binding::waits() const {
  return pace_ == Pace::when_told && claims_held();
}

Binding::Commands Binding::proceed() {
  Commands out;
  pace_ = Pace::at_once;
  bind_pod_when_ready(out);
  return out;
}

Binding::Commands Binding::abort(std::string error) {
  Commands out;
  const bool too_late = finished() || failure_.decided || pod_may_be_bound_;
  if (!too_late) fail_with(Result::failed, std::move(error), out);
  return out;
}

void Binding::retry_claim_later(std::size_t index, Time now) {
  claims_[index].retry_at = now + backoff(claims_[index].attempts);
}

Binding::Commands Binding::tick(Time now) {
  Commands out;
  if (finished()) return out;
  if (pod_retry_at_ && *pod_retry_at_ <= now) {
    pod_retry_at_.reset();
    if (phase_ == Phase::claims) {
      bind_pod_when_ready(out);
    } else {
      phase_ == Phase::fencing_pod ? give_up_binding(out)
                                   : out.push_back({pod_token, ReadPod{placement_.pod}});
    }
  }
  for (std::size_t i = 0; i < claims_.size(); ++i) {
    auto& state = claims_[i];
    if (!state.retry_at || *state.retry_at > now) continue;
    state.retry_at.reset();
    if (state.step == Step::releasing) {
      release_claim(i, out);
    } else if (state.step == Step::deleting) {
      delete_claim(i, out);
    } else {
      read_claim(i, out);
    }
  }
  if (!failure_.decided && now - started_ >= deadline) {
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
  if (!failure_.decided) earlier(started_ + deadline);
  return next;
}

}  // namespace dray::engine
