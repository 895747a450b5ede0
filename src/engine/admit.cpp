#include <algorithm>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/state.h"

// Which pods are jobs, in which groups and queues, under which policy.

namespace dray::engine {
namespace {

bool in_cluster_state(Kind kind) {
  return kind_info(kind).kept_by == KeptBy::cluster;
}

}  // namespace

bool Engine::State::observe_policy_object(const KubeObject& object, Time now) {
  if (policies.observe(object)) {
    policy_moved(now);
  } else if (book.observe(object)) {
    groups_moved(now);
  } else if (budgets.observe(object)) {
    plan_wanted = true;
  } else {
    return !in_cluster_state(kind_of(object));
  }
  return true;
}

bool Engine::State::forget_policy_object(const cluster::ObjectGone& change, Time now) {
  if (policies.forget(change.kind, change.name)) {
    policy_moved(now);
  } else if (book.forget(change.kind, change.namespace_name, change.name)) {
    groups_moved(now);
  } else if (budgets.forget(change.kind, change.namespace_name, change.name)) {
    plan_wanted = true;
  }
  return !in_cluster_state(change.kind);
}

void Engine::State::set_policy(const PolicyChanged& change, Time now) {
  policies.set_config(change.config);
  policy_moved(now);
}

void Engine::State::policy_moved(Time now) {
  policy = policies.policy();
  book.set_policy(policy, policies.open());
  usage.set_policy(policy);
  offers.set_rule(policy->config.fractions, *cluster.snapshot());
  counts.policy_problem = policies.problem();
  counts.resources = policy->counting.resources();
  readmit_all(now);
}

void Engine::State::groups_moved(Time now) {
  if (policies.set_topology_keys(book.groups().topology_keys())) return policy_moved(now);
  readmit_all(now);
}

/// What makes a pod a job changed: rare enough to look at every pod.
void Engine::State::readmit_all(Time now) {
  cluster.for_each_pod([&](const std::shared_ptr<const Pod>& pod) { admit(*pod, now); });
  for (auto& [uid, track] : tracks) {
    const auto pod = pod_of(track);
    if (pod) track.passes = passes(*pod);
  }
  plan_wanted = true;
}

/// Keeps the pod among the jobs, or out of them.
void Engine::State::admit(const Pod& pod, Time now) {
  if (pod.scheduler_name != options.scheduler_name) return;
  const auto& uid = pod.meta.uid;
  const bool over = pod.finished() && !book.groups().key_of(pod).is_group();
  if (over || passes(pod)) {
    book.erase(uid);
    budgets.erase(uid);
    return;
  }
  const auto known = cluster.pod(pod.key());
  if (!known || known->meta.uid != uid) return;
  book.put(known, now);
  budgets.put(pod);
}

/// Nothing to decide: no devices, no gang, and no queue that counts what the pod asks for.
bool Engine::State::passes(const Pod& pod) {
  if (!pod.resource_claims.empty()) return false;
  if (asks_for_share(pod)) return false;
  if (book.groups().key_of(pod).is_group() || counts_for_queues(pod)) return false;
  return planner::bypasses_dray(*cluster.snapshot(), pod);
}

bool Engine::State::counts_for_queues(const Pod& pod) const {
  if (policies.open()) return false;
  const auto& counting = policy->counting;
  const auto counted = [&](const ResourceList& list) {
    const auto amounts = counting.of(list);
    return std::ranges::any_of(amounts.values(), [](double amount) { return amount > 0; });
  };
  const auto any = [&](const std::vector<Container>& containers) {
    return std::ranges::any_of(
        containers, [&](const Container& container) { return counted(container.requests); });
  };
  return any(pod.containers) || any(pod.init_containers) ||
         (pod.pod_requests && counted(*pod.pod_requests));
}

JobBook::MemberView Engine::State::member_view(const Pod& pod) {
  const auto& uid = pod.meta.uid;
  blocked.erase(uid);
  if (pod.finished()) return {planner::MemberState::done, {}, false};
  const auto track = tracks.find(uid);
  auto node = pod.node_name;
  if (!node && track != tracks.end() && track->second.reservation) {
    node = track->second.reservation->node;
  }
  if (pod.meta.deleted) {
    return {node ? planner::MemberState::leaving : planner::MemberState::done, node, false};
  }
  if (evicting.contains(uid)) return {planner::MemberState::leaving, node, false};
  if (node) return {planner::MemberState::placed, node, false};
  const bool foreign_gate = std::ranges::any_of(
      pod.scheduling_gates, [&](const auto& gate) { return gate != options.gate; });
  if (foreign_gate) return {planner::MemberState::blocked, {}, false};
  if (book.groups().key_of(pod).is_group() && !planner::claims_of(*cluster.snapshot(), pod)) {
    blocked.insert(uid);
    return {planner::MemberState::blocked, {}, false};
  }
  return {planner::MemberState::waiting, {}, pod.meta.annotations.contains(reservation_annotation)};
}

}  // namespace dray::engine
