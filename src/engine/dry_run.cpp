#include <memory>
#include <utility>

#include "dray/cluster/published.h"
#include "dray/planner/new_nodes.h"
#include "engine/router.h"

// filter calls that bring whole Node objects: a cluster autoscaler's simulation, or a scheduler
// that would then score every node as empty. They are answered from these objects, and nothing is
// held.

namespace dray::engine {
namespace {

/// What plans read of the node, as ClusterState keeps it.
Node as_kept(const cluster::NodeFacts& facts) {
  auto node = cluster::node_object(facts);
  node.meta.uid = {};
  return node;
}

bool same_for_plans(const Node& offered, const cluster::NodeFacts& known) {
  cluster::ClusterState alone;
  alone.apply(offered);
  const auto* facts = alone.find_node(NodeName(offered.meta.name));
  return facts != nullptr && as_kept(*facts) == as_kept(known);
}

}  // namespace

/// What filter would say, with nothing reserved.
extender::FilterResponse Engine::Router::dry_run(const extender::FilterRequest& request, Time now) {
  std::span<const extender::OfferedNode> offered;
  if (request.nodes) offered = *request.nodes;
  const auto* followed = pods_.find(request.pod.key(), request.pod.meta.uid);
  const bool reserved = followed != nullptr && followed->reservation;
  const auto verdicts = reserved ? std::vector<Reason>() : judge_offered(request.pod, offered, now);
  extender::FilterResponse response;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    const NodeName name(offered[i].node.meta.name);
    auto reason = Reason::none;
    if (!reserved) {
      reason = verdicts[i];
    } else if (name != followed->reservation->node) {
      reason = Reason::reserved_elsewhere;
    }
    if (reason == Reason::none) {
      response.node_names.push_back(name);
    } else {
      response.failed_unresolvable[std::string(text(reason))].push_back(name);
    }
  }
  return response;
}

/// Nodes that the watch has shown have their devices and pods, whatever else the request says of
/// them; others have what the policy says of nodes with their labels.
std::vector<Reason> Engine::Router::judge_offered(const Pod& pod,
                                                  std::span<const extender::OfferedNode> offered,
                                                  Time now) {
  std::vector<NodeName> names;
  for (const auto& each : offered) names.emplace_back(each.node.meta.name);
  names.emplace_back();  // nobody's: what it is told is what the job or its queue lacks
  const auto watched = show(offered);
  auto verdicts =
      judging_.planner.verdicts(inputs().dry_run(pod, names, now), PlanInputs::dry_run_uid(pod));
  for (const auto& node : watched) cluster_.apply(node);
  const bool lacks = verdicts.back() != Reason::node_unknown;
  verdicts.pop_back();
  if (lacks) return verdicts;
  std::vector<const Node*> unknown;
  for (std::size_t i = 0; i < offered.size(); ++i) {
    if (verdicts[i] == Reason::node_unknown) unknown.push_back(&offered[i].node);
  }
  if (unknown.empty()) return verdicts;
  const auto judged = planner::verdicts_of_new_nodes(
      *cluster_.snapshot(), admission_.policy()->config, options_.allocator, pod, unknown, now);
  for (std::size_t i = 0, next = 0; i < offered.size(); ++i) {
    if (verdicts[i] == Reason::node_unknown) verdicts[i] = judged[next++];
  }
  return verdicts;
}

/// Until they are given back, nodes are as offered: those that are then another than the watch has
/// shown.
std::vector<Node> Engine::Router::show(std::span<const extender::OfferedNode> offered) {
  std::vector<Node> watched;
  for (const auto& each : offered) {
    const auto* facts = cluster_.find_node(NodeName(each.node.meta.name));
    if (facts == nullptr || same_for_plans(each.node, *facts)) continue;
    auto known = cluster::node_object(*facts);
    known.meta.resource_version = facts->resource_version;
    watched.push_back(std::move(known));
    cluster_.apply(each.node);
  }
  return watched;
}

}  // namespace dray::engine
