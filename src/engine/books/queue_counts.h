#pragma once

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

 private:
  std::map<policy::QueueName, Engine::QueueWaiting> waiting_;
};

}  // namespace dray::engine
