#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "dray/model/placement.h"

namespace dray::engine {

/// What was decided for a pod that is bound by now, and why.
struct Decision {
  Placement placement;
  std::string detail;
  std::string queue;  ///< of its job; empty: it was in none
  std::string job;
};

/// The last decisions; older ones are forgotten.
class DecisionLog {
 public:
  static constexpr std::size_t kept = 1024;

  void add(Decision decision);
  /// The latest for a pod of that name, or null.
  [[nodiscard]] const Decision* find(const PodKey& pod) const;

 private:
  std::deque<Decision> decisions_;  ///< newest last
};

}  // namespace dray::engine
