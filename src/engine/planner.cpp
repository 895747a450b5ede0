#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>

#include "dray/alloc/allocator.h"
#include "dray/alloc/extended_resources.h"
#include "dray/cluster/allocated_state.h"
#include "dray/cluster/node_fit.h"
#include "dray/engine/plan.h"
#include "engine/node_order.h"
#include "engine/pod_claims.h"
#include "engine/pod_marks.h"

namespace dray::engine {
namespace {

using cluster::NodeIndex;

/// status.reservedFor holds at most 256 (k8s.io/api/resource/v1).
constexpr std::size_t max_consumers = 256;

/// Why nodes were refused: the Reason that got furthest is the job's, the counts are for people.
class Refusals {
 public:
  void add(Reason reason, const std::string& detail = {}) {
    ++counts_[reason];
    if (!detail.empty()) details_.try_emplace(reason, detail);
  }
  [[nodiscard]] Reason furthest() const {
    return counts_.empty() ? Reason::no_node_fits : counts_.rbegin()->first;
  }
  /// `DevicesInUse on 3 nodes (…), NodeTaint on 2 nodes`.
  [[nodiscard]] std::string summary() const {
    std::string text;
    for (auto it = counts_.rbegin(); it != counts_.rend(); ++it) {
      if (!text.empty()) text += ", ";
      text +=
          fmt::format("{} on {} node{}", name(it->first), it->second, it->second == 1 ? "" : "s");
      const auto detail = details_.find(it->first);
      if (detail != details_.end()) text += " (" + detail->second + ")";
    }
    return text;
  }

 private:
  std::map<Reason, std::size_t> counts_;
  std::map<Reason, std::string> details_;
};

/// The claims of one pod, split by whether they have devices already.
struct Demand {
  PodClaims claims;
  std::vector<const ResourceClaim*> open;
  std::vector<std::pair<const ResourceClaim*, std::shared_ptr<const AllocationResult>>> given;
  /// Some of its extended resources may have to come from devices (KEP-5004), and what an earlier
  /// attempt has left of the claim for them.
  bool extended = false;
  std::shared_ptr<const ResourceClaim> earlier;
};

/// What a node would have to give for the pod's extended resources.
struct Extended {
  std::optional<alloc::ExtendedResourceClaim> needed;
  const ResourceClaim* open = nullptr;                ///< the claim to allocate, if any
  std::shared_ptr<const AllocationResult> allocated;  ///< by an earlier attempt
};

class PodPlanner {
 public:
  PodPlanner(const PlanInput& input, alloc::Allocator& allocator)
      : input_(input),
        allocator_(allocator),
        state_(input.snapshot),
        order_(*input.snapshot, input.only) {}

  Plan run() {
    Plan plan;
    for (const auto* job : waiting()) {
      if (plan.jobs.size() >= input_.budget.jobs || tried_ >= input_.budget.nodes_tried) {
        plan.exhausted = true;
        break;
      }
      plan.jobs.push_back(place(job->first()));
      plan.jobs.back().job = job->uid;
    }
    plan.nodes_tried = tried_;
    plan.exhausted = plan.exhausted || exhausted_;
    return plan;
  }

 private:
  [[nodiscard]] std::vector<const Job*> waiting() const {
    std::vector<const Job*> found;
    for (const auto& job : input_.jobs) {
      if (job->members.front().state == MemberState::waiting) found.push_back(job.get());
    }
    std::ranges::sort(found, {}, [](const Job* job) {
      return std::tuple(!job->promised, -job->priority, job->created, job->uid);
    });
    return found;
  }

  JobOutcome place(const Pod& pod) {
    JobOutcome outcome;
    outcome.pods = {pod.meta.uid};
    auto claims = claims_of(*input_.snapshot, pod);
    if (!claims) {
      outcome.reason = claims.error().reason;
      outcome.detail = claims.error().detail;
      return outcome;
    }
    auto demand = split(std::move(*claims));
    demand.extended = !class_resources(*input_.snapshot, pod).empty();
    if (demand.extended) demand.earlier = earlier_claim(pod);
    for (const auto& [claim, allocation] : demand.given) {
      if (claim->reserved_for.size() < max_consumers) continue;
      outcome.reason = Reason::claim_consumers;
      outcome.detail = "claim " + claim->key().to_string();
      return outcome;
    }
    search(pod, demand, outcome);
    return outcome;
  }

  [[nodiscard]] std::shared_ptr<const ResourceClaim> earlier_claim(const Pod& pod) const {
    auto claim = input_.snapshot->claim(alloc::extended_resource_claim_key(pod));
    if (!claim || !alloc::is_extended_resource_claim(*claim, pod.meta.uid)) return nullptr;
    return claim;
  }

  [[nodiscard]] Demand split(PodClaims claims) const {
    Demand demand;
    demand.claims = std::move(claims);
    for (const auto& claim : demand.claims) {
      if (auto allocation = state_.allocation(claim->key())) {
        demand.given.emplace_back(claim.get(), std::move(allocation));
      } else {
        demand.open.push_back(claim.get());
      }
    }
    return demand;
  }

  /// The first node in order that takes the pod; the one it was promised before comes first.
  void search(const Pod& pod, const Demand& demand, JobOutcome& outcome) {
    const cluster::NodeFit fit(pod, *input_.snapshot);
    Refusals refusals;
    const auto attempt = [&](NodeIndex node) {
      return try_node(pod, demand, fit, node, refusals, outcome);
    };
    const auto hint = promised_node(pod);
    const auto hinted = hint ? input_.snapshot->name(*hint) : NodeName();
    bool done = hint && attempt(*hint);
    // A taken node moves in the order: the walk ends with it.
    if (!done) {
      order_.walk([&](NodeIndex node) {
        if (node != hint) done = attempt(node);
        return !done && !exhausted_;
      });
    }
    if (done) {
      if (outcome.placements.empty()) return;
      // `take` has left the warnings there.
      outcome.detail =
          explain_choice(refusals, outcome.placements.front().node == hinted) + outcome.detail;
      return;
    }
    outcome.reason = exhausted_ ? Reason::planning : refusals.furthest();
    outcome.detail = refusals.summary();
  }

  [[nodiscard]] static std::string explain_choice(const Refusals& refusals, bool promised) {
    std::string why = promised ? "as promised before" : "fewest free devices that fit";
    const auto passed = refusals.summary();
    return passed.empty() ? why : why + "; passed over: " + passed;
  }

  [[nodiscard]] std::optional<NodeIndex> promised_node(const Pod& pod) const {
    const auto hint = pod.meta.annotations.find(reservation_annotation);
    if (hint == pod.meta.annotations.end()) return std::nullopt;
    const auto node = input_.snapshot->node(NodeName(hint->second));
    return node && order_.contains(*node) ? node : std::nullopt;
  }

  /// True ends the search: the pod is placed, or an error gives it up on all nodes.
  bool try_node(const Pod& pod, const Demand& demand, const cluster::NodeFit& fit, NodeIndex node,
                Refusals& refusals, JobOutcome& outcome) {
    if (tried_ >= input_.budget.nodes_tried) {
      exhausted_ = true;
      return false;
    }
    ++tried_;
    if (const auto reason = cheap_refusal(pod, demand, fit, node); reason != Reason::none) {
      refusals.add(reason);
      return false;
    }
    Extended extended;
    if (demand.extended && !extend(pod, demand, node, extended)) {
      refusals.add(Reason::claim_elsewhere);
      return false;
    }
    auto open = demand.open;
    if (extended.open != nullptr) open.push_back(extended.open);
    auto found = allocator_.allocate(state_, node, open);
    if (!found) {
      outcome.reason = Reason::allocation_error;
      outcome.detail = found.error().message;
      return true;
    }
    if (const auto* no = std::get_if<alloc::Unsatisfied>(&*found)) {
      refusals.add(no->reason, no->detail);
      return false;
    }
    take(pod, demand, std::move(extended), node, std::get<alloc::Allocation>(std::move(*found)),
         outcome);
    return true;
  }

  /// False: the claim that an earlier attempt has made is not what this node would need.
  [[nodiscard]] bool extend(const Pod& pod, const Demand& demand, NodeIndex node,
                            Extended& extended) {
    extended.needed = alloc::extended_resource_claim(pod, *input_.snapshot, node);
    const auto& earlier = demand.earlier;
    if (!extended.needed) return !earlier || !earlier->allocation;
    if (!earlier) {
      extended.open = &extended.needed->claim;
      return true;
    }
    if (earlier->meta.deleted || earlier->spec != extended.needed->claim.spec) return false;
    extended.allocated = state_.allocation(earlier->key());
    if (!extended.allocated) extended.open = earlier.get();
    return !extended.allocated || usable_on(*extended.allocated, node);
  }

  [[nodiscard]] bool usable_on(const AllocationResult& allocation, NodeIndex node) const {
    if (!allocation.node_selector) return true;
    const auto matcher = cluster::NodeMatcher::compile(*allocation.node_selector);
    return matcher && matcher->matches(input_.snapshot->facts(node));
  }

  [[nodiscard]] Reason cheap_refusal(const Pod& pod, const Demand& demand,
                                     const cluster::NodeFit& fit, NodeIndex node) const {
    const RefusedNode refused{pod.meta.uid, input_.snapshot->name(node)};
    if (std::ranges::binary_search(input_.refused, refused)) return Reason::node_refused;
    if (const auto reason = fit.check(state_, node); reason != Reason::none) return reason;
    for (const auto& [claim, allocation] : demand.given) {
      if (!usable_on(*allocation, node)) return Reason::claim_elsewhere;
    }
    return Reason::none;
  }

  void take(const Pod& pod, const Demand& demand, Extended extended, NodeIndex node,
            alloc::Allocation found, JobOutcome& outcome) {
    Placement placement{.pod = pod.key(),
                        .pod_uid = pod.meta.uid,
                        .node = input_.snapshot->name(node),
                        .claims = {}};
    std::size_t devices = 0;
    std::size_t next = 0;
    for (const auto& claim : demand.claims) {
      ClaimPlacement part{.claim = claim->key(),
                          .claim_uid = claim->meta.uid,
                          .allocation = {},
                          .already_allocated = claim->allocation.has_value()};
      const auto given = std::ranges::find(demand.given, claim.get(),
                                           [](const auto& entry) { return entry.first; });
      if (given != demand.given.end()) {
        part.allocation = *given->second;
      } else {
        part.allocation = std::move(found.results.at(next++));
        devices += part.allocation.devices.size();
      }
      placement.claims.push_back(std::move(part));
    }
    if (extended.needed) {
      auto& needed = *extended.needed;
      ClaimPlacement part{.claim = needed.claim.key(),
                          .claim_uid = demand.earlier ? demand.earlier->meta.uid : Uid(),
                          .allocation = {},
                          .extended = {{std::move(needed.claim.spec), std::move(needed.mappings)}}};
      part.already_allocated = extended.allocated != nullptr;
      part.allocation =
          extended.allocated ? *extended.allocated : std::move(found.results.at(next++));
      devices += part.already_allocated ? 0 : part.allocation.devices.size();
      placement.claims.push_back(std::move(part));
    }
    state_.place(placement, &pod);
    order_.took(node, devices);
    for (const auto& warning : found.warnings) outcome.detail += "; " + warning;
    std::ranges::move(found.warnings, std::back_inserter(outcome.warnings));
    outcome.placements.push_back(std::move(placement));
  }

  const PlanInput& input_;
  alloc::Allocator& allocator_;
  cluster::AllocatedState state_;
  NodeOrder order_;
  std::size_t tried_ = 0;
  bool exhausted_ = false;
};

}  // namespace

struct Planner::State {
  alloc::Allocator allocator;
};

Planner::Planner(alloc::AllocatorOptions options)
    : state_(std::make_unique<State>(State{alloc::Allocator(std::move(options))})) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

Plan Planner::plan(const PlanInput& input) {
  return PodPlanner(input, state_->allocator).run();
}

std::string_view name(EvictionCause cause) {
  constexpr std::array names{"Reclaim", "Preemption", "Consolidation", "StaleGang"};
  return names[static_cast<std::size_t>(cause)];
}

}  // namespace dray::engine
