#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "dray/simulate/experiment.h"
#include "simulate/place/fleet.h"

namespace dray::simulate {

/// What a pod finds too little of, in the order in which nodes are asked for it.
enum class Lack : std::uint8_t { none, model, gpus, cpu, memory, pods };

/// Why jobs do not start where a strategy has no node for them: of which resource the last node
/// that had enough of those before it has too little. Jobs that lack the same are counted together.
class Lacks {
 public:
  /// `jobs` jobs of `pods` such pods each find no room on these nodes, which are afterwards as they
  /// were.
  void count(Fleet& fleet, ShapeIndex shape, std::int32_t pods, std::size_t jobs);
  /// The most jobs first.
  [[nodiscard]] std::vector<WaitingFor> take() const;

 private:
  struct Found {
    std::size_t jobs = 0;
    std::int64_t most = 0;  ///< of what lacks, that a node has free
    std::int64_t free_gpu_milli = 0;
  };
  struct Kind {
    Lack lack = Lack::none;
    bool part = false;  ///< less than a GPU is asked for
    bool gang = false;  ///< some of its pods find room
    auto operator<=>(const Kind&) const = default;
  };
  [[nodiscard]] static std::string text(const Kind& kind, const Found& found);

  std::map<Kind, Found> found_;
};

}  // namespace dray::simulate
