#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace dray::net {

/// Lets at most `capacity` through at a time, in order of arrival. Any thread.
class Gate {
 public:
  Gate(boost::asio::io_context& io, std::size_t capacity);
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// False if it was not our turn by then. After true, leave() must be called.
  boost::asio::awaitable<bool> enter(std::chrono::steady_clock::time_point deadline);
  void leave();

 private:
  struct Waiter;
  boost::asio::awaitable<bool> wait(std::shared_ptr<Waiter> waiter,
                                    std::chrono::steady_clock::time_point deadline);
  [[nodiscard]] bool try_enter();

  boost::asio::io_context& io_;
  std::mutex mutex_;
  std::size_t free_;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

}  // namespace dray::net
