#pragma once

#include <memory>
#include <vector>

#include "dray/cel/selector_memo.h"
#include "dray/cluster/snapshot.h"
#include "dray/policy/counting.h"

namespace dray::policy {

/// What published devices count for by a policy's rules: by the first counted class that they are
/// of. One thread at a time; the counting outlives it.
class DeviceAmounts {
 public:
  /// By the classes that the snapshot has; a class that is not there counts nothing.
  DeviceAmounts(const Counting& counting, const cluster::Snapshot& snapshot);

  /// What a device of the pool counts for as a whole.
  [[nodiscard]] Amounts of(const cluster::Pool& pool, const cluster::PublishedDevice& device);

 private:
  const Counting* counting_;
  cel::SelectorMemo memo_;
  std::vector<std::shared_ptr<const cluster::CompiledClass>> classes_;
};

/// What all nodes and devices of the cluster count for, in use or not, usable or not.
[[nodiscard]] Amounts capacity_of(const Counting& counting, const cluster::Snapshot& snapshot);

}  // namespace dray::policy
