#pragma once

#include "dray/base/error.h"

namespace dray::app::exit_status {

// What a command's exit status says: docs/cli.md.

inline constexpr int ok = 0;
inline constexpr int finding = 1;         ///< the question has an answer, and it is no
inline constexpr int usage = 2;           ///< command line or input cannot be used
inline constexpr int unreachable = 3;     ///< the cluster does not answer, or refuses us
inline constexpr int invalid_policy = 4;  ///< a policy file is not valid

/// The status after an Error, by who has to do something about it.
[[nodiscard]] constexpr int of(const Error& error) {
  const bool cluster = error.code == ErrorCode::unavailable || error.code == ErrorCode::denied;
  return cluster ? unreachable : usage;
}

}  // namespace dray::app::exit_status
