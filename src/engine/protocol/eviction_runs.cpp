#include "engine/protocol/eviction_runs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/base/check.h"

namespace dray::engine {

Commands EvictionRuns::start(std::vector<planner::Eviction> evictions, Time now) {
  Commands out;
  const auto id = next_set_++;
  std::vector<EvictionSet::Victim> bound;
  std::vector<Uid> reserved;
  for (const auto& eviction : evictions) {
    for (const auto& uid : eviction.pods) {
      victims_[uid] = id;
      out.emplace_back(JobChanged{uid});
      const auto pod = cluster_.pod(uid);
      DRAY_CHECK(pod != nullptr);
      // What is merely reserved is given back, without a word to the API server.
      if (pod->node_name) {
        bound.push_back({pod->key(), uid});
      } else {
        reserved.push_back(uid);
      }
    }
  }
  Run made{EvictionSet(std::move(bound), now), std::move(evictions), now, std::move(reserved)};
  auto& run = runs_.try_emplace(id, std::move(made)).first->second;
  auto more = carry(id, run.set.start(), now);
  std::ranges::move(more, std::back_inserter(out));
  return out;
}

Commands EvictionRuns::step(std::uint64_t set, EvictionSet::Token token,
                            const WriteOutcome& outcome, Time now) {
  const auto run = runs_.find(set);
  if (run == runs_.end()) return {};
  look(run->second);
  return carry(set, run->second.set.step(token, outcome, now), now);
}

Commands EvictionRuns::tick(Time now) {
  const auto id = timers_.take_due(now);
  if (!id) return {};
  auto& run = runs_.at(*id);
  look(run);
  return carry(*id, run.set.tick(now), now);
}

/// An eviction may be asked for long after it was decided: what became of its victims since, and of
/// who waited for their room.
void EvictionRuns::look(Run& run) const {
  const auto victims = run.set.victims();
  for (EvictionSet::Token token = 0; token < victims.size(); ++token) {
    const auto pod = cluster_.pod(victims[token].uid);
    if (!pod || pod->finished()) run.set.left(token);
  }
  if (std::ranges::none_of(run.evictions, needed_)) run.set.withdraw();
}

Commands EvictionRuns::reset() {
  Commands out;
  for (const auto& [uid, set] : std::exchange(victims_, {})) out.emplace_back(JobChanged{uid});
  runs_.clear();
  timers_.clear();
  return out;
}

Commands EvictionRuns::carry(std::uint64_t id, const EvictionSet::Commands& commands, Time now) {
  Commands out;
  for (const auto& command : commands) {
    out.emplace_back(Send{command.write, ForEviction{id, command.token}});
  }
  auto& run = runs_.at(id);
  if (run.set.committed()) {
    // Once: by the next step they may have another place.
    for (const auto& uid : std::exchange(run.reserved, {})) out.emplace_back(GiveUpVictim{uid});
  }
  if (run.set.finished()) {
    end(id, now, out);
  } else {
    timers_.arm(id, run.set.next_tick());
  }
  return out;
}

void EvictionRuns::end(std::uint64_t id, Time now, Commands& out) {
  timers_.arm(id, std::nullopt);
  const auto entry = runs_.extract(id);
  const auto& [set, evictions, since, reserved] = entry.mapped();
  const auto refused = set.refused();
  for (const auto& uid : refused) out.emplace_back(EvictionRefused{uid, now + refusal_cooldown});
  for (const auto& eviction : evictions) end(eviction, set, since, out);
  out.emplace_back(PlanNow{});
}

void EvictionRuns::end(const planner::Eviction& eviction, const EvictionSet& set, Time since,
                       Commands& out) {
  const auto refused = set.refused();
  const auto spared = set.spared();
  const bool none_went = set.result() == EvictionSet::Result::refused;
  auto& figures = figures_[static_cast<std::size_t>(eviction.cause)];
  if (!none_went) out.emplace_back(JobEvicted{eviction, since});
  for (const auto& uid : eviction.pods) {
    const bool would_not = std::ranges::find(refused, uid) != refused.end();
    const bool stays = none_went || would_not || std::ranges::find(spared, uid) != spared.end();
    if (would_not) ++figures.refused;
    if (stays) victims_.erase(uid);
    out.emplace_back(JobChanged{uid});
    // Told also of a pod that is gone by now: its owner has no other word of why.
    const auto victim = std::ranges::find(set.victims(), uid, &EvictionSet::Victim::uid);
    if (stays || victim == set.victims().end()) continue;
    ++figures.evicted;
    out.emplace_back(Send{RecordEvent{victim->pod,
                                      uid,
                                      {.type = "Warning",
                                       .reason = std::string(name(eviction.cause)),
                                       .action = "Evicting",
                                       .note = "dray: " + eviction.detail}},
                          ForNothing{}});
  }
  if (!none_went) return;
  // Nobody gets the room: what was held for it is anybody's again.
  if (eviction.beneficiary) out.emplace_back(HoldEnded{*eviction.beneficiary});
  out.emplace_back(HoldEnded{eviction.job});
}

}  // namespace dray::engine
