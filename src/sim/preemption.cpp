#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sim/kube_scheduler_state.h"

// DefaultPreemption (framework/preemption, plugins/defaultpreemption): which pods of lower priority
// would make room, asked of the in-tree filters alone; the extender may only say no.

namespace dray::sim {

/// The fewest pods of lower priority whose end lets the pod in: all of them, then as many as
/// possible are let live, the most important first.
std::optional<extender::NodeVictims> KubeScheduler::State::victims_on(const NodeName& name) const {
  const auto& preemptor = cycle->queued.pod();
  const auto index = cycle->snapshot->node(name);
  if (!index) return std::nullopt;
  std::vector<const Pod*> lower;
  for (const auto& [key, object] : pods) {
    const auto& pod = std::get<Pod>(*object);
    if (pod.node_name == name && pod.priority < preemptor.priority) lower.push_back(&pod);
  }
  std::ranges::sort(lower, [](const Pod* a, const Pod* b) {
    return std::tuple(-a->priority, a->meta.created, a->meta.name) <
           std::tuple(-b->priority, b->meta.created, b->meta.name);
  });
  const cluster::NodeFit fit(preemptor, *cycle->snapshot);
  const auto fits_without = [&](const std::vector<const Pod*>& victims) {
    cluster::AllocatedState state(cycle->snapshot);
    for (const auto* victim : victims) state.remove_pod(*victim);
    return fit.check(state, *index) == Reason::none;
  };
  if (lower.empty() || !fits_without(lower)) return std::nullopt;
  auto victims = lower;
  for (const auto* pod : lower) {
    auto fewer = victims;
    std::erase(fewer, pod);
    if (fits_without(fewer)) victims = std::move(fewer);
  }
  extender::NodeVictims result;
  for (const auto* pod : victims) result.pods.push_back(pod->meta.uid);
  return result;
}

void KubeScheduler::State::no_fit(Time now) {
  const auto& pod = cycle->queued.pod();
  if (pod.preemption_policy == "Never") {
    auto queued = std::move(cycle->queued);
    queued.rejectors = cycle->diagnosis.rejectors;
    const auto message = fit_error(cycle->diagnosis, cycle->snapshot->node_count()) +
                         " preemption: not eligible due to preemptionPolicy=Never.";
    cycle.reset();
    return fail_attempt(std::move(queued), message, false, std::nullopt, now);
  }
  extender::PreemptRequest request;
  request.pod = pod;
  for (const auto& node : cycle->diagnosis.resolvable) {
    auto victims = victims_on(node);
    if (victims && !victims->pods.empty()) request.victims.emplace(node, *std::move(victims));
  }
  if (request.victims.empty()) return end_preemption("", now);
  cycle->step = SchedulingCycle::Step::preempting;
  cycle->call = next_call();
  if (options.preempts) {
    out.emplace_back(CallPreempt{cycle->call, std::move(request)});
  } else {
    preempted({cycle->call, extender::PreemptResponse{std::move(request.victims)}}, now);
  }
}

/// No node is helped by preemption: that is part of the message, and a nomination ends.
void KubeScheduler::State::end_preemption(const std::string& why, Time now) {
  auto ended = *std::exchange(cycle, std::nullopt);
  const auto count = ended.snapshot->node_count();
  auto text = why;
  if (text.empty()) {
    text = fmt::format("0/{} nodes are available: {} Preemption is not helpful for scheduling.",
                       count, count);
  }
  ended.queued.rejectors = ended.diagnosis.rejectors;
  fail_attempt(std::move(ended.queued), fit_error(ended.diagnosis, count) + " preemption: " + text,
               false, std::optional<NodeName>(), now);
}

void KubeScheduler::State::preempted(const PreemptAnswered& answer, Time now) {
  if (!cycle || cycle->call != answer.id || cycle->step != SchedulingCycle::Step::preempting) {
    return;
  }
  if (!answer.response) return end_preemption(answer.response.error().message, now);
  if (answer.response->victims.empty()) {
    return end_preemption("no candidate node for preemption", now);
  }
  std::map<Uid, const Pod*> by_uid;
  for (const auto& [key, object] : pods) {
    by_uid[meta_of(*object).uid] = &std::get<Pod>(*object);
  }
  const auto cost = [&](const extender::NodeVictims& victims) {
    std::int64_t highest = INT64_MIN;
    std::int64_t sum = 0;
    for (const auto& uid : victims.pods) {
      const auto pod = by_uid.find(uid);
      const std::int64_t priority = pod == by_uid.end() ? 0 : pod->second->priority;
      highest = std::max(highest, priority);
      sum += priority + (std::int64_t{1} << 31U);
    }
    return std::tuple(victims.pdb_violations, highest, sum, victims.pods.size());
  };
  const auto best = std::ranges::min_element(
      answer.response->victims,
      [&](const auto& a, const auto& b) { return cost(a.second) < cost(b.second); });
  const auto node = best->first;
  for (const auto& uid : best->second.pods) {
    const auto pod = by_uid.find(uid);
    if (pod == by_uid.end()) continue;
    out.emplace_back(
        DeleteVictim{pod->second->key(), uid,
                     options.scheduler_name + ": preempting to accommodate a higher priority pod"});
  }
  auto ended = *std::exchange(cycle, std::nullopt);
  ended.queued.rejectors = ended.diagnosis.rejectors;
  const auto message = fit_error(ended.diagnosis, ended.snapshot->node_count());
  fail_attempt(std::move(ended.queued), message, false, std::optional(node), now);
}

}  // namespace dray::sim
