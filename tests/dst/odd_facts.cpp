#include "tests/dst/odd_facts.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>

#include "dray/engine/write_class.h"
#include "tests/dst/facts.h"
#include "tests/dst/room.h"

namespace dray::dst {
namespace {

/// Of the default options of a LeaseKeeper: its duration less the fence.
constexpr Duration term_length = std::chrono::seconds(10);

/// A renewal that its sender knows of makes the term longer; one that comes too late ends it.
void learn_lease(Facts& facts, const sim::ApiRequest& request, const sim::ApiReply& reply) {
  const auto* lease = reply.outcome ? std::get_if<Lease>(&*reply.outcome) : nullptr;
  if (lease == nullptr || !lease->renewed || lease->holder.empty()) return;
  if (lease->holder != "dray-" + std::to_string(request.replica)) return;
  const bool put = std::holds_alternative<engine::PutLease>(request.write);
  auto known = facts.odd.terms.find(lease->transitions);
  if (known == facts.odd.terms.end()) {
    // An earlier run's, where it was only read.
    if (put) facts.odd.terms[lease->transitions] = {*lease->renewed + term_length, false};
    return;
  }
  auto& term = known->second;
  if (facts.now() >= term.ends) term.over = true;
  if (!term.over) term.ends = std::max(term.ends, *lease->renewed + term_length);
}

}  // namespace

std::string who_and_what(const sim::ApiRequest& request) {
  return request.field_manager + " " + std::string(engine::name(request.write)) + " " +
         engine::subject(request.write);
}

const Uid* woken_by(const engine::Write& write) {
  if (const auto* annotates = std::get_if<engine::AnnotatePod>(&write)) return &annotates->uid;
  const auto* sets = std::get_if<engine::SetPodCondition>(&write);
  return sets != nullptr && sets->wakes ? &sets->uid : nullptr;
}

void learn_odd(Facts& facts, const Commit& commit) {
  auto& odd = facts.odd;
  if (commit.binds()) {
    odd.queue_of[commit.pod->meta.uid] = queue_name(*commit.pod);
    odd.bound_at[commit.pod->meta.uid] = facts.now();
    odd.woken.erase(commit.pod->meta.uid);
    odd.sent_away.erase(commit.pod->meta.name);
  }
  if (commit.pod != nullptr && commit.pod->finished()) {
    odd.finished_at.emplace(commit.pod->meta.uid, facts.now());
  }
  if (const auto* group = std::get_if<PodGroup>(&*commit.event.object)) {
    odd.groups_gone.erase(group->meta.name);
    const bool gone = commit.event.type == sim::WatchEvent::Type::deleted;
    if (gone) odd.groups_gone[group->meta.name] = facts.now();
  }
  if (const auto* lease = std::get_if<Lease>(&*commit.event.object)) {
    odd.leased = {*lease, facts.now(), facts.loop.counts().replicas_started};
  }
}

void learn_decided(Facts& facts, const sim::ApiRequest& request) {
  const auto* lifts = std::get_if<engine::LiftGate>(&request.write);
  if (lifts != nullptr) facts.odd.lifted.insert(lifts->uid);
}

void learn_sent(Facts& facts, const sim::ApiRequest& request) {
  facts.odd.last_sent[who_and_what(request)] = facts.now();
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  if (evicts != nullptr && !evicts->dry_run) {
    facts.odd.sent_away.emplace(evicts->pod.name, facts.now());
  }
  if (const auto* pod = woken_by(request.write)) facts.odd.woken.erase(*pod);
}

void learn_told(Facts& facts, const sim::ApiRequest& request, const sim::ApiReply& reply) {
  if (engine::is_lease_write(request.write)) return learn_lease(facts, request, reply);
  const auto* binds = std::get_if<engine::BindPod>(&request.write);
  if (binds != nullptr && reply.outcome) {
    facts.odd.told_bound.emplace(request.field_manager, binds->uid);
  }
  const auto* pod = woken_by(request.write);
  if (pod == nullptr || facts.bound.contains(*pod)) return;
  if (!reply.outcome) facts.odd.woken[*pod] = {facts.now(), engine::subject(request.write)};
}

void learn_step(Facts& facts, const sim::EngineStep& step) {
  auto& odd = facts.odd;
  if (const auto* filter = std::get_if<sim::EngineStep::Filter>(&step.input)) {
    odd.asked_about[filter->request.pod.meta.uid] = facts.now();
    odd.woken.erase(filter->request.pod.meta.uid);
  }
  if (const auto* bind = std::get_if<sim::EngineStep::Bind>(&step.input)) {
    odd.open_binds[bind->id] = facts.now();
  }
  for (const auto& effect : step.effects) {
    const auto* answer = std::get_if<engine::AnswerBind>(&effect);
    if (answer != nullptr) odd.open_binds.erase(answer->request);
  }
}

}  // namespace dray::dst
