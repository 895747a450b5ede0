#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "dray/engine/engine.h"
#include "dray/planner/job.h"

namespace dray::engine {

/// How many jobs and pods of each queue wait for a place, kept up as jobs change: nobody has to
/// look at every pod to know. Queues where nobody waits are not in it.
class QueueCounts {
 public:
  /// `before` is `after` now; null: it was not there, or is not any more.
  void replace(const planner::Job* before, const planner::Job* after);

  [[nodiscard]] const std::map<policy::QueueName, Engine::QueueWaiting>& waiting() const {
    return waiting_;
  }
  /// Whether a job of the queue waits that has a higher priority.
  [[nodiscard]] bool waits_above(const policy::QueueName& queue, std::int32_t priority) const;

 private:
  std::map<policy::QueueName, Engine::QueueWaiting> waiting_;
  std::map<policy::QueueName, std::map<std::int32_t, std::size_t>> priorities_;  ///< jobs that wait
};

}  // namespace dray::engine
