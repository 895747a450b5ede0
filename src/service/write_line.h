#pragma once

#include <string>

#include "dray/engine/write.h"
#include "service/log.h"

namespace dray::service {

/// A line for the log, as log_info() and log_warning() take it.
struct LogLine {
  bool warning = false;
  int verbosity = 0;
  std::string message;
  LogFields fields = {};

  bool operator==(const LogLine&) const = default;
};

/// What is told of a write: one that is denied lacks a right, or a policy is in its way, and nobody
/// but an operator can help. What tells of a decision (a pod waits, or is evicted) is said in
/// words, at the level of decisions; others that fail are tried again or given up, which the engine
/// tells.
[[nodiscard]] LogLine line_of(const engine::Write& write, const engine::WriteOutcome& outcome);

/// Whose trace a write belongs to: its pod's, else its claim's; null: it is of no one object.
[[nodiscard]] const Uid* traced_object(const engine::Write& write);

}  // namespace dray::service
