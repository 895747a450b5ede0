#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "dray/alloc/features.h"
#include "dray/cluster/allocated_state.h"
#include "dray/cluster/node_facts.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/policy.h"
#include "planner/state/device_offers.h"
#include "planner/state/kept.h"

namespace dray::planner {

/// What a pod takes: of the queues' resources, and of its node for packing.
struct PodDemand {
  /// With devices what it takes; while it waits the most that it may take, of prioritized lists by
  /// their first alternatives.
  policy::Amounts counts;
  policy::Amounts least;  ///< whatever devices it gets, it takes no less…
  policy::Amounts most;   ///< …and no more
  policy::Amounts stays;  ///< of counts: claims that others use as well, who keep them
  double devices = 0;
  double least_devices = 0;   ///< as `least`, of devices that nobody else may have
  bool exact = true;          ///< whatever devices it gets, it takes `counts`
  std::uint64_t counted = 0;  ///< its claims, by place, that count for it and not for another pod
  double milli_cpu = 0;
  cluster::NodeUse use;  ///< of its node, devices apart

  /// What its queue has less when the pod goes.
  [[nodiscard]] policy::Amounts freed() const { return counts - stays; }
  bool operator==(const PodDemand&) const = default;
};

/// Adds a demand, `sign` times, to a row of a NodeTable's columns.
void add_demand(std::span<double> row, const PodDemand& demand, double sign);
/// Adds the least that a pod takes.
void add_least(std::span<double> row, const PodDemand& demand);

/// Shared claims that are counted already, and for which pod: a claim counts once in a job, and
/// once for all in a queue that have room.
using CountedClaims = std::map<ClaimKey, Uid>;

/// Reads what pods take by a policy's counting. Equal demands that jobs have are one.
class DemandTable {
 public:
  /// With more of them, those that nobody has go.
  static constexpr std::size_t most_bytes = std::size_t{2} << 20U;

  /// Forgets all demands.
  void clear();
  /// What the demands from now on are read from.
  void update(std::shared_ptr<const cluster::Snapshot> snapshot, const policy::Policy& policy);
  /// Estimates go by these offers, and by what the allocator can.
  void estimate_by(const DeviceOffers& offers, const alloc::Features& features);
  /// Whether estimates that were made since clear() would be others by now.
  [[nodiscard]] bool outdated() const;

  /// The demand of a pod with these claims, by the devices that they have.
  [[nodiscard]] PodDemand read(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                               CountedClaims& counted);
  /// The same as if no claim had devices yet.
  [[nodiscard]] PodDemand read_as_asked(const std::shared_ptr<const Pod>& pod,
                                        const PodClaims& claims, CountedClaims& counted);
  /// What a pod takes that asked for `wanted` and gets this placement; kept here.
  [[nodiscard]] Kept<PodDemand>::Value of_placement(const std::shared_ptr<const Pod>& pod,
                                                    const PodClaims& claims,
                                                    const PodDemand& wanted,
                                                    const Placement& placement);
  /// The part of that which does not depend on devices that are yet to be chosen in `state`.
  [[nodiscard]] policy::Amounts settled_part(const std::shared_ptr<const Pod>& pod,
                                             const PodClaims& claims, const PodDemand& wanted,
                                             const cluster::AllocatedState& state);
  [[nodiscard]] const policy::Counting& counting() const { return policy_->counting; }
  /// read(), kept here.
  [[nodiscard]] Kept<PodDemand>::Value demand_of(const std::shared_ptr<const Pod>& pod,
                                                 const PodClaims& claims, CountedClaims& counted);
  [[nodiscard]] Kept<PodDemand>::Value intern(PodDemand demand);
  /// How many are kept.
  [[nodiscard]] std::size_t size() const { return demands_.size(); }

 private:
  enum class Devices : std::uint8_t { as_held, as_asked };
  [[nodiscard]] PodDemand read_pod(const Pod& pod);
  [[nodiscard]] policy::Amounts of_class_resources(const cluster::NodeAmounts& requests);
  void add_open(const ResourceClaim& claim, PodDemand& demand);
  void add_held(const ResourceClaim& claim, const AllocationResult& held, PodDemand& demand);
  [[nodiscard]] const PodDemand* copied(const std::shared_ptr<const Pod>& pod);
  [[nodiscard]] PodDemand sum(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                              Devices devices, CountedClaims& counted);
  [[nodiscard]] const Device* find_device(const DeviceId& id);

  std::shared_ptr<const cluster::Snapshot> snapshot_;
  const policy::Policy* policy_ = nullptr;
  Kept<PodDemand> demands_{most_bytes};
  std::shared_ptr<const Pod> copied_;  ///< the last pod whose requests were read, and what they are
  PodDemand copied_demand_;
  Kept<PodDemand>::Value copied_interned_;
  std::map<DeviceId, Device> devices_;  ///< made again from what is published, for counting
  /// What estimates go by, and what they went by since clear().
  struct Estimates {
    const DeviceOffers* offers = nullptr;
    alloc::Features features;
    std::optional<std::uint64_t> version = {};
    std::optional<std::uint64_t> sharing_version = {};
  };
  Estimates estimates_;
  /// The class behind an extended resource; empty: none is.
  std::map<std::string, ClassName> classes_behind_;
};

}  // namespace dray::planner
