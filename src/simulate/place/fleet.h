#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dray/simulate/strategy.h"
#include "simulate/place/fragmentation.h"
#include "simulate/place/node_state.h"
#include "simulate/place/scores.h"
#include "simulate/trace/random.h"

namespace dray::simulate {

using ShapeIndex = std::uint32_t;

/// The shapes of a workload's jobs.
struct ShapeTable {
  std::vector<Shape> shapes;        ///< each once, in the order of their first jobs
  std::vector<ShapeIndex> of_jobs;  ///< by job
  std::vector<std::string> models;  ///< by bit: those of the nodes
  std::vector<TypicalShape> typical;
  SharePrices prices;  ///< of the typical shapes
};
/// A model that no node has fits none. Fails where nodes have more than 64 models.
[[nodiscard]] Result<ShapeTable> make_shapes(const Workload& workload,
                                             const std::vector<GpuNode>& nodes);

/// Where a pod went.
struct Spot {
  std::uint32_t node = 0;
  GpuBits gpus = 0;

  bool operator==(const Spot&) const = default;
};

/// Nodes and their GPUs as one strategy fills them, one pod after another. For each shape it keeps
/// the scores of all nodes in a tree of winners, and of these only nodes that changed since the
/// shape was last asked for are scored again: a pod costs what changed, not what there is.
class Fleet {
 public:
  Fleet(const std::vector<GpuNode>& nodes, std::span<const std::uint32_t> ranks,
        const ShapeTable& shapes, Strategy strategy, std::uint64_t seed);

  /// The node and GPUs that the strategy chooses; none: no node has room. They are taken.
  [[nodiscard]] std::optional<Spot> place(ShapeIndex shape);
  /// Others have chosen the node, and the GPUs or (0) none in particular; none: no room there.
  std::optional<Spot> hold(ShapeIndex shape, std::uint32_t node, GpuBits gpus);
  void give_back(ShapeIndex shape, const Spot& spot);
  /// Whether pods may be placed on the node, at first on all. What is there stays.
  void set_open(std::uint32_t node, bool open);

  [[nodiscard]] std::int64_t capacity_gpu_milli() const { return capacity_; }
  [[nodiscard]] std::int64_t used_gpu_milli() const { return used_; }
  /// FGD's measure of all nodes together, in thousandths of GPUs.
  [[nodiscard]] double fragmentation() const { return fragmented_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] bool is_open(std::uint32_t node) const { return closed_[node] == 0; }
  [[nodiscard]] const Shape& shape(ShapeIndex index) const { return shapes_->shapes[index]; }
  [[nodiscard]] const NodeState& node(std::uint32_t place) const { return nodes_[place]; }

 private:
  /// The nodes by one shape's scores. Position = rank; a key of 0: no room.
  struct Winners {
    std::vector<std::uint64_t> keys;  ///< a tree: the leaves are its second half
    std::size_t seen = 0;             ///< changes of nodes that it knows
  };

  void refresh(Winners& winners, const Shape& shape);
  void build(Winners& winners, const Shape& shape);
  [[nodiscard]] std::uint64_t key_of(std::uint32_t rank, const Shape& shape);
  [[nodiscard]] std::optional<Spot> any(const Winners& winners, const Shape& shape);
  void take(const Shape& shape, const Spot& spot);
  void changed(std::uint32_t node);

  Strategy strategy_;
  const ShapeTable* shapes_;
  std::vector<NodeState> nodes_;
  std::vector<std::uint32_t> rank_of_;
  std::vector<std::uint32_t> by_rank_;
  std::vector<double> fragmented_of_;
  std::vector<char> closed_;  ///< by node
  Fragmentation measure_;
  Random random_;
  std::vector<Winners> winners_;        ///< by shape
  std::vector<std::uint32_t> changes_;  ///< ranks of nodes, in the order of their changes
  std::int64_t capacity_ = 0;
  std::int64_t used_ = 0;
  double fragmented_ = 0;
};

}  // namespace dray::simulate
