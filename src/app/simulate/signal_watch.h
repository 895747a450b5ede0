#pragma once

#include <csignal>

#include <atomic>
#include <functional>
#include <thread>

namespace dray::app {

/// While it is there SIGINT and SIGTERM do not end the process, but call `ended` with their number,
/// on a thread of its own: once. To be made before the threads that are not to get them.
class SignalWatch {
 public:
  explicit SignalWatch(std::function<void(int)> ended);
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

 private:
  sigset_t before_{};
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

}  // namespace dray::app
