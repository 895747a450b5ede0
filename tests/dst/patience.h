#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "sim/cluster_loop.h"
#include "tests/dst/invariants.h"
#include "tests/dst/world.h"

namespace dray::dst {

/// Once there is room for somebody who waits, within this time somebody is tried (L5).
inline constexpr Duration retry_patience = std::chrono::seconds(2);

/// L5: who waits is tried again when there is room, and soon. Looked at every second of fair
/// weather; judged by what the API server holds, and by what is sent to it.
class Patience {
 public:
  Patience(const Story& story, sim::ClusterLoop& loop, Checker& checker)
      : story_(story), loop_(loop), checker_(checker) {}

  void look();
  [[nodiscard]] const std::set<std::string>& seen() const { return seen_; }

 private:
  const Story& story_;
  sim::ClusterLoop& loop_;
  Checker& checker_;
  std::optional<Time> room_since_;
  std::set<Uid> waited_;  ///< for room
  std::set<std::string> seen_;
};

}  // namespace dray::dst
