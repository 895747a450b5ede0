#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <set>
#include <utility>

namespace dray::net {

/// Wakes coroutines that wait for something which another one does. Any number may wait at once,
/// each with a deadline of its own; who begins to wait disturbs nobody else. Owned by the strand or
/// thread of `executor`; outlives those that wait.
///
/// A notification is not kept: a waiter tests its condition in a loop, before it waits and after.
class AsyncEvent {
 public:
  using Clock = std::chrono::steady_clock;

  explicit AsyncEvent(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}
  AsyncEvent(const AsyncEvent&) = delete;
  AsyncEvent& operator=(const AsyncEvent&) = delete;

  /// Until it is notified; false: the deadline came first.
  boost::asio::awaitable<bool> wait_until(Clock::time_point deadline);
  /// Until it is notified.
  boost::asio::awaitable<void> wait();
  /// Wakes all that wait now.
  void notify_all();
  /// How many wait now.
  [[nodiscard]] std::size_t waiting() const { return waiters_.size(); }

 private:
  struct Waiter {
    boost::asio::steady_timer timer;
    bool notified = false;
  };

  boost::asio::any_io_executor executor_;
  std::set<Waiter*> waiters_;  ///< each is in the frame of its coroutine
};

}  // namespace dray::net
