#include "dray/engine/lease.h"

#include <algorithm>
#include <utility>

namespace dray::engine {

LeaseKeeper::LeaseKeeper(Options options) : options_(std::move(options)) {}

LeaseKeeper::Commands LeaseKeeper::tick(Time now) {
  if (leading_until_ && now >= *leading_until_) leading_until_.reset();
  if (busy_ != Busy::no || now < next_tick_) return {};
  next_tick_ = now + options_.renew_every;
  if (!leading_until_) {
    busy_ = Busy::reading;
    return {ReadLease{options_.lease}};
  }
  busy_ = Busy::writing;
  sent_at_ = now;
  return {held_by_us(seen_.transitions, seen_.acquired.value_or(now), now)};
}

LeaseKeeper::Commands LeaseKeeper::step(const WriteOutcome& outcome, Time now) {
  const auto was = std::exchange(busy_, Busy::no);
  return was == Busy::reading ? read(outcome, now) : written(outcome, now);
}

LeaseKeeper::Commands LeaseKeeper::read(const WriteOutcome& outcome, Time now) {
  const bool absent = !outcome && outcome.error().code == ErrorCode::not_found;
  if (!outcome && !absent) return {};
  const auto* found = outcome ? std::get_if<Lease>(&*outcome) : nullptr;
  const Lease lease = found != nullptr ? *found : Lease{};
  if (!seen_at_ || lease.holder != seen_.holder || lease.renewed != seen_.renewed ||
      lease.transitions != seen_.transitions) {
    seen_at_ = now;
  }
  seen_ = lease;
  return acquire_or_wait(now);
}

LeaseKeeper::Commands LeaseKeeper::acquire_or_wait(Time now) {
  const bool free = seen_.holder.empty() || seen_.holder == options_.identity;
  if (!free) {
    const auto duration =
        std::max<Duration>(std::chrono::seconds(seen_.duration_seconds), std::chrono::seconds(1));
    const auto over = *seen_at_ + duration + options_.write_deadline;
    if (now < over) {
      next_tick_ = std::min(now + options_.renew_every, over);
      return {};
    }
  }
  busy_ = Busy::writing;
  sent_at_ = now;
  return {held_by_us(seen_.transitions + 1, now, now)};
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
    next_tick_ = now + options_.renew_every / 2;
    if (!outcome && outcome.error().code == ErrorCode::conflict) leading_until_.reset();
    return {};
  }
  seen_ = *lease;
  seen_at_ = now;
  if (lease->holder != options_.identity) {
    leading_until_.reset();
    return {};
  }
  epoch_ = lease->transitions;
  // The term counts from when the renewal was sent, not from when it was answered.
  leading_until_ = sent_at_.value_or(now) + options_.duration - options_.fence;
  return {};
}

LeaseKeeper::Commands LeaseKeeper::release(Time now) {
  if (busy_ != Busy::no || !may_write(now)) return {};
  leading_until_.reset();
  auto put = held_by_us(seen_.transitions, seen_.acquired.value_or(now), now);
  put.value.holder.clear();
  put.value.duration_seconds = 1;
  busy_ = Busy::writing;
  sent_at_ = now;
  return {std::move(put)};
}

}  // namespace dray::engine
