#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "dray/alloc/allocator.h"
#include "planner/place/gangs.h"
#include "planner/state/context.h"
#include "planner/state/overlay.h"

namespace dray::planner {

/// Says of members that were placed why there, for people: `gpu and nic on one PCIe root; keeps
/// dgxh100-03 whole: 7 of 8 gpu were free here, the fewest that will do (of 44 nodes)`. What it
/// says is read from the placement and the overlay, and is the same however a planner came to it.
class WhyThere {
 public:
  /// `options`: of the allocator.
  WhyThere(const PlanContext& context, const Overlay& overlay, const NodeSet& everywhere,
           const alloc::AllocatorOptions& options)
      : context_(context), overlay_(overlay), everywhere_(everywhere), options_(options) {}

  /// The overlay holds the member there.
  [[nodiscard]] std::string text(const Placed& placed) const;

 private:
  [[nodiscard]] std::string node_text(const Placed& placed) const;
  [[nodiscard]] std::string packed_text(const Placed& placed) const;
  [[nodiscard]] std::string shared_device(const Placed& placed) const;
  [[nodiscard]] std::string kept_whole(const Placed& placed) const;
  [[nodiscard]] double taken(const Placed& placed) const;
  [[nodiscard]] std::string unit_of(const Placed& placed) const;

  const PlanContext& context_;
  const Overlay& overlay_;
  const NodeSet& everywhere_;
  const alloc::AllocatorOptions& options_;
};

}  // namespace dray::planner
