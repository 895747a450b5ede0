#pragma once

#include <map>
#include <memory>
#include <span>

#include "dray/cluster/node_facts.h"
#include "dray/cluster/snapshot.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/policy.h"
#include "planner/state/kept.h"

namespace dray::planner {

/// What a pod takes: of the queues' resources, and of its node for packing.
struct PodDemand {
  policy::Amounts counts;
  policy::Amounts stays;  ///< of counts: claims that others use as well, who keep them
  double devices = 0;
  double milli_cpu = 0;
  cluster::NodeUse use;  ///< of its node, devices apart

  /// What its queue has less when the pod goes.
  [[nodiscard]] policy::Amounts freed() const { return counts - stays; }
  bool operator==(const PodDemand&) const = default;
};

/// Adds a demand, `sign` times, to a row of a NodeTable's columns.
void add_demand(std::span<double> row, const PodDemand& demand, double sign);

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

  /// The demand of a pod with these claims, by the devices that they have.
  [[nodiscard]] PodDemand read(const std::shared_ptr<const Pod>& pod, const PodClaims& claims,
                               CountedClaims& counted);
  /// The same as if no claim had devices yet.
  [[nodiscard]] PodDemand read_as_asked(const std::shared_ptr<const Pod>& pod,
                                        const PodClaims& claims, CountedClaims& counted);
  /// read(), kept here.
  [[nodiscard]] Kept<PodDemand>::Value demand_of(const std::shared_ptr<const Pod>& pod,
                                                 const PodClaims& claims, CountedClaims& counted);
  [[nodiscard]] Kept<PodDemand>::Value intern(PodDemand demand);
  /// How many are kept.
  [[nodiscard]] std::size_t size() const { return demands_.size(); }

 private:
  enum class Devices : std::uint8_t { as_held, as_asked };
  [[nodiscard]] PodDemand read_pod(const Pod& pod) const;
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
};

}  // namespace dray::planner
