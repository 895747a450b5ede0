#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace dray::app {

/// Ends the process at a deadline, whatever still runs: an explanation, a simulation or an exec
/// plugin may take longer than Kubernetes waits after SIGTERM. One thread at a time calls it.
class ExitDeadline {
 public:
  ExitDeadline() = default;
  ~ExitDeadline();  ///< the process goes on
  ExitDeadline(const ExitDeadline&) = delete;
  ExitDeadline& operator=(const ExitDeadline&) = delete;

  /// From now on the process has `left` until it exits with `status`. A later call replaces it.
  void set(std::chrono::milliseconds left, int status);

 private:
  void watch();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::time_point::max();
  int status_ = 0;
  bool ended_ = false;
  std::thread thread_;  ///< once there is a deadline
};

}  // namespace dray::app
