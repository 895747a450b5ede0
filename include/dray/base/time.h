#pragma once

#include <chrono>

namespace dray {

/// Wall-clock time, always an argument: nothing in the core reads a clock. Microseconds, because
/// that is what a Lease (MicroTime) carries.
using Time = std::chrono::sys_time<std::chrono::microseconds>;
using Duration = std::chrono::microseconds;

}  // namespace dray
