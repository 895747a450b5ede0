#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dray/simulate/experiment.h"
#include "simulate/place/fleet.h"

namespace dray::simulate {

/// Where a pod of a job goes: GPUs as bits, 0 where the kubelet chooses.
struct Place {
  std::uint32_t node = 0;
  std::uint32_t gpus = 0;
};

/// FGD's measure of all nodes over the time of a run.
class FragmentedOverTime {
 public:
  /// It is so many thousandths of GPUs from now on.
  void saw(Duration now, double fragmented);
  /// GPUs on average in each of so many parts of the time.
  [[nodiscard]] std::vector<double> curve(Duration first, Duration last, std::size_t parts) const;

 private:
  std::vector<std::pair<Duration, double>> changes_;
};

/// The nodes as others fill them, by what the trace says of its jobs, to measure them.
class FilledNodes {
 public:
  explicit FilledNodes(const Setting& setting);

  /// Of GPUs that were not chosen the fullest that will do are taken. A pod that has no room by
  /// what the trace says of it is left out.
  void started(std::size_t job, std::span<const Place> places);
  void left(std::size_t job);
  [[nodiscard]] double fragmentation() const { return fleet_.fragmentation(); }

 private:
  const Setting& setting_;
  Fleet fleet_;
  std::vector<std::vector<Spot>> spots_;  ///< by job
};

}  // namespace dray::simulate
