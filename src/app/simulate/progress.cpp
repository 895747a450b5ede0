#include "app/simulate/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "report/jobs_report.h"

namespace dray::app {
namespace {

using std::chrono::seconds;

constexpr std::size_t bar_width = 30;

std::string text_of(seconds time) {
  return report::time_text(static_cast<double>(time.count()));
}

}  // namespace

std::optional<seconds> time_left(const SweepProgress& progress) {
  const auto made = progress.done - progress.kept;
  if (made == 0) return std::nullopt;
  const auto left = static_cast<double>(progress.runs - progress.done);
  const auto each = static_cast<double>(progress.taken.count()) / static_cast<double>(made);
  return seconds(std::llround(left * each));
}

std::string progress_line(const SweepProgress& progress) {
  const auto filled = progress.runs == 0 ? bar_width : bar_width * progress.done / progress.runs;
  auto line = fmt::format("[{:#<{}}{:.<{}}] {}/{} runs, {}", "", filled, "", bar_width - filled,
                          progress.done, progress.runs, text_of(progress.taken));
  if (progress.kept > 0) line += fmt::format(", {} kept before", progress.kept);
  if (const auto left = time_left(progress)) line += fmt::format(", about {} left", text_of(*left));
  return line;
}

ProgressBar::ProgressBar(std::size_t runs, std::size_t kept)
    : progress_{.runs = runs, .done = kept, .kept = kept},
      begin_(std::chrono::steady_clock::now()),
      shown_(isatty(STDERR_FILENO) == 1) {
  if (shown_) clock_ = std::thread([this] { keep_showing(); });
}

ProgressBar::~ProgressBar() {
  end();
  if (clock_.joinable()) clock_.join();
}

void ProgressBar::one_done() {
  const std::lock_guard lock(mutex_);
  ++progress_.done;
}

void ProgressBar::end() {
  const std::lock_guard lock(mutex_);
  if (shown_) std::fputs("\r\x1b[K", stderr);
  shown_ = false;
  ended_.notify_all();
}

void ProgressBar::keep_showing() {
  constexpr std::chrono::milliseconds pace(200);
  std::unique_lock lock(mutex_);
  // A comparison that takes no time needs no line.
  while (!ended_.wait_for(lock, pace, [this] { return !shown_; })) {
    progress_.taken =
        std::chrono::duration_cast<seconds>(std::chrono::steady_clock::now() - begin_);
    std::fputs(("\r" + progress_line(progress_) + "\x1b[K").c_str(), stderr);
  }
}

}  // namespace dray::app
