#include "app/common/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace dray::app {
namespace {

constexpr std::string_view wipe = "\r\x1b[K";

Progress::Write to_terminal() {
  const char* terminal = std::getenv("TERM");
  if (isatty(STDERR_FILENO) != 1 || terminal == nullptr || std::string_view(terminal) == "dumb") {
    return {};
  }
  return [](std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
  };
}

}  // namespace

std::string progress_line(std::string_view work, std::size_t done, std::size_t total,
                          std::chrono::seconds since) {
  const auto part = total == 0 ? std::string() : fmt::format(", {} of {}", done, total);
  return fmt::format("dray {}{}, {} s", work, part, since.count());
}

Progress::Progress(std::string work, std::size_t total)
    : Progress(std::move(work), total, to_terminal(), Pace{}) {}

Progress::Progress(std::string work, std::size_t total, Write write, Pace pace)
    : work_(std::move(work)), total_(total), write_(std::move(write)), pace_(pace) {
  if (write_) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Progress::end() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Progress::run(const std::stop_token& stop) {
  const auto start = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  bool shown = false;
  for (auto wait = pace_.first;; wait = pace_.then) {
    ending_.wait_for(lock, stop, wait, [] { return false; });
    if (stop.stop_requested()) break;
    const auto since = std::chrono::steady_clock::now() - start;
    write_(std::string(wipe) +
           progress_line(work_, done_.load(std::memory_order_relaxed), total_,
                         std::chrono::duration_cast<std::chrono::seconds>(since)));
    shown = true;
  }
  if (shown) write_(wipe);
}

}  // namespace dray::app
