#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dray/simulate/experiment.h"
#include "dray/simulate/jobs_run.h"
#include "dray/simulate/pods_run.h"

namespace dray::app {

// Runs as bytes, for the same program to read again: nothing is lost, and nothing is said of what
// the bytes mean.
[[nodiscard]] std::string pack_run(const simulate::JobsRun& run);
[[nodiscard]] std::string pack_run(const simulate::PodsRun& run);
[[nodiscard]] std::string pack_run(const simulate::ExperimentRun& run);

/// The run that pack_run() had; nothing where these are no bytes of one.
template <class Run>
[[nodiscard]] std::optional<Run> unpack_run(std::string_view bytes);
extern template std::optional<simulate::JobsRun> unpack_run(std::string_view bytes);
extern template std::optional<simulate::PodsRun> unpack_run(std::string_view bytes);
extern template std::optional<simulate::ExperimentRun> unpack_run(std::string_view bytes);

}  // namespace dray::app
