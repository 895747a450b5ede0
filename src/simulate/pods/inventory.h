#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/cluster/snapshot.h"
#include "dray/model/object.h"
#include "dray/simulate/jobs_run.h"
#include "dray/simulate/pods_run.h"

namespace dray::simulate {

/// To the last that happened; where pods run on, to the end of the run, as they hold what they
/// have.
[[nodiscard]] Duration measured_until(const PodsRun& run);

/// How many devices a cluster has, where, and of which classes; and which of them are its GPUs. By
/// name it knows those alone that some pod held, so that it is small however large the cluster is.
class Inventory {
 public:
  /// As as_jobs() has it.
  [[nodiscard]] static Result<Inventory> of(const std::vector<KubeObject>& cluster,
                                            const std::string& gpus,
                                            const std::set<DeviceId>& held);

  [[nodiscard]] const cluster::Snapshot& snapshot() const { return *snapshot_; }
  /// At most most_gpus each; `all_gpus` has them all.
  [[nodiscard]] const std::vector<GpuNode>& nodes() const { return nodes_; }
  [[nodiscard]] const std::vector<std::int64_t>& all_gpus() const { return all_gpus_; }
  [[nodiscard]] std::optional<std::uint32_t> place_of(const NodeName& node) const;

  /// GPUs that the pod has, or asks for.
  [[nodiscard]] std::int64_t gpus_of(const PodRecord& pod) const;
  /// Which of its node they are; 0: not known.
  [[nodiscard]] std::uint32_t bits_of(const PodRecord& pod) const;
  /// Each class and resource, and how long the pods of a run of such a length held its devices.
  [[nodiscard]] std::vector<ClassUse> use_of(const PodsRun& run) const;

 private:
  struct Class {
    std::string name;
    std::size_t devices = 0;
    bool of_gpus = false;  ///< its first device is a GPU
    std::set<DeviceId> held;
  };
  void find_nodes(const std::set<DeviceId>& held);
  void find_class(const std::string& name, const std::set<DeviceId>& held);
  [[nodiscard]] bool are_gpus(const DeviceAsk& ask) const;

  std::shared_ptr<const cluster::Snapshot> snapshot_;
  GpuKind gpus_;
  std::vector<GpuNode> nodes_;
  std::vector<std::int64_t> all_gpus_;  ///< by node
  std::map<NodeName, std::uint32_t> places_;
  std::map<DeviceId, std::size_t> bits_;  ///< of GPUs that were held: the place on the node
  std::vector<Class> classes_;            ///< that have devices
};

}  // namespace dray::simulate
