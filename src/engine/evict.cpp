#include <algorithm>
#include <utility>

#include "engine/state.h"

// Taking back: carries the evictions that a plan asks for.

namespace dray::engine {
namespace {

/// A pod that the API server would not evict is not asked for again so soon.
constexpr Duration refusal_cooldown = std::chrono::seconds(60);

/// Before evictions that things have overtaken are thought of again.
constexpr Duration stale_plan_pause = std::chrono::milliseconds(100);

/// How long room is kept for the pods that a controller makes in place of those that were moved.
constexpr Duration moved_room_life = std::chrono::minutes(1);

}  // namespace

void Engine::State::take_evictions(const planner::Plan& plan, Time now) {
  std::map<Uid, std::vector<const planner::Eviction*>> by_beneficiary;
  for (const auto& eviction : plan.evictions) {
    if (!eviction.beneficiary) {
      start_evictions({&eviction}, now);
    } else {
      by_beneficiary[*eviction.beneficiary].push_back(&eviction);
    }
  }
  for (const auto& [beneficiary, evictions] : by_beneficiary) start_evictions(evictions, now);
}

/// Things moved since the plan was made: a victim that is not there any more, or that is being
/// bound right now, spoils the set.
bool Engine::State::may_evict(const planner::Eviction& eviction) const {
  if (!book.find(eviction.job)) return false;
  if (eviction.beneficiary && !book.find(*eviction.beneficiary)) return false;
  return std::ranges::all_of(eviction.pods, [this](const Uid& uid) {
    if (evicting.contains(uid) || bindings.contains(uid) || gang_of.contains(uid)) return false;
    const auto pod = cluster.pod(uid);
    return pod && !pod->meta.deleted && !pod->finished();
  });
}

void Engine::State::start_evictions(const std::vector<const planner::Eviction*>& evictions,
                                    Time now) {
  const bool sound = std::ranges::all_of(
      evictions, [this](const planner::Eviction* eviction) { return may_evict(*eviction); });
  if (!sound) return plan_again_at(now + stale_plan_pause);
  const auto id = next_eviction_set++;
  std::vector<EvictionSet::Victim> victims;
  std::vector<planner::Eviction> kept;
  for (const auto* eviction : evictions) {
    kept.push_back(*eviction);
    for (const auto& uid : eviction->pods) {
      evicting[uid] = id;
      book.touch(uid);
      const auto pod = cluster.pod(uid);
      // What is merely reserved is given back, without a word to the API server.
      if (pod->node_name) victims.push_back({pod->key(), uid});
    }
  }
  auto& run =
      eviction_runs
          .try_emplace(id, EvictionRun{EvictionSet(std::move(victims), now), std::move(kept), {}})
          .first->second;
  const auto commands = run.set.start();
  carry_evictions(id, commands, now);
}

void Engine::State::carry_evictions(std::uint64_t id, const EvictionSet::Commands& commands,
                                    Time now) {
  for (const auto& command : commands) send(command.write, ForEviction{id, command.token});
  const auto run = eviction_runs.find(id);
  if (run == eviction_runs.end()) return;
  if (run->second.set.committed()) give_back_reservations(id);
  if (run->second.set.finished()) return settle_evictions(id, now);
  arm_evictions(id, run->second.set.next_tick());
}

void Engine::State::give_back_reservations(std::uint64_t id) {
  for (const auto& eviction : eviction_runs.at(id).evictions) {
    for (const auto& uid : eviction.pods) {
      const auto found = tracks.find(uid);
      if (found == tracks.end() || !found->second.reservation) continue;
      if (bindings.contains(uid) || gang_of.contains(uid)) continue;
      evicting.erase(uid);
      found->second.told_no = true;
      release(found->second);
    }
  }
}

void Engine::State::settle_evictions(std::uint64_t id, Time now) {
  arm_evictions(id, std::nullopt);
  const auto entry = eviction_runs.extract(id);
  const auto& [set, evictions, timer] = entry.mapped();
  const auto refused = set.refused();
  counts.evictions_refused += refused.size();
  const bool none_went = set.result() == EvictionSet::Result::refused;
  if (!none_went) counts.evictions += set.victims().size() - refused.size();
  for (const auto& uid : refused) budgets.refused(uid, now + refusal_cooldown);
  for (const auto& eviction : evictions) {
    if (!none_went) remember_evicted(eviction, now);
    for (const auto& uid : eviction.pods) {
      const bool stays = none_went || std::ranges::find(refused, uid) != refused.end();
      if (stays) evicting.erase(uid);
      book.touch(uid);
      // Told also of a pod that is gone by now: its owner has no other word of why.
      const auto victim = std::ranges::find(set.victims(), uid, &EvictionSet::Victim::uid);
      if (stays || victim == set.victims().end()) continue;
      send(RecordEvent{victim->pod,
                       uid,
                       {.type = "Warning",
                        .reason = std::string(name(eviction.cause)),
                        .action = "Evicting",
                        .note = "dray: " + eviction.detail}});
    }
    // Nobody gets the room: what was held for it is anybody's again.
    if (none_went && eviction.beneficiary) holds.erase(*eviction.beneficiary);
    if (none_went) holds.erase(eviction.job);
  }
  plan_wanted = true;
}

void Engine::State::remember_evicted(const planner::Eviction& eviction, Time now) {
  const auto job = book.find(eviction.job);
  if (!job) return;
  if (!eviction.moved.empty()) {
    moved[job->lineage] = {eviction.moved, now + moved_room_life};
  }
  const bool goes_on = eviction.moved.size() == eviction.pods.size();
  const auto taker = eviction.beneficiary && !goes_on ? book.find(*eviction.beneficiary) : nullptr;
  book.evicted(*job, taker.get(), now);
}

void Engine::State::arm_evictions(std::uint64_t id, std::optional<Time> at) {
  auto& timer = eviction_runs.at(id).timer;
  if (timer) eviction_timers.erase({*timer, id});
  timer = at;
  if (at) eviction_timers.insert({*at, id});
}

}  // namespace dray::engine
