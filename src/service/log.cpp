#include "service/log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>

#include "service/log_rate.h"

namespace dray::service {
namespace {

std::atomic<int> verbosity_shown{0};
std::atomic<LogFormat> format_used{LogFormat::text};
std::atomic<std::int32_t> epoch_held{0};

std::shared_ptr<spdlog::logger> logger() {
  // spdlog only queues and writes whole lines; their form is ours.
  static const auto made = [] {
    auto each = spdlog::stderr_logger_mt("dray");
    each->set_pattern("%v");
    each->set_level(spdlog::level::trace);
    return each;
  }();
  return made;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

/// One line that a terminal shows as it is: control characters (C0, DEL, C1) and the line
/// separators of Unicode are escaped, so that a name or an annotation cannot forge a line of its
/// own.
std::string on_one_line(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const auto last = i + 2 < text.size() ? static_cast<unsigned char>(text[i + 2]) : 0U;
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(byte));
    } else if (byte == 0xC2 && next >= 0x80 && next < 0xA0) {
      out += fmt::format("\\u{:04x}", next);
      i += 1;
    } else if (byte == 0xE2 && next == 0x80 && (last == 0xA8 || last == 0xA9)) {
      out += fmt::format("\\u20{:02x}", last - 0x80);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

LogRate& rate() {
  static LogRate made;
  return made;
}

constexpr LogRate::Limit usual{.burst = 100, .a_second = 10};
/// One line for each pod that is placed, or several.
constexpr LogRate::Limit of_decisions{.burst = 10'000, .a_second = 1'000};

void write_line(char severity, int verbosity, std::string_view message, LogFields fields) {
  if (const auto epoch = epoch_held.load(); epoch > 0) {
    fields.emplace_back("epoch", std::to_string(epoch));
  }
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(now).count();
  logger()->log(
      spdlog::level::info, "{}",
      format_log_line(format_used, severity, verbosity, message, micros, getpid(), fields));
}

struct Level {
  char severity;
  int verbosity;
};

void write_bounded(Level level, std::string_view message, const LogFields& fields,
                   const std::source_location& from) {
  const auto& limit = level.verbosity >= 2 ? of_decisions : usual;
  const auto left_out = rate().take(from, limit, LogRate::Clock::now());
  if (!left_out) return;
  if (*left_out > 0) write_line(level.severity, level.verbosity, lines_left_out(*left_out), {});
  write_line(level.severity, level.verbosity, message, fields);
}

}  // namespace

std::string format_log_line(LogFormat format, char severity, int verbosity,
                            std::string_view message, std::int64_t unix_micros, int process,
                            const LogFields& fields) {
  const std::time_t seconds = unix_micros / 1'000'000;
  const auto micros = unix_micros % 1'000'000;
  const auto time = fmt::gmtime(seconds);
  if (format == LogFormat::json) {
    const auto* level = severity == 'I' ? "info" : severity == 'W' ? "warning" : "error";
    auto line = fmt::format(R"({{"ts":"{:%Y-%m-%dT%H:%M:%S}.{:06}Z","level":"{}","v":{},"msg":{})",
                            time, micros, level, verbosity, quoted(message));
    for (const auto& [name, value] : fields) {
      line += fmt::format(",{}:{}", quoted(name), quoted(value));
    }
    return line + "}";
  }
  return fmt::format("{}{:%m%d %H:%M:%S}.{:06} {} dray] {}", severity, time, micros, process,
                     on_one_line(message));
}

void set_up_logging(LogFormat format, int verbosity) {
  format_used = format;
  set_verbosity(verbosity);
}

void set_verbosity(int verbosity) {
  verbosity_shown = verbosity;
}

void set_log_epoch(std::int32_t epoch) {
  epoch_held = epoch;
}

bool logs(int verbosity) {
  return verbosity <= verbosity_shown;
}

std::string lines_left_out(std::uint64_t count) {
  return fmt::format("{} like the next one {} left out: too many in a short time",
                     count == 1 ? "1 line" : fmt::format("{} lines", count),
                     count == 1 ? "was" : "were");
}

void log_info(int verbosity, std::string_view message, const LogFields& fields,
              const std::source_location& from) {
  if (logs(verbosity)) write_bounded({'I', verbosity}, message, fields, from);
}
void log_warning(std::string_view message, const LogFields& fields,
                 const std::source_location& from) {
  write_bounded({'W', 0}, message, fields, from);
}
void log_error(std::string_view message, const std::source_location& from) {
  write_bounded({'E', 0}, message, {}, from);
}

}  // namespace dray::service
