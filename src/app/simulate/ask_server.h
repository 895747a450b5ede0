#pragma once

#include "app/simulate/simulate_flags.h"
#include "dray/base/error.h"

namespace dray::app {

/// Has a live dray play it (`--server`), and prints what it answers as a run of this process would;
/// how far it is goes to a terminal on the standard error.
[[nodiscard]] Result<void> ask_server(const SimulateFlags& flags);

}  // namespace dray::app
