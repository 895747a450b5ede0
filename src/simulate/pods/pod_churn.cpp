#include "simulate/pods/pod_churn.h"

#include <memory>
#include <utility>
#include <variant>

#include "dray/model/object.h"
#include "simulate/pods/of_node.h"

namespace dray::simulate {
namespace {

/// As it is made again: with a uid of its own.
KubeObject anew(const KubeObject& object) {
  auto copy = object;
  auto& meta = meta_of(copy);
  meta.uid = Uid();
  meta.resource_version = ResourceVersion();
  meta.created.reset();
  return copy;
}

/// Of a pod that comes with its node: it needs nothing that went with its claims.
bool returns_with_node(const Pod& pod) {
  return comes_with_the_node(pod) && pod.resource_claims.empty();
}

}  // namespace

void PodChurn::carry_out(const Churn& churn) {
  switch (churn.kind) {
    case ChurnKind::fails:
      return fail_node(churn.node);
    case ChurnKind::returns:
      return return_node(churn.node);
    case ChurnKind::cordoned:
      return cordon(churn.node, true);
    case ChurnKind::uncordoned:
      return cordon(churn.node, false);
    case ChurnKind::changes:
      for (const auto& object : churn.objects) cluster_.server().restore(object, cluster_.now());
      return;
  }
}

void PodChurn::fail_node(const std::string& name) {
  auto& server = cluster_.server();
  const auto* node = server.find<Node>("", name);
  if (node == nullptr) return;
  auto& kept = away_[name];
  kept = {*node};
  (void)server.remove(Kind::node, "", name, {}, cluster_.now());
  for (const auto& item : server.list(Kind::resource_slice).items) {
    const auto& slice = std::get<ResourceSlice>(*item);
    if (slice.scope.node_name != NodeName(name)) continue;
    kept.push_back(*item);
    (void)server.remove(Kind::resource_slice, "", slice.meta.name, {}, cluster_.now());
  }
  log_.node_fails(NodeName(name));
  for (const auto& item : server.list(Kind::pod).items) {
    const auto& pod = std::get<Pod>(*item);
    if (!pod.node_name || pod.node_name->get() != name) continue;
    if (returns_with_node(pod)) kept.push_back(*item);
    (void)server.remove(Kind::pod, pod.meta.namespace_name, pod.meta.name,
                        {.uid = pod.meta.uid, .resource_version = {}, .grace_seconds = 0},
                        cluster_.now());
  }
  log_.node_fails(NodeName());
}

void PodChurn::return_node(const std::string& name) {
  const auto found = away_.find(name);
  if (found == away_.end()) return;
  auto& server = cluster_.server();
  for (const auto& object : found->second) {
    const auto& meta = meta_of(object);
    // What `changes` has brought meanwhile is newer.
    if (server.get(kind_of(object), meta.namespace_name, meta.name)) continue;
    server.restore(anew(object), cluster_.now());
  }
  away_.erase(found);
}

void PodChurn::cordon(const std::string& name, bool on) {
  const auto set = [on](KubeObject& object) -> Result<void> {
    std::get<Node>(object).unschedulable = on;
    return {};
  };
  const auto found = away_.find(name);
  if (found == away_.end()) {
    (void)cluster_.server().patch(Kind::node, "", name, sim::Endpoint::main, set, cluster_.now());
  } else {
    (void)set(found->second.front());
  }
}

}  // namespace dray::simulate
