#pragma once

#include <string>

#include "app/replay/policy_diff.h"
#include "service/record/replay.h"

namespace dray::app {

/// How far the record was replayed, and each difference with both sides.
[[nodiscard]] std::string replay_text(const service::ReplayReport& report);

/// What another policy would have done: two lines a job.
[[nodiscard]] std::string policy_diff_text(const PolicyDiff& diff);

}  // namespace dray::app
