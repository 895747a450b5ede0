#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dray/alloc/allowance.h"
#include "dray/alloc/features.h"
#include "dray/alloc/shortage.h"
#include "dray/base/error.h"
#include "dray/cluster/allocated_state.h"
#include "dray/model/claim.h"
#include "dray/model/reason.h"

namespace dray::alloc {

/// Devices for every claim, in the order of the claims.
struct Allocation {
  std::vector<AllocationResult> results;
  /// Which alternative of firstAvailable was taken, summed as kube-scheduler scores nodes by it:
  /// 8 - index each. Higher is better.
  std::int64_t preference = 0;
  /// What `best` mode thinks of the choice; higher is better, comparable between nodes.
  std::int64_t score = 0;
  /// Things that work but may not be meant; not a refusal.
  std::vector<std::string> warnings;
};

/// Where a request's candidates went, stage by stage.
struct RequestFunnel {
  std::string claim;
  std::string request;
  std::int64_t wanted = 0;  ///< of `all`: how many that are
  bool all = false;         ///< all that its selectors accept are wanted
  std::size_t devices = 0;  ///< published for the node, in usable pools
  std::size_t after_class = 0;
  std::size_t after_selectors = 0;
  std::size_t after_capacity = 0;
  std::size_t after_taints = 0;
  std::size_t after_use = 0;
  std::size_t after_counters = 0;
  std::size_t incomplete_pools = 0;
  std::size_t invalid_pools = 0;
  std::string nearest_miss;  ///< the device of the class that came furthest, and what it is
};

/// There are no devices for the claims on this node.
struct Unsatisfied {
  Reason reason = Reason::none;
  std::string request;  ///< claim/request that ran out of candidates first, if one did
  std::string detail;   ///< counts and names, for people
  std::shared_ptr<const Shortage> shortage;  ///< the same in numbers; never null
};

/// "Does not fit" is a value; errors are upstream's.
using AllocationOutcome = std::variant<Allocation, Unsatisfied>;

/// Whether a node does, without the devices themselves: what a planner asks of many nodes.
struct Fit {
  Reason reason = Reason::none;  ///< none: it fits
  std::int64_t preference = 0;   ///< as in Allocation
  std::int64_t score = 0;        ///< as in Allocation
  /// Mode predicted: 0 where the devices are together on every level of alignment; else negative.
  std::int64_t alignment = 0;
  std::uint32_t unready = 0;  ///< devices with binding conditions: to be made ready first
  std::shared_ptr<const Shortage> shortage;  ///< of a refusal: why, in numbers; never null then
};

/// Which of the possible devices are chosen.
enum class Mode : std::uint8_t {
  first_fit,  ///< bit for bit what Kubernetes' structured allocator gives
  best,       ///< the same feasibility; the best choice by score
  /// As first_fit, for who may choose the node alone: what is not together on a required level of
  /// alignment does not fit, and how far apart it is is said.
  predicted,
};

/// Which used cards shares go to.
enum class SharePlacement : std::uint8_t { pack, spread };

/// A kind of place that a pod's devices should share: a PCIe root, a NUMA node.
struct AlignmentLevel {
  std::vector<std::string> attributes;  ///< of all drivers; the first that a device has counts
  /// No choice with devices in two places will do; a device of no known place goes with any.
  bool required = false;

  bool operator==(const AlignmentLevel&) const = default;
};

/// How devices are chosen, and how long is looked for them.
struct AllocatorOptions {
  Mode mode = Mode::first_fit;
  Features features;
  Compatibility compatibility = Compatibility::v0_37_2;
  SharePlacement shares = SharePlacement::pack;
  /// Not in mode first_fit: levels on which a pod's devices should be together, the most wanted
  /// first.
  std::vector<AlignmentLevel> alignment{
      {.attributes = {"resource.kubernetes.io/pcieRoot"}},
      {.attributes = {"resource.kubernetes.io/numaNode", "dra.net/numaNode", "dra.cpu/numaNodeID",
                      "spyre.ibm.com/numaInfo"}},
      {.attributes = {"dra.cpu/socketID", "dra.nvme/cpuSocketID"}}};
  /// Mode best: devices looked at after the first solution, for a better one.
  std::uint64_t better_step_budget = 20'000;
  /// Devices looked at in one search, after which it ends with Reason::search_budget.
  std::uint64_t step_budget = 200'000;
  /// Gives share ids (lower-case UUIDs), a new one each call; absent: counted from zero, unique
  /// within this allocator only.
  std::function<std::string()> next_share_id;
};

/// Finds devices for claims. Remembers what it worked out by shape, bounded; that saves work and
/// changes no answer. One thread at a time.
/// Order of search and every rule: structured allocator of
/// kubernetes/dynamic-resource-allocation v0.37 (incubating; experimental where only that has the
/// feature).
class Allocator {
 public:
  /// Remembers nothing yet.
  explicit Allocator(AllocatorOptions options = {});
  ~Allocator();
  Allocator(Allocator&&) noexcept;
  Allocator& operator=(Allocator&&) noexcept;

  /// Devices for every request of `claims` on `node`, or why there are none. `claims` are those
  /// without devices. An Error is upstream's fatal one, with its exact text: no other node is
  /// tried. What upstream reports as an error of this node alone is Unsatisfied (Reason
  /// pool_invalid).
  [[nodiscard]] Result<AllocationOutcome> allocate(const cluster::AllocatedState& state,
                                                   cluster::NodeIndex node,
                                                   std::span<const ResourceClaim* const> claims);

  /// The same, but only what is within the allowance is a solution: the first such in the order of
  /// search, or in mode best the best one. Never remembered.
  [[nodiscard]] Result<AllocationOutcome> allocate(const cluster::AllocatedState& state,
                                                   cluster::NodeIndex node,
                                                   std::span<const ResourceClaim* const> claims,
                                                   const Allowance& allowance);

  /// The same as the first, without results. Where a node did not change since the last question of
  /// the shape, this costs two look-ups.
  [[nodiscard]] Result<Fit> check(const cluster::AllocatedState& state, cluster::NodeIndex node,
                                  std::span<const ResourceClaim* const> claims);

  /// Stage by stage where the candidates of each request went; never remembered.
  [[nodiscard]] std::vector<RequestFunnel> explain(const cluster::AllocatedState& state,
                                                   cluster::NodeIndex node,
                                                   std::span<const ResourceClaim* const> claims);

  /// As given.
  [[nodiscard]] const AllocatorOptions& options() const;

  /// Work done since the start.
  struct Counts {
    std::uint64_t calls = 0;
    std::uint64_t searches = 0;  ///< calls that memory could not answer
    std::uint64_t steps = 0;     ///< devices looked at
  };
  /// For measures and tests; says nothing of answers.
  [[nodiscard]] Counts counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::alloc
