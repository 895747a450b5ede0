#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "planner/evict/scenario.h"
#include "planner/place/fit.h"
#include "planner/state/context.h"

namespace dray::planner {

/// The victim capacity bound: how many members of a chunk each node could take, at most, with the
/// victims so far gone; from the numbers, without a look at devices.
class VictimCapacity {
 public:
  VictimCapacity(const PlanContext& context, const Overlay& overlay, Fit& fit,
                 const Attempt& attempt);

  /// The victims' room is there as well from now on; they have that place among all.
  void free(const Victims& victims, std::size_t place);
  [[nodiscard]] bool enough() const { return total_ >= members_; }
  [[nodiscard]] std::size_t total() const { return total_; }
  [[nodiscard]] std::size_t of(cluster::NodeIndex node) const { return rooms_[node.get()]; }
  /// Nodes with victims that could take a member, those with the least room first; with each the
  /// places of the chunks that touch it.
  struct Giver {
    cluster::NodeIndex node;
    std::size_t room = 0;
    std::size_t idle = 0;  ///< of it, what is there though nobody goes
    double free = 0;
    std::size_t first_seen = 0;
    std::vector<std::size_t> chunks;
  };
  [[nodiscard]] std::vector<Giver> givers() const;
  [[nodiscard]] const std::vector<std::size_t>& chunks_on(cluster::NodeIndex node) const {
    return chunks_[node.get()];
  }
  /// Whether one of the members may have room there with so much freed of what queues count, and
  /// so many devices.
  [[nodiscard]] bool enough_with(cluster::NodeIndex node, const policy::Amounts& counts,
                                 double devices) const;
  /// What nodes without victims could take.
  [[nodiscard]] std::size_t elsewhere() const;

 private:
  /// With so much freed, by column.
  [[nodiscard]] std::size_t room(cluster::NodeIndex node, std::span<const double> freed) const;
  [[nodiscard]] std::span<double> freed(cluster::NodeIndex node) {
    return std::span(freed_).subspan(node.get() * demand_.size(), demand_.size());
  }

  const Overlay& overlay_;
  std::size_t members_;
  std::vector<double> demand_;  ///< the least of any member, by column; 0: does not bound
  std::vector<double> freed_;   ///< by node and column
  std::vector<std::size_t> rooms_;
  std::vector<char> barred_;
  std::vector<std::vector<std::size_t>> chunks_;
  std::vector<cluster::NodeIndex> seen_;
  std::size_t total_ = 0;
};

}  // namespace dray::planner
