#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray {

/// Wall-clock time, always an argument: nothing in the core reads a clock. Microseconds, because
/// that is what a Lease (MicroTime) carries.
using Time = std::chrono::sys_time<std::chrono::microseconds>;
/// All times and spans have microseconds: what Kubernetes writes (metav1.MicroTime) and no more.
using Duration = std::chrono::microseconds;

/// RFC 3339 as Go reads it (`2026-01-02T03:04:05.5+01:00`), cut to microseconds.
[[nodiscard]] Result<Time> parse_time(std::string_view text);
/// metav1.Time: UTC, whole seconds (the fraction is cut): `2026-01-02T03:04:05Z`.
[[nodiscard]] std::string format_time(Time time);
/// metav1.MicroTime: UTC, always six decimals: `2026-01-02T03:04:05.000000Z`.
[[nodiscard]] std::string format_micro_time(Time time);

}  // namespace dray
