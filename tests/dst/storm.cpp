#include "tests/dst/storm.h"

#include <variant>

#include "dray/engine/write_class.h"

namespace dray::dst {

using sim::Fate;
using std::chrono::milliseconds;
using std::chrono::seconds;

Duration Storm::watch_delay(sim::Client client, Kind kind) {
  if (healed_ || !faults_.slow_watches) return Weather::watch_delay(client, kind);
  // Now and then one kind is far behind the others.
  return dice_.chance(5) ? dice_.up_to(seconds(2)) : dice_.up_to(milliseconds(20));
}

Duration Storm::list_delay(sim::Client client, Kind kind) {
  if (healed_ || !faults_.slow_lists) return Weather::list_delay(client, kind);
  return dice_.up_to(seconds(3));
}

std::optional<Duration> Storm::watch_breaks(sim::Client /*client*/, Kind /*kind*/) {
  if (healed_ || !faults_.broken_watches || !dice_.chance(2)) return std::nullopt;
  return dice_.up_to(seconds(3));
}

Duration Storm::send_delay() {
  if (healed_ || !faults_.slow_writes) return Weather::send_delay();
  return dice_.up_to(milliseconds(50));
}

Duration Storm::write_delay() {
  if (healed_ || !faults_.slow_writes) return Weather::write_delay();
  return dice_.chance(5) ? dice_.up_to(milliseconds(800)) : dice_.up_to(milliseconds(20));
}

Duration Storm::policy_lag() {
  if (healed_ || !faults_.slow_watches) return Weather::policy_lag();
  return dice_.up_to(milliseconds(500));
}

/// The Lease is not spared, but an hour of bad luck would show nothing.
Fate Storm::lease_fate() {
  if (faults_.lost_writes && dice_.chance(4)) return Fate::lost;
  if (faults_.unanswered_writes && dice_.chance(4)) return Fate::unanswered;
  if (faults_.overload && dice_.chance(4)) return Fate::overloaded;
  return Fate::delivered;
}

std::optional<Fate> Storm::bad_answer(const engine::Write& write) {
  if (faults_.refused_writes && dice_.chance(3)) {
    ++seen_.refused_writes;
    return dice_.chance(50) ? Fate::refused : Fate::invalid;
  }
  if (faults_.overload && dice_.chance(10)) {
    ++seen_.overloads;
    return dice_.chance(75) ? Fate::overloaded : Fate::gateway;
  }
  if (faults_.lost_writes && dice_.chance(5)) {
    ++seen_.lost_writes;
    return Fate::lost;
  }
  if (faults_.unanswered_writes && dice_.chance(5)) {
    seen_.unanswered_binds += std::holds_alternative<engine::BindPod>(write) ? 1 : 0;
    seen_.unanswered_allocations += std::holds_alternative<engine::AllocateClaim>(write) ? 1 : 0;
    return Fate::unanswered;
  }
  // Whose allocation is under way, and who is refused then, has to be given up with care.
  const auto* allocate = std::get_if<engine::AllocateClaim>(&write);
  if (allocate != nullptr && in_doubt_.contains(allocate->claim) && dice_.chance(60)) {
    return Fate::invalid;
  }
  if (faults_.late_writes && dice_.chance(allocate != nullptr ? 10 : 5)) {
    ++seen_.late_writes;
    if (allocate != nullptr) in_doubt_.insert(allocate->claim);
    return Fate::late;
  }
  return std::nullopt;
}

/// What an admission policy of the cluster's own says no to, whatever the weather.
std::optional<Fate> Storm::doom(const engine::Write& write) {
  if (!faults_.doomed) return std::nullopt;
  if (const auto* allocate = std::get_if<engine::AllocateClaim>(&write)) {
    if (!allocate->claim.name.starts_with(doomed_prefix)) return std::nullopt;
    ++seen_.doomed_writes;
    return Fate::invalid;
  }
  if (const auto* lift = std::get_if<engine::LiftGate>(&write)) {
    if (lift->pod.name != doomed_gate) return std::nullopt;
    ++seen_.doomed_lifts;
    return Fate::invalid;
  }
  if (const auto* release = std::get_if<engine::ReleaseClaim>(&write)) {
    if (!release->claim.name.starts_with(kept_prefix)) return std::nullopt;
    ++seen_.doomed_releases;
    return Fate::refused;
  }
  const auto* bind = std::get_if<engine::BindPod>(&write);
  const bool refuses = bind != nullptr && bind->pod.name == kept_prefix && !healed_;
  return refuses ? std::optional(Fate::invalid) : std::nullopt;
}

Fate Storm::write_fate(std::size_t /*replica*/, const engine::Write& write) {
  if (const auto fate = doom(write)) return *fate;
  if (healed_) return Fate::delivered;
  if (engine::is_lease_write(write)) return lease_fate();
  return bad_answer(write).value_or(Fate::delivered);
}

Fate Storm::call_fate() {
  if (healed_ || !faults_.lost_calls || !dice_.chance(8)) return Fate::delivered;
  ++seen_.lost_calls;
  return dice_.chance(50) ? Fate::lost : Fate::unanswered;
}

Duration Storm::plan_delay() {
  if (healed_ || !faults_.slow_plans) return Weather::plan_delay();
  return dice_.up_to(milliseconds(500));
}

}  // namespace dray::dst
