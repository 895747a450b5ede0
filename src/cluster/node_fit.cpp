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

const Labels::value_type* NodeFit::other_label(const NodeFacts& node) const {
  const auto other = std::ranges::find_if(selector_, [&](const auto& wanted) {
    const auto* value = node.label(wanted.first);
    return value == nullptr || *value != wanted.second;
  });
  return other == selector_.end() ? nullptr : &*other;
}

const NodeTaint* NodeFit::untolerated(const NodeFacts& node) const {
  const auto bars = [&](const NodeTaint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return false;
    return std::ranges::none_of(
        tolerations_, [&](const auto& toleration) { return tolerates(toleration, taint); });
  };
  const auto found = std::ranges::find_if(*node.taints, bars);
  return found == node.taints->end() ? nullptr : &*found;
}

const HostPort* NodeFit::taken_port(const NodeUse& use) const {
  const auto taken = std::ranges::find_if(needs_.ports, [&](const auto& port) {
    return std::ranges::any_of(use.ports, [&](const auto& p) { return ports_clash(p, port); });
  });
  return taken == needs_.ports.end() ? nullptr : &*taken;
}

std::optional<NodeFit::Short> NodeFit::short_of(const NodeFacts& node, const NodeUse& use) const {
  const auto& have = *node.allocatable;
  const auto& used = use.requested;
  const auto& need = needs_.requested;
  const auto lacks = [](std::int64_t wanted, std::int64_t total, std::int64_t taken) {
    return wanted > 0 && wanted > total - taken;
  };
  if (used.pods + 1 > have.pods) return Short{"pods", 1, have.pods - used.pods};
  if (lacks(need.milli_cpu, have.milli_cpu, used.milli_cpu)) {
    return Short{"cpu", need.milli_cpu, have.milli_cpu - used.milli_cpu};
  }
  if (lacks(need.memory, have.memory, used.memory)) {
    return Short{"memory", need.memory, have.memory - used.memory};
  }
  if (lacks(need.ephemeral_storage, have.ephemeral_storage, used.ephemeral_storage)) {
    return Short{"ephemeral-storage", need.ephemeral_storage,
                 have.ephemeral_storage - used.ephemeral_storage};
  }
  for (std::size_t i = 0; i < need.others.size(); ++i) {
    const auto& [name, wanted] = need.others[i];
    const auto total = have.other(name);
    if (by_class_[i] && total == 0) continue;
    const auto taken = used.other(name);
    if (lacks(wanted, total, taken)) return Short{name, wanted, total - taken};
  }
  return std::nullopt;
}

Reason NodeFit::check(const AllocatedState& state, NodeIndex index) const {
  const auto& node = state.snapshot().facts(index);
  if (node.unschedulable && !tolerates_unschedulable_) return Reason::node_unschedulable;
  if (other_label(node) != nullptr || (affinity_ && !affinity_->matches(node))) {
    return Reason::node_selector;
  }
  if (untolerated(node) != nullptr) return Reason::node_taint;
  static const NodeUse nothing;
  const auto* use = state.use(index);
  if (use == nullptr) use = &nothing;
  if (taken_port(*use) != nullptr) return Reason::node_ports;
  return short_of(node, *use) ? Reason::node_resources : Reason::none;
}

NodeFit::Lack NodeFit::lack(const AllocatedState& state, NodeIndex index) const {
  const auto& node = state.snapshot().facts(index);
  const auto* used = state.use(index);
  const auto use = used == nullptr ? NodeUse() : *used;
  switch (check(state, index)) {
    case Reason::node_selector: {
      const auto* label = other_label(node);
      if (label == nullptr) return {.what = "required node affinity"};
      return {.what = "label " + label->first + "=" + label->second};
    }
    case Reason::node_taint: {
      const auto& taint = *untolerated(node);
      const auto value = taint.value.empty() ? "" : "=" + taint.value;
      return {.what = "taint " + taint.key + value + ":" + taint.effect};
    }
    case Reason::node_ports: {
      const auto& port = *taken_port(use);
      const auto protocol = port.protocol.empty() ? "TCP" : port.protocol;
      return {.what = "port " + protocol + "/" + std::to_string(port.port)};
    }
    case Reason::node_resources: {
      const auto lacking = *short_of(node, use);
      return {
          .what = std::string(lacking.resource), .wanted = lacking.wanted, .left = lacking.left};
    }
    default:
      return {};
  }
}

Reason node_fit(const AllocatedState& state, NodeIndex node, const Pod& pod) {
  return NodeFit(pod, state.snapshot()).check(state, node);
}

}  // namespace dray::cluster
