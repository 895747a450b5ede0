#include "dray/cluster/node_fit.h"

#include <algorithm>

namespace dray::cluster {
namespace {

constexpr std::string_view implicit_prefix = "deviceclass.resource.kubernetes.io/";

bool behind(const CompiledClass& made, std::string_view resource) {
  const auto& object = *made.object;
  if (!object.extended_resource_name.empty() && object.extended_resource_name == resource) {
    return true;
  }
  return resource.starts_with(implicit_prefix) &&
         resource.substr(implicit_prefix.size()) == object.meta.name;
}

}  // namespace

NodeFit::NodeFit(const Pod& pod, const Snapshot& snapshot)
    : needs_(use_of(pod)), selector_(pod.node_selector), tolerations_(pod.tolerations) {
  if (pod.required_node_affinity) {
    affinity_ = NodeMatcher::compile_lazily(*pod.required_node_affinity);
  }
  const NodeTaint unschedulable{"node.kubernetes.io/unschedulable", "", "NoSchedule"};
  tolerates_unschedulable_ = std::ranges::any_of(
      tolerations_, [&](const auto& toleration) { return tolerates(toleration, unschedulable); });
  for (const auto& [name, amount] : needs_.requested.others) {
    by_class_.push_back(std::ranges::any_of(snapshot.classes(),
                                            [&](const auto& each) { return behind(*each, name); }));
  }
}

Reason NodeFit::check_selection(const NodeFacts& node) const {
  for (const auto& [key, wanted] : selector_) {
    const auto* value = node.label(key);
    if (value == nullptr || *value != wanted) return Reason::node_selector;
  }
  if (affinity_ && !affinity_->matches(node)) return Reason::node_selector;
  return Reason::none;
}

Reason NodeFit::check_resources(const NodeFacts& node, const NodeUse& use) const {
  const auto& have = *node.allocatable;
  const auto& used = use.requested;
  const auto& need = needs_.requested;
  const auto lacks = [](std::int64_t wanted, std::int64_t total, std::int64_t taken) {
    return wanted > 0 && wanted > total - taken;
  };
  if (used.pods + 1 > have.pods || lacks(need.milli_cpu, have.milli_cpu, used.milli_cpu) ||
      lacks(need.memory, have.memory, used.memory) ||
      lacks(need.ephemeral_storage, have.ephemeral_storage, used.ephemeral_storage)) {
    return Reason::node_resources;
  }
  for (std::size_t i = 0; i < need.others.size(); ++i) {
    const auto& [name, wanted] = need.others[i];
    const auto total = have.other(name);
    if (by_class_[i] && total == 0) continue;
    if (lacks(wanted, total, used.other(name))) return Reason::node_resources;
  }
  return Reason::none;
}

Reason NodeFit::check(const AllocatedState& state, NodeIndex index) const {
  const auto& node = state.snapshot().facts(index);
  if (node.unschedulable && !tolerates_unschedulable_) return Reason::node_unschedulable;
  if (const auto reason = check_selection(node); reason != Reason::none) return reason;
  for (const auto& taint : *node.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    const bool tolerated = std::ranges::any_of(
        tolerations_, [&](const auto& toleration) { return tolerates(toleration, taint); });
    if (!tolerated) return Reason::node_taint;
  }
  static const NodeUse nothing;
  const auto* use = state.use(index);
  if (use == nullptr) use = &nothing;
  for (const auto& port : needs_.ports) {
    if (std::ranges::any_of(use->ports, [&](const auto& p) { return ports_clash(p, port); })) {
      return Reason::node_ports;
    }
  }
  return check_resources(node, *use);
}

Reason node_fit(const AllocatedState& state, NodeIndex node, const Pod& pod) {
  return NodeFit(pod, state.snapshot()).check(state, node);
}

}  // namespace dray::cluster
