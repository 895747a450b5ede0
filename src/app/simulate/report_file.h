#pragma once

#include <string>

#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"
#include "report/page_data.h"

namespace dray::app {

/// The page of reports that `./dev web` builds. Asked for before the work, which would be lost
/// without it.
[[nodiscard]] Result<std::string> load_report_page();
/// Writes --report: the page with the data.
[[nodiscard]] Result<void> write_report(const SimulateFlags& flags, const std::string& page,
                                        const std::string& data);
/// Where the input came from. `recorded`: the cluster is that of the workload's record.
[[nodiscard]] report::About about_input(const SimulateFlags& flags, bool recorded);

}  // namespace dray::app
