#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "dray/planner/job.h"

namespace dray::engine {

/// How many pods of each part a gang needs while it runs. Its owner (a Job, a training job) may ask
/// for more meanwhile: these come as there is room for them, and what runs is not broken for the
/// lack of them. That it asks for fewer counts at once.
class RunningMinimum {
 public:
  /// Lowers the minimums of `job`, which are its owner's of now, to those that it runs by. To be
  /// called whenever the job is made.
  void settle(planner::Job& job);

 private:
  std::map<std::string, std::int32_t> minimums_;  ///< by part, as settled last; empty: never yet
};

}  // namespace dray::engine
