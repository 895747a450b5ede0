#include "engine/books/admission.h"

#include <algorithm>
#include <utility>

#include "dray/engine/share_wish.h"
#include "dray/model/pod_marks.h"
#include "dray/planner/pod_claims.h"

namespace dray::engine {

Admission::Admission(Options options, cluster::ClusterState& cluster, View view)
    : options_(std::move(options)),
      cluster_(cluster),
      view_(std::move(view)),
      policy_(policies_.policy()),
      jobs_([this](const Pod& pod) { return member_view(pod); }) {
  policy_moved();
}

Admission::Change Admission::observe(const KubeObject& object) {
  if (policies_.observe(object)) {
    policy_moved();
    return Change::policy;
  }
  if (jobs_.observe(object)) return group_moved(kind_of(object));
  return budgets_.observe(object) ? Change::plans : Change::none;
}

Admission::Change Admission::forget(const cluster::ObjectGone& gone) {
  if (policies_.forget(gone.kind, gone.name)) {
    policy_moved();
    return Change::policy;
  }
  if (jobs_.forget(gone.kind, gone.namespace_name, gone.name)) return group_moved(gone.kind);
  const bool budget = budgets_.forget(gone.kind, gone.namespace_name, gone.name);
  return budget ? Change::plans : Change::none;
}

Admission::Change Admission::set_config(std::shared_ptr<const policy::PolicyConfig> config) {
  policies_.set_config(std::move(config));
  policy_moved();
  return Change::policy;
}

void Admission::policy_moved() {
  policy_ = policies_.policy();
  jobs_.set_policy(policy_, policies_.open());
}

/// Whoever may write pods may write groups of them; a PriorityClass is an operator's, and counts
/// for all groups.
Admission::Change Admission::group_moved(Kind kind) {
  return kind == Kind::priority_class ? Change::pods : Change::group;
}

void Admission::refresh_topologies() {
  const auto& groups = jobs_.groups();
  if (std::exchange(topologies_, groups.topology_version()) == groups.topology_version()) return;
  if (policies_.set_topology_keys(groups.topology_keys())) policy_moved();
}

void Admission::readmit(Time now) {
  cluster_.for_each_pod([&](const std::shared_ptr<const Pod>& pod) { readmit(*pod, now); });
}

void Admission::readmit(const Pod& pod, Time now) {
  put(pod, now);
  jobs_.touch(pod.meta.uid);
}

void Admission::put(const Pod& pod, Time now) {
  if (!ours(pod)) return;
  const auto& uid = pod.meta.uid;
  members_.put(pod);
  const bool over = pod.finished() && !jobs_.groups().key_of(pod).is_group();
  if (over || bypasses(pod)) {
    jobs_.erase(uid);
    budgets_.erase(uid);
    return;
  }
  const auto known = cluster_.pod(pod.key());
  if (!known || known->meta.uid != uid) return;
  jobs_.put(known, now);
  budgets_.put(pod);
}

void Admission::erase(const Uid& pod) {
  jobs_.erase(pod);
  members_.erase(pod);
  budgets_.erase(pod);
  blocked_.erase(pod);
}

bool Admission::bypasses(const Pod& pod) const {
  if (!pod.resource_claims.empty()) return false;
  if (!asked_for_share_by(pod).empty()) return false;
  if (jobs_.groups().key_of(pod).is_group() || counts_for_queues(pod)) return false;
  return planner::bypasses_dray(*cluster_.snapshot(), pod);
}

bool Admission::counts_for_queues(const Pod& pod) const {
  if (open()) return false;
  const auto& counting = policy_->counting;
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

void Admission::retry_blocked() {
  for (const auto& uid : blocked_) jobs_.touch(uid);
}

JobBook::MemberView Admission::member_view(const Pod& pod) {
  using State = planner::MemberState;
  const auto& uid = pod.meta.uid;
  blocked_.erase(uid);
  if (pod.finished()) return {State::done, {}, false};
  auto node = pod.node_name;
  if (!node) node = view_.reserved_node(uid);
  if (pod.meta.deleted) return {node ? State::leaving : State::done, node, false};
  if (view_.evicting(uid)) return {State::leaving, node, false};
  if (node) return {State::placed, node, false};
  const bool foreign_gate = std::ranges::any_of(
      pod.scheduling_gates, [&](const auto& gate) { return gate != options_.gate; });
  if (foreign_gate) return {State::blocked, {}, false};
  if (jobs_.groups().key_of(pod).is_group() && !planner::claims_of(*cluster_.snapshot(), pod)) {
    blocked_.insert(uid);
    return {State::blocked, {}, false};
  }
  return {
      State::waiting, {}, pod.meta.annotations.contains(reservation_annotation), view_.denied(uid)};
}

}  // namespace dray::engine
