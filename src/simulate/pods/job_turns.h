#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "dray/sim/api_server.h"
#include "dray/simulate/pods_run.h"

namespace dray::simulate {

/// A Job, by namespace and name.
using JobName = std::pair<std::string, std::string>;

/// Which pods of a workload come only when others of their Job have ended. They are asked about in
/// the order of the workload.
class JobTurns {
 public:
  [[nodiscard]] bool is_later(const Pod& pod);

 private:
  std::map<JobName, std::uint64_t> seen_;
};

/// Those pods, in a run.
class LaterPods {
 public:
  void add(const PodWorkload::Arrival& arrival);
  /// Who comes because of that; null: nobody.
  [[nodiscard]] const PodWorkload::Arrival* next_after(const sim::WatchEvent& event);
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  std::map<JobName, std::deque<const PodWorkload::Arrival*>> waiting_;
  std::set<Uid> ended_;
  std::size_t count_ = 0;
};

}  // namespace dray::simulate
