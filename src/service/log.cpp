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
                     message);
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

void log_info(int verbosity, std::string_view message, const LogFields& fields) {
  if (logs(verbosity)) write_line('I', verbosity, message, fields);
}
void log_warning(std::string_view message, const LogFields& fields) {
  write_line('W', 0, message, fields);
}
void log_error(std::string_view message) {
  write_line('E', 0, message, {});
}

}  // namespace dray::service
