#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace dray::app {

/// How far a comparison is.
struct SweepProgress {
  std::size_t runs = 0;
  std::size_t done = 0;  ///< those that were kept by an earlier process included
  std::size_t kept = 0;  ///< of those
  std::chrono::seconds taken{0};
};

/// What is left, if runs take as long as those that were made so far; nothing where none was.
[[nodiscard]] std::optional<std::chrono::seconds> time_left(const SweepProgress& progress);
/// A line for a terminal, without its end: a bar, how many are done, the time taken and left.
[[nodiscard]] std::string progress_line(const SweepProgress& progress);

/// A line on the standard error that is written anew as time goes on, and is taken away in the end;
/// nothing where that is no terminal.
class ProgressBar {
 public:
  ProgressBar(std::size_t runs, std::size_t kept);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// One more is done. Any thread.
  void one_done();
  /// Takes the line away, for good. Any thread.
  void end();

 private:
  void keep_showing();

  std::mutex mutex_;
  std::condition_variable ended_;
  SweepProgress progress_;
  std::chrono::steady_clock::time_point begin_;
  bool shown_;
  std::thread clock_;
};

}  // namespace dray::app
