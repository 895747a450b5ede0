#include "tests/dst/odd_storm.h"

#include <chrono>
#include <variant>

#include "dray/engine/write_class.h"

namespace dray::dst {

using sim::Fate;

namespace {

/// It is written to have kube-scheduler look at a pod again.
bool wakes(const engine::Write& write) {
  const auto* condition = std::get_if<engine::SetPodCondition>(&write);
  return std::holds_alternative<engine::AnnotatePod>(write) ||
         (condition != nullptr && condition->wakes);
}

}  // namespace

Duration OddStorm::watch_delay(sim::Client client, Kind kind) {
  auto most = Duration{};
  if (client == sim::Client::dray && kind == Kind::pod) most = bias_.pods_seen;
  if (client == sim::Client::dray && kind == Kind::resource_claim) most = bias_.claims_seen;
  if (client == sim::Client::controller && kind == Kind::pod) most = bias_.pods_managed;
  if (healed_ || most == Duration{}) return Storm::watch_delay(client, kind);
  return dice_.up_to(most);
}

Duration OddStorm::write_delay() {
  if (const auto way = std::exchange(way_, std::nullopt)) return *way;
  return Storm::write_delay();
}

Duration OddStorm::call_delay() {
  if (healed_ || bias_.calls == Duration{}) return Storm::call_delay();
  return dice_.up_to(bias_.calls);
}

Duration OddStorm::plan_delay() {
  if (healed_ || bias_.plans == Duration{}) return Storm::plan_delay();
  return dice_.up_to(bias_.plans);
}

Duration OddStorm::late_by() {
  if (bias_.bindings_late == 0) return Storm::late_by();
  return dice_.up_to(std::chrono::seconds(8));
}

Fate OddStorm::call_fate() {
  if (healed_ || bias_.calls_unanswered == 0) return Storm::call_fate();
  return dice_.chance(bias_.calls_unanswered) ? Fate::unanswered : Fate::delivered;
}

std::optional<Fate> OddStorm::lease_fate(std::size_t replica, const engine::Write& write) {
  if (lease_is_cut_) return Fate::lost;
  if (!std::holds_alternative<engine::PutLease>(write)) return std::nullopt;
  if (const auto told = renewed_) told(replica);  // which may ask for something else
  if (bias_.renewals_unanswered > 0 && dice_.chance(bias_.renewals_unanswered)) {
    return Fate::unanswered;
  }
  return std::nullopt;
}

/// Who is refused while an earlier binding is on its way has to be given up with care.
std::optional<Fate> OddStorm::binding_fate(const engine::BindPod& bind) {
  if (bias_.bindings_refused > 0 && dice_.chance(bias_.bindings_refused)) return Fate::invalid;
  if (bias_.bindings_late == 0) return std::nullopt;
  if (in_doubt_.contains(bind.uid) && dice_.chance(70)) return Fate::invalid;
  if (!dice_.chance(bias_.bindings_late)) return std::nullopt;
  in_doubt_.insert(bind.uid);
  return Fate::late;
}

Duration OddStorm::way_of(const engine::Write& write) {
  if (std::holds_alternative<engine::EvictPod>(write)) return bias_.evictions;
  const bool of_claim = std::holds_alternative<engine::AllocateClaim>(write) ||
                        std::holds_alternative<engine::ReserveClaim>(write);
  return of_claim ? bias_.claim_writes : Duration{};
}

Fate OddStorm::write_fate(std::size_t replica, const engine::Write& write) {
  if (healed_) return Storm::write_fate(replica, write);
  if (engine::is_lease_write(write)) {
    return lease_fate(replica, write).value_or(Storm::write_fate(replica, write));
  }
  if (const auto most = way_of(write); most != Duration{}) {
    way_ = most / 2 + dice_.up_to(most / 2);
  }
  if (wake_ups_ && wakes(write)) return *wake_ups_;
  if (bias_.wake_ups_lost > 0 && wakes(write) && dice_.chance(bias_.wake_ups_lost)) {
    return dice_.chance(50) ? Fate::lost : Fate::refused;
  }
  const bool allocates = std::holds_alternative<engine::AllocateClaim>(write);
  if (allocates && bias_.allocations_late > 0 && dice_.chance(bias_.allocations_late)) {
    return Fate::late;
  }
  const auto* bind = std::get_if<engine::BindPod>(&write);
  const auto fate = bind == nullptr ? std::nullopt : binding_fate(*bind);
  return fate.value_or(Storm::write_fate(replica, write));
}

}  // namespace dray::dst
