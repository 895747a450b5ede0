#include "dray/engine/lease.h"

#include <algorithm>
#include <string>
#include <utility>

namespace dray::engine {

std::string field_manager(std::int32_t epoch, const std::string& identity) {
  return identity.empty() ? "dray" : "dray-" + std::to_string(epoch) + "-" + identity;
}

LeaseKeeper::LeaseKeeper(Options options) : options_(std::move(options)) {}

LeaseKeeper::Commands LeaseKeeper::tick(Time now) {
  if (leading_until_ && now >= *leading_until_) end_term(*leading_until_);
  if (busy_ != Busy::no || now < next_tick_) return {};
  next_tick_ = now + options_.renew_every;
  if (leading_until_ && !in_doubt_) return renew(now);
  busy_ = Busy::reading;
  return {ReadLease{options_.lease}};
}

LeaseKeeper::Commands LeaseKeeper::renew(Time now) {
  busy_ = Busy::renewing;
  sent_at_ = now;
  return {held_by_us(seen_.transitions, seen_.acquired.value_or(now), now)};
}

/// Until then writes may have been sent.
void LeaseKeeper::end_term(Time at) {
  if (leading_until_) ended_at_ = at;
  leading_until_.reset();
}

LeaseKeeper::Commands LeaseKeeper::step(const WriteOutcome& outcome, Time now) {
  if (leading_until_ && now >= *leading_until_) end_term(*leading_until_);
  const auto was = std::exchange(busy_, Busy::no);
  if (was == Busy::reading) return read(outcome, now);
  const bool too_late = was == Busy::renewing && !leading_until_;
  auto commands = written(outcome, now);
  // Who was told that the term is over has forgotten what is under way: only a new epoch keeps that
  // from landing.
  if (too_late) leading_until_.reset();
  return commands;
}

LeaseKeeper::Commands LeaseKeeper::read(const WriteOutcome& outcome, Time now) {
  const bool absent = !outcome && outcome.error().code == ErrorCode::not_found;
  const bool releasing = std::exchange(releasing_, false);
  if (!outcome && !absent) {
    if (in_doubt_) next_tick_ = now + options_.renew_every / 2;
    return {};
  }
  const auto* found = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  const Lease lease = found != nullptr ? *found : deleted();
  if (!seen_at_ || lease.holder != seen_.holder || lease.renewed != seen_.renewed ||
      lease.transitions != seen_.transitions) {
    seen_at_ = now;
  }
  seen_ = lease;
  in_doubt_ = false;
  const bool ours = !absent && lease.holder == options_.identity && lease.transitions == epoch_;
  if (releasing) return ours ? give_back(now) : Commands();
  if (leading_until_ && ours) return still_ours(now);
  end_term(now);
  return acquire_or_wait(now);
}

/// A Lease that is gone says nothing about its last holder, who may lead until its term ends: it
/// counts as it was last seen. The next one is created.
Lease LeaseKeeper::deleted() const {
  Lease lease = seen_;
  lease.meta = {};
  return lease;
}

/// Nobody took it: either the renewal came through and only its answer was lost, or somebody wrote
/// something else there.
LeaseKeeper::Commands LeaseKeeper::still_ours(Time now) {
  if (!sent_at_ || seen_.renewed != sent_at_) return renew(now);
  leading_until_ = *sent_at_ + options_.duration - options_.fence;
  next_tick_ = std::max(now, *sent_at_ + options_.renew_every);
  return {};
}

LeaseKeeper::Commands LeaseKeeper::acquire_or_wait(Time now) {
  if (!seen_.holder.empty()) {
    // Our own name is an earlier run of us, or our own term that ended: nobody renews it any more,
    // but its last writes may still be under way.
    const bool ours = seen_.holder == options_.identity;
    const auto duration =
        std::max<Duration>(std::chrono::seconds(seen_.duration_seconds), std::chrono::seconds(1));
    const auto last_sign = ours ? std::max(*seen_at_, ended_at_.value_or(*seen_at_)) : *seen_at_;
    const auto writes_end = options_.write_deadline - options_.fence;  // after the Lease's own end
    const auto over =
        last_sign + (ours ? options_.write_deadline : duration + std::max(writes_end, Duration{}));
    if (now < over) {
      // What is seen late is waited for from then on.
      next_tick_ = std::min(now + options_.renew_every / 2, over);
      return {};
    }
  }
  busy_ = Busy::writing;
  sent_at_ = now;
  // A Lease that was made anew may count from the beginning; this candidate's epochs never go back.
  return {held_by_us(std::max(seen_.transitions, epoch_) + 1, now, now)};
}

PutLease LeaseKeeper::held_by_us(std::int32_t transitions, Time acquired, Time now) const {
  Lease lease = seen_;
  lease.meta.namespace_name = options_.lease.namespace_name;
  lease.meta.name = options_.lease.name;
  lease.holder = options_.identity;
  lease.duration_seconds =
      static_cast<std::int32_t>(std::chrono::ceil<std::chrono::seconds>(options_.duration).count());
  lease.transitions = transitions;
  lease.acquired = acquired;
  lease.renewed = now;
  return {options_.lease, seen_.meta.resource_version, std::move(lease)};
}

LeaseKeeper::Commands LeaseKeeper::written(const WriteOutcome& outcome, Time now) {
  const auto* lease = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  if (lease == nullptr) {
    // Lost to another, or unknown: read what is there now. The old term ends by its own time.
    in_doubt_ = true;
    next_tick_ = now + options_.renew_every / 2;
    const bool lost = !outcome && (outcome.error().code == ErrorCode::conflict ||
                                   outcome.error().code == ErrorCode::not_found);
    if (!lost || !leading_until_) return {};
    busy_ = Busy::reading;
    return {ReadLease{options_.lease}};
  }
  in_doubt_ = false;
  seen_ = *lease;
  seen_at_ = now;
  if (lease->holder != options_.identity) {
    end_term(now);
    return {};
  }
  epoch_ = lease->transitions;
  // The term counts from when the renewal was sent, not from when it was answered.
  leading_until_ = sent_at_.value_or(now) + options_.duration - options_.fence;
  return {};
}

LeaseKeeper::Commands LeaseKeeper::release(Time now, Duration rest) {
  if (busy_ != Busy::no || !may_write(now)) return {};
  end_term(now);
  next_tick_ = std::max(next_tick_, now + rest);
  if (!in_doubt_) return give_back(now);
  busy_ = Busy::reading;
  releasing_ = true;
  return {ReadLease{options_.lease}};
}

LeaseKeeper::Commands LeaseKeeper::give_back(Time now) {
  auto put = held_by_us(seen_.transitions, seen_.acquired.value_or(now), now);
  put.value.holder.clear();
  put.value.duration_seconds = 1;
  busy_ = Busy::writing;
  sent_at_ = now;
  return {std::move(put)};
}

}  // namespace dray::engine
