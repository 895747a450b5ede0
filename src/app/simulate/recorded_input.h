#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/recorded.h"

namespace dray::app {

/// What a record, or a folder of records of one cluster, holds: its nodes, its jobs, and what
/// became of them. `gpus`: see simulate::LoadReader::load(). Errors name the file.
[[nodiscard]] Result<simulate::RecordedLoad> load_recorded(const std::string& path,
                                                           const std::string& gpus,
                                                           std::vector<std::string>& warnings);

}  // namespace dray::app
