#include "planner/place/why_there.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "planner/place/device_words.h"
#include "planner/place/placement_strategy.h"

namespace dray::planner {
namespace {

using Rule = ChosenFor::Rule;

/// Nodes that are looked at for one that stays whole: the name costs as much in every cluster.
constexpr std::size_t most_looked_at = 256;

}  // namespace

std::string WhyThere::text(const Placed& placed) const {
  const auto& snapshot = overlay_.snapshot();
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : "; ") + part;
  };
  add(together_text(snapshot, placed.placement, options_.alignment));
  add(choice_text(snapshot, placed.placement));
  add(partition_text(overlay_.releasing(), placed.placement));
  add(node_text(placed));
  return text;
}

std::string WhyThere::node_text(const Placed& placed) const {
  const auto& chosen = placed.chosen;
  if (chosen.rule == Rule::together) return "chosen for the gang's pods together";
  if (chosen.among == 1) return "the only node";
  const auto of_all = fmt::format(" (of {} nodes)", chosen.among);
  switch (chosen.rule) {
    case Rule::together:
      break;
    case Rule::promised:
      return "promised before" + of_all;
    case Rule::shares:
      return "beside other shares of " + shared_device(placed) + of_all;
    case Rule::domain:
      return "in the topology domain that it prefers" + of_all;
    case Rule::strategy:
      return packed_text(placed) + of_all;
  }
  std::unreachable();
}

/// What was free of what the pod takes, and what that spares.
std::string WhyThere::packed_text(const Placed& placed) const {
  const auto& chosen = placed.chosen;
  const auto unit = unit_of(placed);
  if (unit.empty() || chosen.capacity <= 0) {
    return std::string(placement_reason(chosen.strategy));
  }
  const auto& resources = context_.policy.counting.resources();
  const auto amount = [&](double value) {
    return policy::humanize(value, resources[chosen.column].unit);
  };
  const auto free =
      fmt::format("{} of {} {} were free", amount(chosen.free), amount(chosen.capacity), unit);
  if (chosen.strategy == policy::PlacementStrategy::spread) {
    return "the emptiest with room: " + free;
  }
  const bool unused = chosen.free >= chosen.capacity;
  if (taken(placed) >= chosen.free) {
    return unused ? fmt::format("takes the node whole: all {} {}", amount(chosen.capacity), unit)
                  : fmt::format("fills the node: the last {} of {} {}", amount(chosen.free),
                                amount(chosen.capacity), unit);
  }
  const auto whole = unused ? std::string() : kept_whole(placed);
  return whole.empty() ? fmt::format("the fullest with room: {}", free)
                       : fmt::format("keeps {} whole: {} here, the fewest that do", whole, free);
}

/// A node like it, which nobody uses and which takes such a pod; empty: none is found soon.
std::string WhyThere::kept_whole(const Placed& placed) const {
  const auto& chosen = placed.chosen;
  const auto& nodes = overlay_.nodes();
  const auto first =
      std::span(everywhere_.nodes).first(std::min(everywhere_.nodes.size(), most_looked_at));
  const auto found = std::ranges::find_if(first, [&](cluster::NodeIndex node) {
    const auto capacity = nodes.capacity(node)[chosen.column];
    return std::ranges::equal(nodes.capacity(node), nodes.capacity(*placed.task->node)) &&
           nodes.free(node)[chosen.column] == capacity &&
           placed.task->shape->fit.check(overlay_.releasing(), node) == Reason::none;
  });
  return found == first.end() ? std::string() : overlay_.snapshot().name(*found).get();
}

double WhyThere::taken(const Placed& placed) const {
  // A request with alternatives counts as its first one, whichever it got.
  std::size_t devices = 0;
  bool chose = false;
  for (const auto& claim : placed.placement.claims) {
    devices += claim.allocation.devices.size();
    for (const auto& device : claim.allocation.devices) chose |= device.request.contains('/');
  }
  if (chose) return static_cast<double>(devices);
  const auto& demand = *placed.task->demand;
  return placed.chosen.column < demand.counts.size() ? demand.counts[placed.chosen.column]
                                                     : demand.devices;
}

/// Of the resource that the policy counts; empty: it counts none that the pod takes.
std::string WhyThere::unit_of(const Placed& placed) const {
  const auto& resources = context_.policy.counting.resources();
  const auto column = placed.chosen.column;
  if (column >= resources.size()) return {};
  return resources[column].name;
}

std::string WhyThere::shared_device(const Placed& placed) const {
  for (const auto& claim : placed.placement.claims) {
    for (const auto& device : claim.allocation.devices) {
      if (device.share_id) return device.device.device.get();
    }
  }
  return "a device";
}

}  // namespace dray::planner
