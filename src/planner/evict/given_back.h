#pragma once

#include "planner/state/overlay.h"

namespace dray::planner {

/// The devices of pods that a plan has evicted: whether they can have them back, beside those to
/// whom the plan has given devices since.
class GivenBack {
 public:
  GivenBack(const cluster::Snapshot& snapshot, const Overlay& overlay)
      : snapshot_(snapshot), overlay_(overlay) {}

  /// Of every claim of the pod.
  [[nodiscard]] bool are_free(const Placement& had) const;

 private:
  struct Where {
    cluster::PoolIndex pool;
    const std::string& device;
  };

  [[nodiscard]] bool are_free(const AllocationResult& had) const;
  [[nodiscard]] bool is_free(const AllocatedDevice& had, const AllocationResult& claim) const;
  [[nodiscard]] bool has_room(const Where& where, const AllocatedDevice& had,
                              const AllocationResult& claim) const;
  [[nodiscard]] bool counters_taken(const Where& where) const;

  const cluster::Snapshot& snapshot_;
  const Overlay& overlay_;
};

}  // namespace dray::planner
