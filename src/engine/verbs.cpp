#include <algorithm>
#include <utility>

#include "engine/state.h"

// filter, prioritize and preempt, as kube-scheduler 1.37 asks them.

namespace dray::engine {
namespace {

std::vector<NodeName> offered_nodes(const extender::FilterRequest& request) {
  if (request.node_names) return *request.node_names;
  std::vector<NodeName> names;
  if (request.nodes) {
    for (const auto& offered : *request.nodes) names.emplace_back(offered.node.meta.name);
  }
  return names;
}

/// Refusals say that eviction will not help: on FailedNodes kube-scheduler would try preemption,
/// and run in circles (facts on the extender, 2.4).
extender::FilterResponse refuse(const std::vector<NodeName>& nodes, Reason reason) {
  extender::FilterResponse response;
  if (!nodes.empty()) response.failed_unresolvable[std::string(text(reason))] = nodes;
  return response;
}

extender::FilterResponse fault(Reason reason) {
  extender::FilterResponse response;
  response.error = text(reason);
  return response;
}

}  // namespace

extender::FilterResponse Engine::State::filter(const extender::FilterRequest& request, Time now) {
  if (!leading) return fault(Reason::not_leader);
  if (!synced) return fault(Reason::not_synced);
  const auto nodes = offered_nodes(request);
  const auto& pod = request.pod;
  if (pod.meta.name.empty() || pod.meta.uid.get().empty()) {
    extender::FilterResponse response;
    response.error = "dray: filter request: Pod.metadata.name or uid is empty";
    return response;
  }
  if (auto* track = find_track(pod.key(), pod.meta.uid)) {
    // Bare Node objects come from a cluster autoscaler's simulation or from a scheduler that would
    // then score every node as empty: answered, but nothing is held for it.
    if (!request.node_names && !track->passes) return dry_run(pod, nodes, now);
    return filter_tracked(*track, request, nodes, now);
  }
  if (passes(pod)) {
    if (!cluster.pod(pod.key()) && pod.scheduler_name == options.scheduler_name) {
      // The request was faster than the watch; its bind may be, too.
      auto& track = track_pod(pod, false, now);
      track.stage = Stage::offered;
      arm(track, now + options.reservation_life);
    }
    extender::FilterResponse response;
    response.node_names = nodes;
    return response;
  }
  if (pod.scheduler_name != options.scheduler_name) return refuse(nodes, Reason::unsupported);
  if (!request.node_names) return dry_run(pod, nodes, now);
  return refuse(nodes,
                Reason::planning);  // the watch shows the pod in a moment: then it is planned
}

extender::FilterResponse Engine::State::filter_tracked(PodTrack& track,
                                                       const extender::FilterRequest& request,
                                                       const std::vector<NodeName>& nodes,
                                                       Time now) {
  extender::FilterResponse response;
  // A DeviceClass may have come or gone since the pod was first seen.
  track.passes = passes(request.pod);
  if (track.passes) {
    response.node_names = nodes;
    return response;
  }
  const auto offered_node = [&](const NodeName& node) {
    return std::ranges::find(nodes, node) != nodes.end();
  };
  if (track.reservation && !offered_node(track.reservation->node)) {
    // One nominated node is asked for first, by itself; the whole list follows in the same cycle.
    const bool nominated_alone = nodes.size() == 1 && request.pod.nominated_node == nodes.front();
    const bool fixed = track.stage == Stage::binding || track.stage == Stage::bound;
    if (nominated_alone || fixed) return refuse(nodes, Reason::reserved_elsewhere);
    refuse_reserved_node(track, now);
  }
  if (!track.reservation) {
    plan_on_the_spot(track, nodes, now);
    if (!track.reservation) {
      track.told_no = true;
      return refuse(nodes, track.reason);
    }
  }
  if (track.stage != Stage::binding && track.stage != Stage::bound) {
    track.stage = Stage::offered;
    track.asked = true;
    track.told_no = false;
    arm(track, now + reservation_life(track));
  }
  response.node_names = {track.reservation->node};
  return response;
}

/// What filter would say, with nothing reserved.
extender::FilterResponse Engine::State::dry_run(const Pod& pod, const std::vector<NodeName>& nodes,
                                                Time now) {
  extender::FilterResponse response;
  const auto job = std::make_shared<const planner::Job>(
      planner::single_pod_job(std::make_shared<const Pod>(pod),
                              policy::QueueName(std::string(policy::default_queue)), now));
  for (const auto& node : nodes) {
    planner::PlanInput input;
    input.snapshot = cluster.snapshot();
    input.jobs = {job};
    input.only = std::vector{node};
    input.now = now;
    const auto plan = planner.plan(input);
    const auto& outcome = plan.jobs.front();
    if (!outcome.placements.empty()) {
      response.node_names.push_back(node);
    } else {
      response.failed_unresolvable[std::string(text(outcome.reason))].push_back(node);
    }
  }
  return response;
}

extender::PrioritizeResponse Engine::prioritize(const extender::FilterRequest& request,
                                                Time /*now*/) {
  // A pod with devices is left with its reserved node, and kube-scheduler asks for no scores; where
  // it asks all the same, that node wins. Of pods that pass, kube-scheduler's own scores decide.
  const auto* track = state_->find_track(request.pod.key(), request.pod.meta.uid);
  extender::PrioritizeResponse response;
  for (auto& node : offered_nodes(request)) {
    const bool reserved =
        track != nullptr && track->reservation && track->reservation->node == node;
    response.push_back({std::move(node), reserved ? 10 : 0});
  }
  return response;
}

extender::PreemptResponse Engine::preempt(const extender::PreemptRequest& request, Time /*now*/) {
  extender::PreemptResponse response;
  const auto* track = state_->find_track(request.pod.key(), request.pod.meta.uid);
  const bool passes = track != nullptr ? track->passes : state_->passes(request.pod);
  for (const auto& [node, victims] : request.victims) {
    if (victims.pods.empty()) continue;
    // Evicting for a pod helps only where dray would let it go afterwards.
    if (passes || (track != nullptr && track->reservation && track->reservation->node == node)) {
      response.victims.emplace(node, victims);
    }
  }
  return response;
}

}  // namespace dray::engine
