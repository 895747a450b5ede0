#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "simulate/place/node_state.h"

namespace dray::simulate {

/// A shape that is typical of the workload, and how often it comes.
struct TypicalShape {
  Shape shape;
  double weight = 0;
};

/// The most frequent shapes, until they are at least 95 % of the pods; weights add up to 1. Memory
/// does not count. `model_names`: the models by their bits, to break ties as the artifact does.
[[nodiscard]] std::vector<TypicalShape> typical_shapes(std::span<const PodAsk> pods,
                                                       std::span<const Shape> shapes);

/// FGD's measure of a node: of its free GPU, how much the typical pod cannot use, on average. In
/// thousandths of GPUs, in the artifact's order of additions, so that equal is equal. Remembers
/// what it has measured: a node's value depends on its model, on the multiset of what is left of
/// its GPUs, and on which typical pods its CPU is enough for. One thread at a time.
class Fragmentation {
 public:
  explicit Fragmentation(std::vector<TypicalShape> typical);

  [[nodiscard]] double of(const NodeState& node);
  /// Of the node after `milli_cpu` and, of the GPUs in `bits`, `gpu_milli` each were taken.
  [[nodiscard]] double after(const NodeState& node, const Shape& shape, GpuBits bits);
  /// Computed anew, nothing remembered.
  [[nodiscard]] double measure(const NodeState& node) const;

  [[nodiscard]] const std::vector<TypicalShape>& typical() const { return typical_; }

 private:
  /// Stands for a state: two sums of hashes, 128 bits together. That two states of one run have
  /// the same is less likely than 2^-90.
  struct Mark {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    bool operator==(const Mark&) const = default;
  };
  struct Entry {
    Mark mark;
    double value = -1;  ///< negative: nothing is here
  };

  [[nodiscard]] Mark mark_of(const NodeState& node, std::int64_t milli_cpu) const;
  void move(Mark& mark, std::uint16_t from, std::uint16_t to) const;
  [[nodiscard]] std::uint64_t cpu_class(std::int64_t milli_cpu) const;
  template <class State>
  double look_up(const Mark& mark, const State& state);
  void grow();

  std::vector<TypicalShape> typical_;
  std::vector<std::int64_t> cpus_;  ///< of typical shapes, each once, sorted
  std::vector<Mark> of_free_;       ///< by what is left of a GPU
  std::vector<Entry> entries_;      ///< open addressing; its size is a power of two
  std::size_t used_ = 0;
};

}  // namespace dray::simulate
