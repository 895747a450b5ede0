#pragma once

#include <cstdint>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dray::service {

enum class LogFormat : std::uint8_t { text, json };

/// Where dray says what it does: klog's line format (`I1121 11:15:32.123456 4711 dray] message`) or
/// one JSON object a line, on standard error. Any thread, after set_up_logging().
void set_up_logging(LogFormat format, int verbosity);
/// From now on. Any thread.
void set_verbosity(int verbosity);

/// The epoch of the Lease that is held, which every JSON line then has; 0: none. Any thread.
void set_log_epoch(std::int32_t epoch);

/// What a line is about: pod, node, claim, job, queue… and its value. Members of a JSON line; a
/// line of text says it in its message.
using LogFields = std::vector<std::pair<std::string_view, std::string>>;

/// Shown if `verbosity` is at most what was set: 0 always, 2 one line for each decision (placed,
/// bound, waits, evicted), 4 each step on the way there. Of lines that one statement writes,
/// `from`, at most 100 come at once and 10 a second after that (of decisions and steps 10,000 and
/// 1,000); the next one says how many were left out.
void log_info(int verbosity, std::string_view message, const LogFields& fields = {},
              const std::source_location& from = std::source_location::current());
void log_warning(std::string_view message, const LogFields& fields = {},
                 const std::source_location& from = std::source_location::current());
void log_error(std::string_view message,
               const std::source_location& from = std::source_location::current());
[[nodiscard]] bool logs(int verbosity);

/// What is written before a line when so many like it were not.
[[nodiscard]] std::string lines_left_out(std::uint64_t count);

/// A line as it is written; apart, so that tests need no log.
[[nodiscard]] std::string format_log_line(LogFormat format, char severity, int verbosity,
                                          std::string_view message, std::int64_t unix_micros,
                                          int process, const LogFields& fields = {});

}  // namespace dray::service
