#include "planner/place/shortages.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace dray::planner {
namespace {

using alloc::Shortage;

/// How near a node is to what is wanted; more is nearer.
auto nearness(const Shortage& shortage) {
  return std::tuple(!shortage.because.empty() || !shortage.together.empty(),
                    shortage.would_do_if_free(),
                    shortage.would_do_if_free() ? shortage.left : shortage.suitable,
                    shortage.suitable, shortage.of_class, shortage.incomplete_pools);
}

std::string none_text(const Shortage& best, const std::string& places) {
  const auto& name = best.device_class;
  if (best.of_class == 0) {
    // Where it is nowhere, no node is worth a name but one that will have it.
    return fmt::format("no node has a device of class {}{}", name,
                       best.incomplete_pools > 0 ? " " + places : "");
  }
  auto text = fmt::format("no node has a device of class {} that the request accepts", name);
  if (best.selector) text += fmt::format(", see its selector #{}", *best.selector);
  return text + fmt::format("; the most of the class on a node is {} {}", best.of_class, places);
}

}  // namespace

void Shortages::add(const std::shared_ptr<const Shortage>& shortage, const NodeName& node) {
  if (shortage != last_) {
    const auto [known, fresh] = known_.try_emplace(shortage, 0);
    if (fresh) known->second = group_of(shortage, node);
    last_ = shortage;
    last_group_ = known->second;
  }
  ++groups_[last_group_].nodes;
}

std::size_t Shortages::group_of(const std::shared_ptr<const Shortage>& shortage,
                                const NodeName& node) {
  const auto same = std::ranges::find_if(
      groups_, [&](const Group& group) { return *group.shortage == *shortage; });
  if (same != groups_.end()) return static_cast<std::size_t>(same - groups_.begin());
  groups_.push_back({shortage, node, 0});
  return groups_.size() - 1;
}

/// The nodes that are as near as the best.
std::string Shortages::places(const Group& best) const {
  std::size_t nodes = 0;
  for (const auto& group : groups_) {
    const auto& other = *group.shortage;
    if (nearness(other) == nearness(*best.shortage) &&
        (!other.would_do_if_free() || other.kept_out == best.shortage->kept_out)) {
      nodes += group.nodes;
    }
  }
  return nodes == 1 ? fmt::format("({})", best.first.get())
                    : fmt::format("({} and {} more)", best.first.get(), nodes - 1);
}

const Shortages::Group& Shortages::best() const {
  return *std::ranges::max_element(groups_, [](const Group& a, const Group& b) {
    return nearness(*a.shortage) < nearness(*b.shortage);
  });
}

bool Shortages::free_would_do() const {
  return std::ranges::any_of(groups_, [](const Group& group) {
    return !group.shortage->because.empty() || group.shortage->would_do_if_free();
  });
}

std::string Shortages::text(const PoolFaults& faults) const {
  if (groups_.empty()) return {};
  const auto& best = this->best();
  const auto& shortage = *best.shortage;
  auto where = places(best);
  const bool faulty = shortage.incomplete_pools + shortage.invalid_pools > 0;
  const auto pools = faulty ? faults(best.first) : std::string();
  if (!shortage.because.empty()) {
    return fmt::format("{} {}", pools.empty() ? shortage.because : pools, where);
  }
  if (!pools.empty()) where += "; " + pools;
  const bool one = !shortage.request.empty() && !shortage.device_class.empty();
  const auto request = one ? fmt::format("request {}: ", shortage.request) : "";
  const auto wants = fmt::format("{}wants {} on one node; ", request, alloc::terms(shortage));
  if (shortage.would_do_if_free()) {
    const auto kept_out = alloc::kept_out_text(shortage);
    return fmt::format("{}the most that a node has left is {} of {}{}{} {}", wants, shortage.left,
                       shortage.suitable, kept_out.empty() ? "" : ": ", kept_out, where);
  }
  if (shortage.suitable == 0) return request + none_text(shortage, where);
  const auto accepted = shortage.suitable < shortage.of_class ? " that the request accepts" : "";
  return fmt::format("{}the most{} that a node has is {} {}", wants, accepted, shortage.suitable,
                     where);
}

}  // namespace dray::planner
