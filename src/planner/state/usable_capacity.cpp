#include "planner/state/usable_capacity.h"

#include <algorithm>
#include <string_view>

namespace dray::planner {
namespace {

/// Sums are in parts of this size.
constexpr double parts_a_unit = 1 << 20;
/// Above what a cluster has of anything; as many nodes as there may be add up without overflow.
constexpr double most_of_a_node = 1e24;

bool keeps_off(std::string_view effect) {
  return effect == "NoSchedule" || effect == "NoExecute";
}

void append(std::string& text, const auto& taint) {
  for (const std::string_view part : {std::string_view(taint.key), std::string_view(taint.value),
                                      std::string_view(taint.effect)}) {
    text += std::to_string(part.size());
    text += ':';
    text += part;
  }
}

std::string text_of(const Taints& taints) {
  std::string text;
  for (const auto& taint : taints.node) append(text, taint);
  text += '|';
  for (const auto& taint : taints.device) append(text, taint);
  return text;
}

}  // namespace

bool is_out_of_use(const cluster::NodeFacts& node) {
  return node.unschedulable || std::ranges::any_of(*node.taints, [](const NodeTaint& taint) {
           return keeps_off(taint.effect) && (taint.key == "node.kubernetes.io/not-ready" ||
                                              taint.key == "node.kubernetes.io/unreachable");
         });
}

void UsableCapacity::clear() {
  groups_.clear();
  by_node_.clear();
}

void UsableCapacity::add(Group& group, const policy::Amounts& amounts, bool more) {
  group.sums.resize(std::max(group.sums.size(), amounts.size()), 0);
  for (std::size_t r = 0; r < amounts.size(); ++r) {
    const auto part = static_cast<Sum>(std::clamp(amounts[r], 0.0, most_of_a_node) * parts_a_unit);
    group.sums[r] += more ? part : -part;
  }
}

void UsableCapacity::remove(cluster::NodeIndex node) {
  if (node.get() >= by_node_.size()) return;
  for (auto& part : by_node_[node.get()]) {
    auto& group = part.group->second;
    add(group, part.amounts, false);
    if (--group.parts == 0) groups_.erase(part.group);
  }
  by_node_[node.get()].clear();
}

void UsableCapacity::remove_from(std::size_t limit) {
  for (auto node = limit; node < by_node_.size(); ++node) {
    remove(cluster::NodeIndex(static_cast<std::uint32_t>(node)));
  }
}

void UsableCapacity::put(cluster::NodeIndex node, const cluster::NodeFacts& facts,
                         const Parts& parts) {
  remove(node);
  if (is_out_of_use(facts)) return;
  if (by_node_.size() <= node.get()) by_node_.resize(node.get() + 1);
  Taints taints;
  for (const auto& taint : *facts.taints) {
    if (keeps_off(taint.effect)) taints.node.push_back(taint);
  }
  for (const auto& [device, amounts] : parts) {
    taints.device = device;
    const auto [group, is_new] = groups_.try_emplace(text_of(taints));
    if (is_new) group->second.taints = taints;
    ++group->second.parts;
    add(group->second, amounts, true);
    by_node_[node.get()].push_back({group, amounts});
  }
}

policy::Amounts UsableCapacity::total(const Tolerations& tolerations, std::size_t resources) {
  std::vector<Sum> sums(resources, 0);
  for (auto& [text, group] : groups_) {
    if (!tolerations.tolerate(group.taints, group.witness)) continue;
    for (std::size_t r = 0; r < std::min(resources, group.sums.size()); ++r) {
      sums[r] += group.sums[r];
    }
  }
  policy::Amounts total(resources);
  for (std::size_t r = 0; r < resources; ++r)
    total[r] = static_cast<double>(sums[r]) / parts_a_unit;
  return total;
}

}  // namespace dray::planner
