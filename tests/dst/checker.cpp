#include <algorithm>

#include <fmt/format.h>

#include "dray/engine/write_class.h"
#include "tests/dst/invariants.h"

// What is learned of commits, requests and answers, and when the rules are asked.

namespace dray::dst {

Checker::Checker(sim::ClusterLoop& loop) : loop_(loop), facts_(loop) {
  loop.set_observer([this](const sim::WatchEvent& event) { committed(event); });
  loop.set_bind_observer(
      [this](const auto& request, const auto& error) { bind_answered(request, error); });
  loop.network().set_observer(
      {.decided =
           [this](const sim::ApiRequest& request) {
             const auto* evicts = std::get_if<engine::EvictPod>(&request.write);
             if (evicts != nullptr) facts_.victims[evicts->uid] = facts_.now();
             ask(decision_rules(), request);
             if (!facts_.odd.on) return;
             ask(odd_decision_rules(), request);
             learn_decided(facts_, request);
           },
       .sent =
           [this](const sim::ApiRequest& request) {
             const auto subject = engine::subject(request.write);
             facts_.asked[subject] = facts_.now();
             ++facts_.sent[{std::string(engine::name(request.write)), subject}];
             ask(sending_rules(), request);
             if (!facts_.odd.on) return;
             ask(odd_sending_rules(), request);
             learn_sent(facts_, request);
           },
       .told =
           [this](const sim::ApiRequest& request, const sim::ApiReply& reply) {
             if (facts_.odd.on) learn_told(facts_, request, reply);
             if (!reply.outcome) return note_refusal(request, reply.outcome.error());
             const auto* claim = std::get_if<ResourceClaim>(&*reply.outcome);
             if (claim == nullptr) return;
             auto& told = facts_.told[{request.field_manager, claim->meta.uid}];
             if (number(told.meta.resource_version) < number(claim->meta.resource_version)) {
               told = *claim;
             }
           }});
}

void Checker::be_strict(const Strictness& strict) {
  facts_.odd.on = true;
  facts_.odd.strict = strict;
}

void Checker::note_refusal(const sim::ApiRequest& request, const Error& error) {
  if (error.code == ErrorCode::invalid || error.code == ErrorCode::denied) {
    facts_.refused[engine::subject(request.write)] = facts_.now();
  }
}

void Checker::ask(std::span<const RequestRule> rules, const sim::ApiRequest& request) {
  for (const auto& rule : rules) {
    const auto how = rule.broken(facts_, request);
    if (!how.empty()) violate(fmt::format("{}: {}", rule.number, how));
  }
}

void Checker::ask(std::span<const CommitRule> rules, const Commit& commit) {
  for (const auto& rule : rules) {
    const auto how = rule.broken(facts_, commit);
    if (!how.empty()) violate(fmt::format("{}: {}", rule.number, how));
  }
}

void Checker::committed(const sim::WatchEvent& event) {
  if (event.object == nullptr || violation_) return;
  Commit commit{.event = event, .by = facts_.loop.network().serving()};
  const bool gone = event.type == sim::WatchEvent::Type::deleted;
  if (const auto* claim = std::get_if<ResourceClaim>(&*event.object)) {
    const auto before = facts_.claims.find(claim->meta.uid);
    if (before != facts_.claims.end()) commit.claim_before = &before->second;
    if (!gone) commit.claim = claim;
  }
  if (const auto* pod = std::get_if<Pod>(&*event.object)) {
    const auto before = facts_.pods.find(pod->meta.uid);
    if (before != facts_.pods.end()) commit.pod_before = &before->second;
    if (!gone) commit.pod = pod;
  }
  ask(commit_rules(), commit);
  if (facts_.odd.on) ask(odd_commit_rules(), commit);
  if (facts_.odd.on) learn_odd(facts_, commit);
  learn(facts_, commit);
}

/// Whether the bind call failed by a refusal that came since the last one that did.
void Checker::note_denial(const Uid& uid) {
  const auto pod = facts_.pods.find(uid);
  if (pod == facts_.pods.end()) return;
  const auto refused = [&](const std::string& subject) {
    const auto found = facts_.refused.find(subject);
    return found != facts_.refused.end() && found->second > facts_.denials[uid].last;
  };
  const bool denied =
      refused(pod->second.key().to_string()) ||
      std::ranges::any_of(claims_of(pod->second, facts_.server()), [&](const auto* claim) {
        return claim != nullptr && refused(claim->key().to_string());
      });
  if (!denied) return;
  ++facts_.denials[uid].times;
  facts_.denials[uid].last = facts_.now();
}

void Checker::bind_answered(const extender::BindRequest& request, const std::string& error) {
  if (!error.empty()) return note_denial(request.uid);
  // Bound and gone already is true as well.
  const auto bound = facts_.bound.find(request.uid);
  if (bound == facts_.bound.end()) return violate("I10: OK to a bind of a pod that is not bound");
  if (bound->second != request.node) violate("I9: OK to a bind of a pod that is bound elsewhere");
}

}  // namespace dray::dst
