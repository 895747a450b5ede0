#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/model/object.h"
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
  /// A node's place in the cluster; of nodes to which something happens.
  [[nodiscard]] std::uint32_t place_of(const std::string& node) const {
    return moving_.at(node).place;
  }
  /// Keeps the object if it is such a node.
  void keep(const KubeObject& object);
  /// Such a node as it was kept.
  [[nodiscard]] const Node& node(const std::string& name) const { return moving_.at(name).object; }

 private:
  struct Moving {
    std::uint32_t place = 0;
    Node object;
  };
  const std::vector<Churn>& churn_;
  std::map<std::string, Moving> moving_;  // by name
  std::size_t taken_ = 0;
};

}  // namespace dray::simulate
