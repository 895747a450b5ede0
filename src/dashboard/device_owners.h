#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dray/cluster/snapshot.h"
#include "dray/engine/engine.h"

namespace dray::dashboard {

/// One claim's hold on a device.
struct Holder {
  const ResourceClaim* claim = nullptr;
  const AllocatedDevice* device = nullptr;
  bool promised = false;  ///< reserved by dray, and not yet in the API server
};

/// A claim with what it has. `allocation` null: nothing.
struct HeldClaim {
  const ResourceClaim* claim = nullptr;
  std::shared_ptr<const AllocationResult> allocation;
};

/// Which claims hold a device, and of which job they are: ledger of one picture. Refers to the
/// snapshot and to the jobs that it was made from. Any thread.
class DeviceOwners {
 public:
  DeviceOwners(const cluster::Snapshot& snapshot, const std::vector<engine::Engine::JobRow>& jobs);

  /// In the order of the claims.
  [[nodiscard]] std::vector<Holder> of(const DeviceId& device) const;
  /// Every claim, sorted by namespace and name.
  [[nodiscard]] const std::vector<HeldClaim>& claims() const { return claims_; }
  /// The job of a pod that uses the claim, or for which it was made; null: none of dray's.
  [[nodiscard]] const planner::Job* job_of(const ResourceClaim& claim) const;

 private:
  struct Entry {
    std::size_t hash = 0;
    std::size_t claim = 0;   ///< place in claims_
    std::size_t device = 0;  ///< place in its allocation
  };

  std::vector<HeldClaim> claims_;
  std::vector<Entry> entries_;                                            ///< by hash, then claim
  std::unordered_map<std::string_view, const planner::Job*> job_of_pod_;  ///< by uid
};

}  // namespace dray::dashboard
