#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/simulate/churn.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// What is to happen to the cluster, in the order of its times.
class ChurnQueue {
 public:
  /// `churn` outlives it.
  ChurnQueue(const std::vector<Churn>& churn, const std::vector<GpuNode>& nodes);

  /// When something happens next: what comes by itself, or churn while that matters: something is
  /// to come, or somebody `waits`.
  [[nodiscard]] std::optional<Duration> next_of(std::optional<Duration> event, bool waits) const;
  /// The next that is due; null: none.
  [[nodiscard]] const Churn* take_until(Duration now);
  /// A node's place in the cluster.
  [[nodiscard]] std::uint32_t place_of(const std::string& node) const { return places_.at(node); }

 private:
  const std::vector<Churn>& churn_;
  std::map<std::string, std::uint32_t> places_;
  std::size_t taken_ = 0;
};

}  // namespace dray::simulate
