#pragma once

#include "dray/base/error.h"

namespace dray::app {

/// Refuses, to this thread and to those that it starts, system calls that a network service does
/// not need: EPERM, or ENOSYS where glibc then takes an older call. `runs_programs`: programs may
/// be started, which may do what dray itself does not, but not change the system or look into
/// other processes either. `unsupported`: this kernel or this processor has no such filter.
/// Needs PR_SET_NO_NEW_PRIVS.
[[nodiscard]] Result<void> filter_system_calls(bool runs_programs);

}  // namespace dray::app
