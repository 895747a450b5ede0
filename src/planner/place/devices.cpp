#include <algorithm>
#include <utility>

#include "dray/cluster/node_allocatable.h"
#include "planner/place/fit.h"

// The devices of members whose node is chosen.
namespace dray::planner {

using cluster::NodeIndex;

/// The claims that still need devices in `state`.
std::vector<const ResourceClaim*> open_claims(const cluster::AllocatedState& state,
                                              const PodClaims& claims) {
  std::vector<const ResourceClaim*> open;
  for (const auto& claim : claims) {
    if (!state.allocation(claim->key())) open.push_back(claim.get());
  }
  return open;
}

std::expected<Placement, Reason> PlanFit::devices(const PlanTask& task, const Choice& choice) {
  PlanTask* const one = const_cast<PlanTask*>(&task);
  auto placements = devices_together(std::span(&one, 1), choice);
  if (!placements) return std::unexpected(Reason::unsupported);
  return std::move(placements->front());
}

std::optional<std::vector<Placement>> PlanFit::devices_together(std::span<PlanTask* const> tasks,
                                                                const Choice& choice) {
  auto placed = place_in(choice.now ? overlay_.now() : overlay_.soon(), tasks, choice.node);
  if (!placed) return std::nullopt;
  return *std::move(placed);
}

std::expected<std::vector<Placement>, Reason> PlanFit::place_in(
    const cluster::AllocatedState& state, std::span<PlanTask* const> tasks, NodeIndex node) {
  std::vector<const ResourceClaim*> open;
  std::vector<Extended> extended(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const auto* claim : open_claims(state, tasks[i]->claims)) {
      if (std::ranges::find(open, claim) == open.end()) open.push_back(claim);
    }
    auto more = extend(state, *tasks[i]->shape, *tasks[i], node);
    if (!more) return std::unexpected(Reason::claim_elsewhere);
    extended[i] = std::move(*more);
    if (const auto* claim = extended[i].open()) open.push_back(claim);
  }
  alloc::Allocation found;
  if (!open.empty()) {
    auto outcome = allocator_.allocate(state, node, open);
    if (!outcome) {
      error_ = outcome.error().message;
      return std::unexpected(Reason::allocation_error);
    }
    if (const auto* no = std::get_if<alloc::Unsatisfied>(&*outcome)) {
      return std::unexpected(no->reason);
    }
    found = std::move(std::get<alloc::Allocation>(*outcome));
  }
  warnings_ = found.warnings;
  auto placements = placements_of(state, tasks, node, open, extended, found);
  if (const auto no = count_node_allocatable(state, tasks, node, placements); no != Reason::none) {
    return std::unexpected(no);
  }
  return placements;
}

/// What each member gets of what was found for the claims that were open.
std::vector<Placement> PlanFit::placements_of(const cluster::AllocatedState& state,
                                              std::span<PlanTask* const> tasks, NodeIndex node,
                                              const std::vector<const ResourceClaim*>& open,
                                              const std::vector<Extended>& extended,
                                              const alloc::Allocation& found) const {
  std::vector<Placement> placements;
  placements.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto* task = tasks[i];
    Placement placement{.pod = task->pod().key(),
                        .pod_uid = task->pod().meta.uid,
                        .node = input_.snapshot->name(node),
                        .claims = {}};
    for (const auto& claim : task->claims) {
      ClaimPlacement part{.claim = claim->key(),
                          .claim_uid = claim->meta.uid,
                          .allocation = {},
                          .already_allocated = claim->allocation.has_value()};
      const auto at = std::ranges::find(open, claim.get());
      if (at == open.end()) {
        part.allocation = *state.allocation(claim->key());
      } else {
        part.already_allocated = false;
        part.allocation = found.results.at(static_cast<std::size_t>(at - open.begin()));
      }
      placement.claims.push_back(std::move(part));
    }
    if (const auto& more = extended[i]; more.needed) {
      ClaimPlacement part{.claim = more.needed->claim.key(),
                          .claim_uid = more.earlier ? more.earlier->meta.uid : Uid(),
                          .allocation = {},
                          .already_allocated = more.allocated != nullptr,
                          .extended = {{more.needed->claim.spec, more.needed->mappings}}};
      const auto at = std::ranges::find(open, more.open());
      part.allocation = more.allocated
                            ? *more.allocated
                            : found.results.at(static_cast<std::size_t>(at - open.begin()));
      placement.claims.push_back(std::move(part));
    }
    placements.push_back(std::move(placement));
  }
  return placements;
}

/// Notes what the devices take of the node's own resources, if those count, and checks them.
Reason PlanFit::count_node_allocatable(const cluster::AllocatedState& state,
                                       std::span<PlanTask* const> tasks, NodeIndex node,
                                       std::vector<Placement>& placements) {
  if (!counts_node_allocatable()) return Reason::none;
  cluster::NodeAmounts before;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& pod = tasks[i]->pod();
    auto devices =
        cluster::node_allocatable_claims(*input_.snapshot, node, pod, placements[i].claims);
    if (!devices) {
      error_ = devices.error().message;
      return Reason::allocation_error;
    }
    const auto reason = cluster::node_allocatable_fit(state, node, pod, *devices, before);
    if (reason != Reason::none) return reason;
    before.add(cluster::requests_of(pod, *devices));
    placements[i].node_allocatable = *std::move(devices);
  }
  return Reason::none;
}

}  // namespace dray::planner
