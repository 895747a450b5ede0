#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/cel/selector_memo.h"
#include "dray/cluster/snapshot.h"
#include "dray/simulate/cluster.h"

namespace dray::simulate {

/// The devices of one class that nodes have; those that are tainted count as none. One thread.
class ClassDevices {
 public:
  ClassDevices(const cluster::Snapshot& snapshot, const ClassName& name);

  /// In the order in which they are published.
  [[nodiscard]] std::vector<DeviceId> on(cluster::NodeIndex node);
  [[nodiscard]] std::int64_t in_all();

 private:
  [[nodiscard]] bool counts(const cluster::PublishedDevice& device);

  const cluster::Snapshot& snapshot_;
  std::shared_ptr<const cluster::CompiledClass> class_;
  cel::SelectorMemo memo_;
};

/// Of a device plugin's resource.
[[nodiscard]] std::int64_t in_all(const cluster::Snapshot& snapshot, const std::string& resource);
/// Names of the resources of device plugins that nodes have, in order.
[[nodiscard]] std::vector<std::string> plugin_resources(const cluster::Snapshot& snapshot);

/// What `gpus` names, a DeviceClass or a resource; empty: the usual ones of those. An Error says
/// what there is.
[[nodiscard]] Result<GpuKind> choose_kind(const cluster::Snapshot& snapshot,
                                          const std::string& gpus);

}  // namespace dray::simulate
