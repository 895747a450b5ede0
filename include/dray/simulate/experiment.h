#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dray/simulate/cluster.h"
#include "dray/simulate/strategy.h"
#include "dray/simulate/trace.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// A cluster and a workload, read and put into the form that runs want. Immutable: any number of
/// runs, on any threads, may share it.
class Setting {
 public:
  /// An Error names what of the cluster or the workload cannot be run.
  [[nodiscard]] static Result<Setting> of(Cluster cluster, Workload workload);
  /// Of nodes alone.
  [[nodiscard]] static Result<Setting> make(std::vector<GpuNode> nodes, Workload workload);

  /// As they were given; the nodes in the order of Decision::node.
  [[nodiscard]] const Cluster& cluster() const;
  [[nodiscard]] const std::vector<GpuNode>& nodes() const;
  [[nodiscard]] const Workload& workload() const;

  /// What src/simulate makes of it.
  struct Data;
  [[nodiscard]] const Data& data() const { return *data_; }

 private:
  std::shared_ptr<const Data> data_;
};

/// Where a pod of an experiment went; node -1: no node had room.
struct Decision {
  std::int32_t node = -1;
  std::uint32_t gpus = 0;  ///< as bits

  bool operator==(const Decision&) const = default;
};

/// Demand points of an experiment: 0 to 130 % of the cluster's GPUs, as FGD's publication has them.
inline constexpr std::size_t demand_points = 131;

/// Means over the pods at whose arrival the demand was this many percent.
struct DemandPoint {
  std::size_t pods = 0;
  double allocated = 0;        ///< GPU, % of capacity
  double fragmented = 0;       ///< FGD's measure, % of capacity
  double fragmented_idle = 0;  ///< FGD's measure, % of the idle GPU

  bool operator==(const DemandPoint&) const = default;
};

/// Jobs that wait in the end, or pods that were refused, for the same reason.
struct WaitingFor {
  std::string reason;  ///< for people; empty: who decided gives none
  std::size_t jobs = 0;

  bool operator==(const WaitingFor&) const = default;
};

/// One run of FGD's experiment.
struct ExperimentRun {
  Strategy strategy = Strategy::fgd;
  std::uint64_t seed = 0;
  std::vector<Decision> decisions;  ///< by arrival
  std::array<DemandPoint, demand_points> points{};
  std::size_t refused = 0;
  std::vector<WaitingFor> refused_for;  ///< by what such pods lack in the end, the most first
  double allocated = 0;                 ///< in the end, % of capacity

  bool operator==(const ExperimentRun&) const = default;
};

/// FGD's experiment: pods arrive in this order, each goes where the strategy says for good, and one
/// that finds no room is not tried again. Values of a pod are rounded to two decimals before means
/// are made, as the artifact writes them.
[[nodiscard]] ExperimentRun run_experiment(const Setting& setting, const ArrivalOrder& order,
                                           Strategy strategy, std::uint64_t seed);

}  // namespace dray::simulate
