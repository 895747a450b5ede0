#include "app/serve/exit_deadline.h"

#include <cstdlib>

#include "service/log.h"

namespace dray::app {

ExitDeadline::~ExitDeadline() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void ExitDeadline::set(std::chrono::milliseconds left, int status) {
  {
    const std::lock_guard lock(mutex_);
    at_ = std::chrono::steady_clock::now() + left;
    status_ = status;
  }
  changed_.notify_all();
  if (!thread_.joinable()) thread_ = std::thread([this] { watch(); });
}

void ExitDeadline::watch() {
  std::unique_lock lock(mutex_);
  while (!ended_ && std::chrono::steady_clock::now() < at_) changed_.wait_until(lock, at_);
  if (ended_) return;
  service::log_warning("exiting with work in flight: it took longer than a shutdown may");
  std::_Exit(status_);
}

}  // namespace dray::app
