#include <algorithm>
#include <utility>

#include "engine/router.h"

// filter, prioritize and preempt, as kube-scheduler 1.37 asks them.

namespace dray::engine {
namespace {

std::vector<NodeName> names_of_nodes(const extender::FilterRequest& request) {
  std::vector<NodeName> names;
  if (request.nodes) {
    for (const auto& offered : *request.nodes) names.emplace_back(offered.node.meta.name);
  }
  return names;
}

extender::FilterResponse fault(std::string_view error) {
  extender::FilterResponse response;
  response.error = error;
  return response;
}

extender::FilterResponse pass(std::vector<NodeName> nodes) {
  extender::FilterResponse response;
  response.node_names = std::move(nodes);
  return response;
}

}  // namespace

/// Refusals say that eviction will not help: on FailedNodes kube-scheduler would try preemption,
/// and run in circles (facts on the extender, 2.4).
extender::FilterResponse Engine::Router::refuse_all(Reason reason) {
  extender::FilterResponse response;
  response.all_unresolvable = text(reason);
  return response;
}

extender::FilterResponse Engine::Router::filter(const extender::FilterRequest& request, Time now) {
  if (!standing_.leading) return fault(text(Reason::not_leader));
  if (!standing_.synced) return fault(text(Reason::not_synced));
  const auto& pod = request.pod;
  if (pod.meta.name.empty() || pod.meta.uid.get().empty()) {
    return fault("dray: filter request: Pod.metadata.name or uid is empty");
  }
  const auto made = names_of_nodes(request);
  const auto& nodes = request.node_names ? *request.node_names : made;
  const auto* followed = pods_.find(pod.key(), pod.meta.uid);
  if (followed == nullptr) return filter_unknown(request, nodes, now);
  // Bare Node objects come from a cluster autoscaler's simulation or from a scheduler that would
  // then score every node as empty: answered, but nothing is held for it.
  if (!request.node_names && !followed->bypasses) return dry_run(request, now);
  return filter_followed(followed->uid, request, nodes, now);
}

extender::FilterResponse Engine::Router::filter_unknown(const extender::FilterRequest& request,
                                                        const std::vector<NodeName>& nodes,
                                                        Time now) {
  const auto& pod = request.pod;
  if (admission_.bypasses(pod)) {
    // The request was faster than the watch; its bind may be, too.
    if (!cluster_.pod(pod.key()) && admission_.ours(pod)) carry(pods_.requested(pod, now), now);
    return pass(nodes);
  }
  if (!admission_.ours(pod)) return refuse_all(Reason::unsupported);
  if (!request.node_names) return dry_run(request, now);
  // The watch shows the pod in a moment: then it is planned, and kube-scheduler woken.
  pods_.refused_unseen(pod.meta.uid, now);
  return refuse_all(Reason::planning);
}

extender::FilterResponse Engine::Router::filter_followed(const Uid& uid,
                                                         const extender::FilterRequest& request,
                                                         const std::vector<NodeName>& nodes,
                                                         Time now) {
  // A DeviceClass may have come or gone since the pod was first seen.
  pods_.set_bypasses(uid, admission_.bypasses(request.pod));
  const auto& pod = *pods_.find(uid);
  if (pod.bypasses) return pass(nodes);
  if (!allocates()) return advise(uid, request, nodes, now);
  const auto asked_for = [&](const NodeName& node) {
    return std::ranges::find(nodes, node) != nodes.end();
  };
  if (pod.reservation && !asked_for(pod.reservation->node)) {
    // One nominated node is asked for first, by itself; the whole list follows in the same cycle.
    const bool nominated_alone = nodes.size() == 1 && request.pod.nominated_node == nodes.front();
    if (nominated_alone || pod.fixed()) return refuse_all(Reason::reserved_elsewhere);
    carry(pods_.refuse_node(uid, now), now);
  }
  if (pods_.offered_in_vain(uid, now)) carry(pods_.refuse_node(uid, now), now);
  if (!pod.reservation) {
    plan_inline(uid, nodes, now);
    if (!pod.reservation) {
      pods_.filter_refused(uid);
      return refuse_all(pod.wait.reason);
    }
  }
  pods_.filter_answered(uid, now);
  return pass({pod.reservation->node});
}

extender::PrioritizeResponse Engine::Router::prioritize(
    const extender::FilterRequest& request) const {
  // A pod with devices is left with its reserved node, and kube-scheduler asks for no scores; where
  // it asks all the same, that node wins. Of pods that pass, kube-scheduler's own scores decide.
  const auto* pod = pods_.find(request.pod.key(), request.pod.meta.uid);
  const auto* ranks = pod != nullptr && pod->reservation ? judging_.told.ranks(pod->uid) : nullptr;
  extender::PrioritizeResponse response;
  const auto made = names_of_nodes(request);
  for (const auto& node : request.node_names ? *request.node_names : made) {
    if (ranks != nullptr) {
      const auto rank = ranks->find(node);
      response.push_back({node, rank == ranks->end() ? 0 : rank->second});
      continue;
    }
    const bool reserved = pod != nullptr && pod->reservation && pod->reservation->node == node;
    response.push_back({node, reserved ? 10 : 0});
  }
  return response;
}

extender::PreemptResponse Engine::Router::preempt(const extender::PreemptRequest& request) const {
  extender::PreemptResponse response;
  const auto* pod = pods_.find(request.pod.key(), request.pod.meta.uid);
  const bool bypasses = pod != nullptr ? pod->bypasses : admission_.bypasses(request.pod);
  for (const auto& [node, victims] : request.victims) {
    if (victims.pods.empty()) continue;
    // Evicting for a pod helps only where dray would let it pass afterwards.
    if (bypasses || (pod != nullptr && pod->reservation && pod->reservation->node == node)) {
      response.victims.emplace(node, victims);
    }
  }
  return response;
}

}  // namespace dray::engine
