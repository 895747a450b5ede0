#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>

#include "dray/engine/write_class.h"
#include "tests/dst/invariants.h"
#include "tests/dst/room.h"
#include "tests/objects/devices.h"

// Rules that are asked in odd seeds only, where little else goes wrong.

namespace dray::dst {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// So long a change takes until dray has heard of it, where its watches are quick.
constexpr Duration soon = milliseconds(20);

std::string in_its_own_queue(const Facts& facts, const Commit& commit) {
  if (!commit.binds() || commit.by == nullptr || !facts.odd.policy) return {};
  const auto& pod = *commit.pod;
  for (const auto& queue : facts.odd.policy->queues) {
    if (queue.name.get() != queue_name(pod) || queue.namespaces.empty()) continue;
    if (std::ranges::find(queue.namespaces, pod.meta.namespace_name) != queue.namespaces.end()) {
      continue;
    }
    return fmt::format("pod {} runs in queue {}, which is for others", pod.meta.name,
                       queue.name.get());
  }
  return {};
}

/// Nobody can say any more who has to start with it.
std::string its_group_is_there(const Facts& facts, const Commit& commit) {
  if (!commit.binds() || commit.by == nullptr || !commit.pod->pod_group) return {};
  const auto gone = facts.odd.groups_gone.find(*commit.pod->pod_group);
  if (gone == facts.odd.groups_gone.end() || facts.now() - gone->second <= soon) return {};
  return "pod " + commit.pod->meta.name + " is bound, and its group is not there";
}

// ---- The Lease

std::string term_goes_on(const Facts& facts, const Commit& commit) {
  const auto* lease = std::get_if<Lease>(&*commit.event.object);
  const auto& before = facts.odd.leased;
  if (!facts.odd.strict.terms || lease == nullptr || !before) return {};
  // Whose first answer was lost does not know of its term, and begins another.
  if (!facts.odd.terms.contains(before->lease.transitions)) return {};
  const bool same = before->lease.holder == lease->holder && !lease->holder.empty() &&
                    before->starts == facts.loop.counts().replicas_started;
  if (!same || before->lease.transitions == lease->transitions) return {};
  if (facts.now() - before->at > seconds(12)) return {};
  return "the term of " + lease->holder + " ends though its renewals land";
}

/// A write is refused when it lands under a later epoch; but it may do so before the policies see
/// that, and after the claims were listed by who leads then.
std::string no_term_over_writes(const Facts& facts, const Commit& commit) {
  const auto* lease = std::get_if<Lease>(&*commit.event.object);
  const auto& before = facts.odd.leased;
  if (lease == nullptr || !before || before->lease.transitions == lease->transitions) return {};
  for (const auto& request : facts.loop.network().under_way()) {
    if (request.field_manager.empty() || epoch_of(request.field_manager) >= lease->transitions) {
      continue;
    }
    const auto sent = facts.odd.last_sent.find(who_and_what(request));
    const bool is_late = sent == facts.odd.last_sent.end() ||
                         facts.now() - sent->second >= engine::write_deadline - milliseconds(100);
    if (is_late || std::holds_alternative<engine::EvictPod>(request.write)) continue;
    return fmt::format("epoch {} begins while {} may be on its way", lease->transitions,
                       who_and_what(request));
  }
  return {};
}

std::string within_its_term(const Facts& facts, const sim::ApiRequest& request) {
  if (request.field_manager.empty()) return {};
  const auto term = facts.odd.terms.find(epoch_of(request.field_manager));
  if (term == facts.odd.terms.end()) return {};
  if (!term->second.over && facts.now() <= term->second.ends) return {};
  return who_and_what(request) + " is sent after its term";
}

// ---- Gates

std::int64_t gpus_of(const Pod& pod, const sim::ApiServer& server) {
  std::int64_t gpus = 0;
  for (const auto* claim : claims_of(pod, server)) {
    if (claim == nullptr) continue;
    for (const auto& request : claim->spec.requests) gpus += wanted(request);
  }
  return gpus;
}

/// What bound pods of the queue have, but for this one's claims.
std::int64_t gpus_in_use(const Facts& facts, const std::string& queue) {
  std::int64_t used = 0;
  for (const auto& [uid, pod] : facts.pods) {
    const auto of = facts.odd.queue_of.find(uid);
    if (of == facts.odd.queue_of.end() || of->second != queue) continue;
    if (!pod.finished() && !pod.meta.deleted) used += gpus_of(pod, facts.server());
  }
  return used;
}

/// Judged by what is so when it is decided; a lift that failed is tried again.
std::string lifted_for_a_place(const Facts& facts, const sim::ApiRequest& request) {
  const auto* lifts = std::get_if<engine::LiftGate>(&request.write);
  if (!facts.odd.strict.lifts || lifts == nullptr || facts.odd.lifted.contains(lifts->uid)) {
    return {};
  }
  if (facts.odd.no_node_since && facts.now() - *facts.odd.no_node_since > soon) {
    return "the gate of " + lifts->pod.to_string() + " goes while no node takes pods";
  }
  const auto pod = facts.pods.find(lifts->uid);
  if (pod == facts.pods.end() || !facts.odd.policy) return {};
  for (const auto& queue : facts.odd.policy->queues) {
    const auto limit = queue.limit.find("gpu");
    if (queue.name.get() != queue_name(pod->second) || limit == queue.limit.end()) continue;
    const auto used = gpus_in_use(facts, queue.name.get());
    const auto wants = gpus_of(pod->second, facts.server());
    if (used + wants <= limit->second->value()) continue;
    return fmt::format("the gate of {} goes, with {} gpus, where queue {} has {} of {}",
                       lifts->pod.to_string(), wants, queue.name.get(), used,
                       limit->second->value());
  }
  return {};
}

// ---- Places

/// It needs no place any more, and has what it has for good.
std::string keeps_its_place(const Facts& facts, const sim::ApiRequest& request) {
  const auto* pod = woken_by(request.write);
  if (pod == nullptr || !facts.odd.told_bound.contains({request.field_manager, *pod})) return {};
  return engine::subject(request.write) + " is woken for a place, and is bound, as was answered";
}

// ---- Evictions

bool gains(const Pod& pod, const Pod& victim) {
  return queue_name(pod) != queue_name(victim) || pod.priority > victim.priority;
}

/// Devices of pods that have finished, as dray must have heard.
std::int64_t about_to_be_free(const Facts& facts) {
  std::int64_t devices = 0;
  for (const auto& [uid, claim] : facts.claims) {
    if (!claim.allocation || claim.reserved_for.empty()) continue;
    const bool done = std::ranges::all_of(claim.reserved_for, [&](const ClaimConsumer& user) {
      const auto since = facts.odd.finished_at.find(user.uid);
      return since != facts.odd.finished_at.end() && facts.now() - since->second > soon;
    });
    if (done) devices += std::ssize(claim.allocation->devices);
  }
  return devices;
}

std::string nobody_else_has_to_go(const Facts& facts, const sim::ApiRequest& request) {
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  if (!facts.odd.strict.evictions || evicts == nullptr) return {};
  const auto victim = facts.pods.find(evicts->uid);
  if (victim == facts.pods.end() || victim->second.meta.deleted) return {};
  std::int64_t wanted = 0;
  for (const auto& [uid, pod] : facts.pods) {
    const auto bound = facts.odd.bound_at.find(uid);
    const bool just_now = bound != facts.odd.bound_at.end() && facts.now() - bound->second < soon;
    const bool waits = (!pod.node_name || just_now) && !pod.meta.deleted && !pod.finished();
    if (waits && gains(pod, victim->second)) wanted += gpus_of(pod, facts.server());
  }
  const auto free = about_to_be_free(facts);
  if (wanted > free) return {};
  return fmt::format("pod {} is to go: {} gpus are waited for, {} are about to be free",
                     victim->second.meta.name, wanted, free);
}

/// Its devices are others', too, whom nobody may have evicted.
std::string leaves_something(const Facts& facts, const sim::ApiRequest& request) {
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  if (!facts.odd.strict.evictions || evicts == nullptr) return {};
  const auto victim = facts.pods.find(evicts->uid);
  if (victim == facts.pods.end()) return {};
  const auto stays = [&](const ClaimConsumer& user) {
    const auto other = facts.pods.find(user.uid);
    if (user.uid == evicts->uid || other == facts.pods.end() || !other->second.node_name) {
      return false;
    }
    return std::ranges::none_of(facts.pods, [&](const auto& entry) {
      return !entry.second.node_name && gains(entry.second, other->second);
    });
  };
  const auto claims = claims_of(victim->second, facts.server());
  const bool nothing = std::ranges::all_of(claims, [&](const ResourceClaim* claim) {
    return claim != nullptr && std::ranges::any_of(claim->reserved_for, stays);
  });
  if (!nothing) return {};
  return "pod " + victim->second.meta.name + " is to go, and others keep all that it has";
}

/// Evictions for a pod that kube-scheduler never takes come to an end.
std::string not_in_vain_for_ever(const Facts& facts, const sim::ApiRequest& request) {
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  const auto most = facts.odd.strict.evictions_in_vain;
  if (!most || evicts == nullptr || evicts->dry_run || facts.evicted.contains(evicts->uid)) {
    return {};
  }
  if (facts.evictions.size() < *most) return {};
  return fmt::format("pod {} is to go, and {} went in vain", evicts->pod.to_string(),
                     facts.evictions.size());
}

/// The API server tries an eviction for longer than other writes.
std::string evicted_once(const Facts& facts, const sim::ApiRequest& request) {
  const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
  if (evicts == nullptr) return {};
  for (const auto& other : facts.loop.network().under_way()) {
    const auto* first = std::get_if<engine::EvictPod>(&other.write);
    if (first == nullptr || first->uid != evicts->uid) continue;
    if (other.field_manager != request.field_manager) continue;
    const auto sent = facts.odd.last_sent.find(who_and_what(other));
    if (sent == facts.odd.last_sent.end() || facts.now() - sent->second > seconds(11)) continue;
    return "pod " + evicts->pod.to_string() + " is to go while that is being tried already";
  }
  return {};
}

}  // namespace

std::span<const CommitRule> odd_commit_rules() {
  static constexpr std::array rules{
      CommitRule{"I4", "who is of a group has one", its_group_is_there},
      CommitRule{"I16", "no pod runs in another's queue", in_its_own_queue},
      CommitRule{"I18", "a term goes on while it is renewed", term_goes_on},
      CommitRule{"I18", "no term begins over writes of another", no_term_over_writes},
  };
  return rules;
}

std::span<const RequestRule> odd_decision_rules() {
  static constexpr std::array rules{
      RequestRule{"I17", "a gate goes for a place", lifted_for_a_place},
      RequestRule{"I7", "who is bound keeps its place", keeps_its_place},
      RequestRule{"I12", "nobody goes for who has a place", nobody_else_has_to_go},
      RequestRule{"I12", "who goes leaves something", leaves_something},
      RequestRule{"I12", "nobody goes in vain for ever", not_in_vain_for_ever},
  };
  return rules;
}

std::span<const RequestRule> odd_sending_rules() {
  static constexpr std::array rules{
      RequestRule{"I18", "nothing is sent after a term", within_its_term},
      RequestRule{"I12", "an eviction is asked for once", evicted_once},
  };
  return rules;
}

}  // namespace dray::dst
