#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "dray/base/aged_map.h"
#include "dray/base/time.h"

namespace dray::engine {

/// Workloads (planner::Job::lineage) for which others were evicted, and which kube-scheduler then
/// did not take to the room: for a reason that dray does not model, a volume or affinity to other
/// pods. The more often, the longer nobody else is evicted for them.
class VainEvictions {
 public:
  /// The pause after the second time; it is four times as long after each further one.
  static constexpr Duration first_pause = std::chrono::seconds(30);
  /// After so many times it is as long as anything of this is remembered.
  static constexpr unsigned most_in_vain = 6;
  static constexpr Duration longest_pause = std::chrono::hours(24);
  /// With more workloads, those that were noted first are forgotten.
  static constexpr std::size_t most = 16'384;

  /// Others were evicted for the workload.
  void made_room(const std::string& lineage);
  /// kube-scheduler did not take a place of the workload's; whether others had been evicted for it.
  [[nodiscard]] bool refused(const std::string& lineage, Time now);
  /// A pod of the workload was bound.
  void bound(const std::string& lineage);
  /// Until when nobody is evicted for it; nothing: it may have others evicted.
  [[nodiscard]] std::optional<Time> paused_until(const std::string& lineage);

 private:
  struct Entry {
    bool made_room = false;  ///< since it was refused last
    unsigned in_vain = 0;
    Time last;
    std::optional<Time> until;
  };
  AgedMap<std::string, Entry> workloads_;
};

}  // namespace dray::engine
