#include "app/demo/outcome_log.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "dray/model/pod_marks.h"
#include "dray/model/reason.h"

namespace dray::app {
namespace {

const Condition* find_condition(const Pod& pod, std::string_view type, std::string_view status) {
  const auto found = std::ranges::find_if(pod.conditions, [&](const Condition& each) {
    return each.type == type && each.status == status;
  });
  return found == pod.conditions.end() ? nullptr : &*found;
}

}  // namespace

void OutcomeLog::created(const Pod& pod, Time at) {
  Followed followed;
  followed.created = at;
  followed.order = pods_.size();
  if (pod.pod_group) followed.gang = pod.meta.namespace_name + "/" + *pod.pod_group;
  // Nobody decides on a pod that comes with its node.
  followed.part(Outcome::Kind::placed).decided = pod.node_name.has_value();
  pods_.try_emplace(pod.key(), std::move(followed));
}

void OutcomeLog::saw(const Pod& pod, Time at) {
  const auto found = pods_.find(pod.key());
  if (found == pods_.end()) return;
  auto& followed = found->second;
  const auto note = [&](Outcome::Kind kind, std::string node, std::string why) {
    auto& outcome = followed.part(kind).outcome;
    if (!outcome) outcome = Outcome{pod.key(), kind, at, std::move(node), std::move(why)};
  };
  const auto* waits = pod.node_name ? nullptr : find_condition(pod, admitted_condition, "False");
  followed.told = waits == nullptr ? "" : waits->reason;
  if (waits != nullptr) {
    note(Outcome::Kind::waits, "", waits->message);
    followed.part(Outcome::Kind::waits).decided = true;
  }
  if (pod.node_name) note(Outcome::Kind::placed, pod.node_name->get(), "");
  const auto* leaves = find_condition(pod, "DisruptionTarget", "True");
  if (leaves != nullptr) {
    note(Outcome::Kind::evicted, "", leaves->message);
    // Whoever evicts through the API says why in an Event; others say it here.
    if (leaves->reason != "EvictionByEvictionAPI") {
      followed.part(Outcome::Kind::evicted).decided = true;
    }
  }
}

void OutcomeLog::saw(const sim::RecordedEvent& event) {
  const auto found = pods_.find(event.pod);
  if (found == pods_.end()) return;
  if (event.event.reason == "Scheduled") {
    found->second.part(Outcome::Kind::placed).decided = true;
  } else if (event.event.action == "Evicting") {
    auto& part = found->second.part(Outcome::Kind::evicted);
    part.decided = true;
    part.decision = event.event.note;
  }
}

Outcome OutcomeLog::take(Part& part) {
  part.taken = true;
  auto outcome = *part.outcome;
  if (!part.decision.empty()) outcome.note = part.decision;
  return outcome;
}

std::optional<Outcome> OutcomeLog::take_first(const PodKey& pod) {
  auto& parts = pods_.at(pod).parts;
  const auto earlier = [](const Part& left, const Part& right) {
    return std::tuple(!left.outcome, left.outcome ? left.outcome->at : Time{}) <
           std::tuple(!right.outcome, right.outcome ? right.outcome->at : Time{});
  };
  auto& first = *std::ranges::min_element(parts, earlier);
  if (!first.complete()) return std::nullopt;
  return take(first);
}

std::vector<Outcome> OutcomeLog::take_rest() {
  std::vector<Outcome> rest;
  for (auto& [key, followed] : pods_) {
    for (auto& part : followed.parts) {
      if (part.complete()) rest.push_back(take(part));
    }
  }
  std::ranges::sort(rest, {}, [this](const Outcome& outcome) {
    return std::tuple(outcome.kind, pods_.at(outcome.pod).order);
  });
  return rest;
}

bool OutcomeLog::under_way() const {
  return std::ranges::any_of(pods_, [this](const auto& each) { return under_way(each.second); });
}

bool OutcomeLog::under_way(const Followed& pod) const {
  if (std::ranges::any_of(pod.parts, &Part::incomplete)) return true;
  if (pod.bound()) return false;
  if (pod.told == name(Reason::room_freed)) return true;
  if (pod.gang.empty() || (!pod.told.empty() && pod.told != name(Reason::gang_incomplete))) {
    return false;
  }
  return std::ranges::any_of(pods_, [&](const auto& other) {
    return other.second.gang == pod.gang && other.second.bound();
  });
}

void OutcomeLog::complete_all() {
  for (auto& [key, followed] : pods_) {
    for (auto& part : followed.parts) part.decided = part.decided || part.outcome;
  }
}

}  // namespace dray::app
