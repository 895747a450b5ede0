#pragma once

#include <map>
#include <memory>
#include <vector>

#include "cluster/pool_table.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/placement.h"

namespace dray::cluster {

/// The claims and the devices that they hold, by their status or by an assumed placement. Each
/// distinct allocation of a claim is counted once, whoever names it.
class ClaimBook {
 public:
  explicit ClaimBook(PoolTable& pools) : pools_(pools) {}

  void put(std::shared_ptr<const ResourceClaim> claim);
  bool erase(const ClaimKey& key);

  void assume(const Uid& pod, const ClaimPlacement& placement);
  void forget(const Uid& pod, const ClaimKey& claim);

  [[nodiscard]] std::shared_ptr<const ResourceClaim> find(const ClaimKey& key) const;
  [[nodiscard]] std::size_t size() const { return claims_.size(); }

  [[nodiscard]] ShardedMap<ClaimKey, std::shared_ptr<const ResourceClaim>> freeze_claims() {
    return claims_.freeze();
  }
  [[nodiscard]] ShardedMap<ClaimKey, std::shared_ptr<const AllocationResult>> freeze_promised() {
    return promised_.freeze();
  }

 private:
  using Allocation = std::shared_ptr<const AllocationResult>;
  struct Holding {
    Allocation real;
    std::map<Uid, Allocation> assumed;
    std::vector<Allocation> counted;
  };

  void settle(const ClaimKey& key);
  void count(const AllocationResult& allocation, bool add);

  PoolTable& pools_;
  ShardedMap<ClaimKey, std::shared_ptr<const ResourceClaim>> claims_;
  ShardedMap<ClaimKey, Allocation> promised_;
  ShardedMap<ClaimKey, Holding> holdings_;
};

}  // namespace dray::cluster
