#include "net/gate.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

namespace dray::net {

namespace asio = boost::asio;

/// Its timer is used on its own strand only, so that a wake-up cannot come before the wait.
struct Gate::Waiter {
  explicit Waiter(asio::io_context& io) : strand(asio::make_strand(io)), timer(strand) {}

  asio::strand<asio::io_context::executor_type> strand;
  asio::steady_timer timer;
  bool granted = false;  ///< under the gate's mutex
};

Gate::Gate(asio::io_context& io, std::size_t capacity) : io_(io), free_(capacity) {}
Gate::~Gate() = default;

bool Gate::try_enter() {
  const std::lock_guard lock(mutex_);
  if (free_ == 0 || !waiters_.empty()) return false;
  --free_;
  return true;
}

asio::awaitable<bool> Gate::enter(std::chrono::steady_clock::time_point deadline) {
  if (try_enter()) co_return true;
  const auto waiter = std::make_shared<Waiter>(io_);
  co_return co_await asio::co_spawn(waiter->strand, wait(waiter, deadline), asio::use_awaitable);
}

asio::awaitable<bool> Gate::wait(std::shared_ptr<Waiter> waiter,
                                 std::chrono::steady_clock::time_point deadline) {
  {
    const std::lock_guard lock(mutex_);
    if (free_ > 0 && waiters_.empty()) {
      --free_;
      co_return true;
    }
    waiters_.push_back(waiter);
  }
  waiter->timer.expires_at(deadline);
  co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  const std::lock_guard lock(mutex_);
  if (!waiter->granted) std::erase(waiters_, waiter);
  co_return waiter->granted;
}

void Gate::leave() {
  std::shared_ptr<Waiter> next;
  {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty()) {
      ++free_;
      return;
    }
    next = std::move(waiters_.front());
    waiters_.pop_front();
    next->granted = true;
  }
  asio::post(next->strand, [next] { next->timer.cancel(); });
}

}  // namespace dray::net
