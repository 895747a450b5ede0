#include "planner/place/devices.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <variant>

#include "dray/cluster/node_match.h"
#include "dray/model/pod_claim.h"
#include "planner/state/claim_use.h"

namespace dray::planner {

using cluster::NodeIndex;

std::vector<const ResourceClaim*> open_claims(const cluster::AllocatedState& state,
                                              const PodClaims& claims) {
  std::vector<const ResourceClaim*> open;
  for (const auto& claim : claims) {
    if (!state.allocation(claim->key())) open.push_back(claim.get());
  }
  return open;
}

namespace {

/// The bound as the allocator reads it, of these claims.
alloc::Allowance allowance(const DeviceBound& bound, std::span<const ResourceClaim* const> claims) {
  alloc::Allowance made;
  made.most.assign(bound.most.values().begin(), bound.most.values().end());
  made.count = [&bound, claims](std::size_t claim, const ClassName& device_class,
                                const DriverName& driver, const cluster::DeviceTraits& traits,
                                const Counters* consumed, std::span<double> takes) {
    if (!bound.counts(*claims[claim])) return;
    const auto counts = bound.counting.of(traits.capacity, driver, device_class,
                                          consumed == nullptr ? Counters{} : *consumed);
    for (std::size_t r = 0; r < takes.size(); ++r) takes[r] += counts[r];
  };
  return made;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
}

/// The allocator's text with `claim "ENTRY"` for `claim NAMESPACE/NAME`: it is the same for all
/// pods of a shape, and names no claim of another pod.
std::string by_entries(std::string text, const Pod& pod, const ResourceClaim* extended) {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& entry : pod.resource_claims) {
    const auto* name = claim_of_entry(pod, entry).name;
    if (name == nullptr) continue;
    names.emplace_back("claim " + ClaimKey{pod.meta.namespace_name, *name}.to_string(),
                       "claim \"" + entry.name + "\"");
  }
  if (extended != nullptr) {
    names.emplace_back("claim " + extended->key().to_string(), "claim for extended resources");
  }
  // A name may be the beginning of another one.
  std::ranges::sort(names, std::greater());
  for (const auto& [what, by] : names) replace_all(text, what, by);
  return text;
}

}  // namespace

const ResourceClaim* Devices::Extended::open() const {
  if (!needed || allocated) return nullptr;
  return earlier ? earlier.get() : &needed->claim;
}

const AllocationResult& Devices::Request::result_of(const ResourceClaim* claim) const {
  const auto at = std::ranges::find(open, claim);
  return found.results.at(static_cast<std::size_t>(at - open.begin()));
}

Reason Devices::given_elsewhere(const cluster::AllocatedState& state, const Task& task,
                                NodeIndex node) const {
  for (const auto& claim : task.claims) {
    const auto given = state.allocation(claim->key());
    if (!given) continue;
    if (is_full_for(*claim, task.pod())) return Reason::claim_consumers;
    if (!usable_on(*given, node)) return Reason::claim_elsewhere;
    if (!counts_node_allocatable()) continue;
    const bool used = !claim->reserved_for.empty() && !is_listed_user(*claim, task.pod());
    if (used && cluster::stands_for_node_resource(snapshot_, *given)) {
      return Reason::claim_consumers;
    }
  }
  return Reason::none;
}

DeviceCheck Devices::check(const cluster::AllocatedState& state, const Task& task, NodeIndex node) {
  const auto& shape = *task.shape;
  std::vector<const ResourceClaim*> open;
  if (shape.singular) {
    if (const auto no = given_elsewhere(state, task, node); no != Reason::none) return {no};
    open = open_claims(state, task.claims);
  } else {
    // Others of the shape ask for the same, by other names.
    for (const auto& claim : shape.claims) open.push_back(claim.get());
  }
  const auto extended = extend(state, task, node);
  if (!extended) return {Reason::claim_elsewhere};
  if (const auto* claim = extended->open()) open.push_back(claim);
  const auto& asks = shape.singular ? task.pod() : *shape.pod;
  DeviceCheck made;
  if (!open.empty()) {
    auto fit = allocator_.check(state, node, open);
    if (!fit) {
      return {Reason::allocation_error,
              by_entries(std::move(fit.error().message), asks, extended->open())};
    }
    made.ranks = {.preference = static_cast<std::int32_t>(fit->preference),
                  .unready = fit->unready,
                  .alignment = fit->alignment};
    made.reason = fit->reason;
    made.shortage = std::move(fit->shortage);
  }
  if (made.reason != Reason::none || !counts_node_allocatable()) return made;
  // Which devices they are decides whether the node itself has room.
  const auto* const one = &task;
  if (auto chosen = choose(state, std::span(&one, 1), node); !chosen) {
    made.reason = chosen.error().reason;
    made.error = by_entries(std::move(chosen.error().error), task.pod(), extended->open());
    made.lack = std::move(chosen.error().lack);
  }
  return made;
}

std::expected<ChosenDevices, NoDevices> Devices::choose(const cluster::AllocatedState& state,
                                                        std::span<const Task* const> tasks,
                                                        NodeIndex node, const DeviceBound* bound) {
  auto request = this->request(state, tasks, node);
  if (!request) return std::unexpected(std::move(request.error()));
  if (!request->open.empty()) {
    auto outcome = bound == nullptr ? allocator_.allocate(state, node, request->open)
                                    : allocator_.allocate(state, node, request->open,
                                                          allowance(*bound, request->open));
    if (!outcome) {
      return std::unexpected(NoDevices{Reason::allocation_error, outcome.error().message});
    }
    if (const auto* no = std::get_if<alloc::Unsatisfied>(&*outcome)) {
      return std::unexpected(NoDevices{no->reason, {}});
    }
    request->found = std::move(std::get<alloc::Allocation>(*outcome));
  }
  ChosenDevices made;
  made.placements.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    made.placements.push_back(placement_of(state, *tasks[i], node, *request, request->extended[i]));
  }
  if (auto no = count_node_allocatable(state, tasks, node, made.placements)) {
    return std::unexpected(*std::move(no));
  }
  made.warnings = std::move(request->found.warnings);
  made.preference = static_cast<std::int32_t>(request->found.preference);
  return made;
}

std::expected<Devices::Request, NoDevices> Devices::request(const cluster::AllocatedState& state,
                                                            std::span<const Task* const> tasks,
                                                            NodeIndex node) const {
  Request request;
  request.extended.resize(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    for (const auto* claim : open_claims(state, tasks[i]->claims)) {
      if (std::ranges::find(request.open, claim) == request.open.end()) {
        request.open.push_back(claim);
      }
    }
    auto more = extend(state, *tasks[i], node);
    if (!more) return std::unexpected(NoDevices{Reason::claim_elsewhere, {}});
    request.extended[i] = std::move(*more);
    if (const auto* claim = request.extended[i].open()) request.open.push_back(claim);
  }
  return request;
}

/// What a member gets of what was found for the claims that were open.
Placement Devices::placement_of(const cluster::AllocatedState& state, const Task& task,
                                NodeIndex node, const Request& request,
                                const Extended& extended) const {
  Placement placement{.pod = task.pod().key(),
                      .pod_uid = task.pod().meta.uid,
                      .node = snapshot_.name(node),
                      .claims = {}};
  for (const auto& claim : task.claims) {
    const bool open = std::ranges::find(request.open, claim.get()) != request.open.end();
    placement.claims.push_back(
        {.claim = claim->key(),
         .claim_uid = claim->meta.uid,
         .allocation = open ? request.result_of(claim.get()) : *state.allocation(claim->key()),
         .already_allocated = !open && claim->allocation.has_value()});
  }
  if (extended.needed) {
    const auto& needed = *extended.needed;
    placement.claims.push_back({.claim = needed.claim.key(),
                                .claim_uid = extended.earlier ? extended.earlier->meta.uid : Uid(),
                                .allocation = extended.allocated
                                                  ? *extended.allocated
                                                  : request.result_of(extended.open()),
                                .already_allocated = extended.allocated != nullptr,
                                .extended = {{needed.claim.spec, needed.mappings}}});
  }
  return placement;
}

/// Notes what the devices take of the node's own resources, if those count, and checks them.
std::optional<NoDevices> Devices::count_node_allocatable(const cluster::AllocatedState& state,
                                                         std::span<const Task* const> tasks,
                                                         NodeIndex node,
                                                         std::vector<Placement>& placements) const {
  if (!counts_node_allocatable()) return std::nullopt;
  cluster::NodeAmounts before;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto& pod = tasks[i]->pod();
    auto devices = cluster::node_allocatable_claims(snapshot_, node, pod, placements[i].claims);
    if (!devices) return NoDevices{Reason::allocation_error, devices.error().message};
    auto lack = cluster::node_allocatable_lack(state, node, pod, *devices, before);
    if (lack) return NoDevices{Reason::node_resources, {}, std::move(lack)};
    before.add(cluster::requests_of(pod, *devices));
    placements[i].node_allocatable = *std::move(devices);
  }
  return std::nullopt;
}

std::optional<Devices::Extended> Devices::extend(const cluster::AllocatedState& state,
                                                 const Task& task, NodeIndex node) const {
  Extended extended;
  if (task.shape->class_resources.empty()) return extended;
  extended.needed = alloc::extended_resource_claim(task.pod(), snapshot_, node);
  auto earlier = snapshot_.claim(alloc::extended_resource_claim_key(task.pod()));
  if (!earlier || !alloc::is_extended_resource_claim(*earlier, task.pod().meta.uid)) {
    return extended;
  }
  extended.earlier = std::move(earlier);
  const auto& made = *extended.earlier;
  if (!extended.needed) {
    if (made.allocation) return std::nullopt;
    return extended;
  }
  if (made.meta.deleted || made.spec != extended.needed->claim.spec) return std::nullopt;
  extended.allocated = state.allocation(made.key());
  if (extended.allocated && !usable_on(*extended.allocated, node)) return std::nullopt;
  return extended;
}

bool Devices::usable_on(const AllocationResult& allocation, NodeIndex node) const {
  if (!allocation.node_selector) return true;
  const auto matcher = cluster::NodeMatcher::compile(*allocation.node_selector);
  return matcher && matcher->matches(snapshot_.facts(node));
}

}  // namespace dray::planner
