#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "dray/alloc/shortage.h"
#include "dray/model/ids.h"

namespace dray::planner {

/// What nodes lack for one pod, put together: the decisive number first, and where.
class Shortages {
 public:
  /// Nodes come in the order of names.
  void add(const std::shared_ptr<const alloc::Shortage>& shortage, const NodeName& node);

  /// Which pools of a node count for nothing, and why: alloc::pool_faults().
  using PoolFaults = std::function<std::string(const NodeName&)>;

  /// `wants 9 devices of class gpu.nvidia.com on one node; the most that a node has is 8
  /// (dgxh100-00 and 31 more)`; empty if nothing was added.
  [[nodiscard]] std::string text(const PoolFaults& faults) const;
  /// Whether some node would have enough if nobody used its devices; something was added.
  [[nodiscard]] bool free_would_do() const;
  /// The first of the nodes that text() names; something was added.
  [[nodiscard]] const NodeName& nearest() const { return best().first; }

 private:
  struct Group {
    std::shared_ptr<const alloc::Shortage> shortage;
    NodeName first;
    std::size_t nodes = 0;
  };
  [[nodiscard]] std::size_t group_of(const std::shared_ptr<const alloc::Shortage>& shortage,
                                     const NodeName& node);
  [[nodiscard]] const Group& best() const;
  [[nodiscard]] std::string places(const Group& best) const;

  std::vector<Group> groups_;  ///< of nodes that say the same
  /// Most nodes share what they say with others that look alike; the group of each.
  std::unordered_map<std::shared_ptr<const alloc::Shortage>, std::size_t> known_;
  /// What the node before said, and its group: neighbours mostly say the same.
  std::shared_ptr<const alloc::Shortage> last_;
  std::size_t last_group_ = 0;
};

}  // namespace dray::planner
