#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/jobs_run.h"

namespace dray::app {

/// What each `--policy` names: a strategy, `fcfs`, `fair`, `recorded` (what happened, where there
/// is a record), or a policy file. Files go by their names without folder and ending, if those
/// differ. What may not be meant goes into `warnings`.
[[nodiscard]] Result<std::vector<simulate::Scheduler>> load_schedulers(
    const std::vector<std::string>& names, const simulate::Setting& setting,
    const std::shared_ptr<const simulate::RecordedRun>& recorded,
    std::vector<std::string>& warnings);

[[nodiscard]] bool is_policy_file(std::string_view name);

}  // namespace dray::app
