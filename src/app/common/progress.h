#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace dray::app {

/// `dray match: asks devices, 30 of 100, 5 s`; without a total only what it does and for how long.
[[nodiscard]] std::string progress_line(std::string_view work, std::size_t done, std::size_t total,
                                        std::chrono::seconds since);

/// Says on the terminal what long work does: one line on the standard error from two seconds on,
/// which is gone when the work has ended. Nothing where that is no terminal. `next()` is for any
/// thread, all else for the one that made it.
class Progress {
 public:
  using Write = std::function<void(std::string_view)>;
  struct Pace {
    std::chrono::milliseconds first = std::chrono::seconds(2);
    std::chrono::milliseconds then = std::chrono::milliseconds(500);
  };

  /// `work` names the command and what it does; `total`: of how many things, if that is known.
  explicit Progress(std::string work, std::size_t total = 0);
  /// The same, to somewhere else; an empty `write`: nowhere.
  Progress(std::string work, std::size_t total, Write write, Pace pace);
  ~Progress() { end(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of `total` is done.
  void next() { done_.fetch_add(1, std::memory_order_relaxed); }
  /// The line is gone, and comes no more: before anything else is written.
  void end();

 private:
  void run(const std::stop_token& stop);

  const std::string work_;
  const std::size_t total_;
  const Write write_;
  const Pace pace_;
  std::atomic<std::size_t> done_{0};
  std::mutex mutex_;
  std::condition_variable_any ending_;
  std::jthread thread_;
};

}  // namespace dray::app
