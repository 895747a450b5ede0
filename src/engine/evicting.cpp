#include <algorithm>
#include <map>
#include <utility>

#include "engine/router.h"

// Evictions that a plan asks for, and what they ask of others.

namespace dray::engine {

void Engine::Router::take_evictions(const planner::Plan& plan, Time now) {
  admission_.jobs().refresh(now);
  std::map<Uid, std::vector<planner::Eviction>> by_beneficiary;
  for (const auto& eviction : plan.evictions) {
    if (!eviction.beneficiary) {
      start_evictions({eviction}, now);
    } else {
      by_beneficiary[*eviction.beneficiary].push_back(eviction);
    }
  }
  for (auto& [beneficiary, evictions] : by_beneficiary) start_evictions(std::move(evictions), now);
}

void Engine::Router::start_evictions(std::vector<planner::Eviction> evictions, Time now) {
  const bool sound = std::ranges::all_of(
      evictions, [this](const planner::Eviction& eviction) { return may_evict(eviction); });
  if (!sound) return plans_.want_at(now + PlanCycle::retry_pause);
  carry(evictions_.start(std::move(evictions), now), now);
}

/// Things moved since the plan was made: a victim that is not there any more, or that is being
/// bound right now, spoils the set; so does a beneficiary that has its place meanwhile.
bool Engine::Router::may_evict(const planner::Eviction& eviction) const {
  if (!admission_.jobs().find(eviction.job) || !is_needed(eviction)) return false;
  return std::ranges::all_of(eviction.pods, [this](const Uid& uid) {
    if (evictions_.evicting(uid) || binds_.contains(uid) || gangs_.has_member(uid)) return false;
    const auto pod = cluster_.pod(uid);
    // Bound, and the watch has yet to show it: it holds more than a reservation to be given back.
    const auto* life = pod ? pods_.find(pod->key(), uid) : nullptr;
    if (life != nullptr && life->fixed()) return false;
    return pod && !pod->meta.deleted && !pod->finished();
  });
}

/// Whom it makes room for still waits for a place.
bool Engine::Router::is_needed(const planner::Eviction& eviction) const {
  if (!eviction.beneficiary) return true;
  const auto taker = admission_.jobs().find(*eviction.beneficiary);
  return taker && std::ranges::any_of(taker->members, planner::waits, &planner::Member::state);
}

void Engine::Router::on(const ForEviction& purpose, const WriteOutcome& outcome, Time now) {
  admission_.jobs().refresh(now);
  carry(evictions_.step(purpose.set, purpose.token, outcome, now), now);
}

void Engine::Router::on(const GiveUpVictim& command, Time now) {
  // From here on it waits, or stays: one that was bound meanwhile is asked for by the next plan.
  evictions_.forget(command.pod);
  admission_.jobs().touch(command.pod);
  const auto* pod = pods_.find(command.pod);
  if (pod == nullptr || !pod->reservation || pod->fixed()) return;
  if (binds_.contains(command.pod) || gangs_.has_member(command.pod)) return;
  carry(pods_.give_up(command.pod), now);
}

void Engine::Router::on(const EvictionRefused& command, Time /*now*/) {
  admission_.budgets().refused(command.pod, command.until);
}

void Engine::Router::on(const JobEvicted& command, Time now) {
  const auto& eviction = command.eviction;
  auto& jobs = admission_.jobs();
  const auto job = jobs.find(eviction.job);
  if (!job) return;
  if (!eviction.moved.empty()) room_.moved(job->lineage, eviction.moved, now);
  if (eviction.beneficiary) jobs.made_room_for(*eviction.beneficiary);
  const bool goes_on = eviction.moved.size() == eviction.pods.size();
  const auto taker = eviction.beneficiary && !goes_on ? jobs.find(*eviction.beneficiary) : nullptr;
  jobs.evicted(*job, taker.get(), command.since, now);
}

void Engine::Router::on(const ReservationEnded& command, Time now) {
  if (command.refused) admission_.jobs().place_refused(command.pod, now);
  release_gang_of(command.pod, now);
}

void Engine::Router::on(const HoldEnded& command, Time /*now*/) {
  room_.end_hold(command.job);
}

}  // namespace dray::engine
