#include "net/async_event.h"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dray::net {

namespace asio = boost::asio;

namespace {

/// Takes the waiter out also where its coroutine is destroyed while it waits.
template <class Set>
class Registered {
 public:
  Registered(Set& set, typename Set::value_type waiter) : set_(set), waiter_(waiter) {
    set_.insert(waiter_);
  }
  ~Registered() { set_.erase(waiter_); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  Set& set_;
  typename Set::value_type waiter_;
};

}  // namespace

asio::awaitable<bool> AsyncEvent::wait_until(Clock::time_point deadline) {
  Waiter waiter{asio::steady_timer(executor_, deadline)};
  const Registered registered(waiters_, &waiter);
  boost::system::error_code cancelled;
  co_await waiter.timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  co_return waiter.notified;
}

asio::awaitable<void> AsyncEvent::wait() {
  co_await wait_until(Clock::time_point::max());
}

void AsyncEvent::notify_all() {
  for (auto* waiter : waiters_) {
    waiter->notified = true;
    waiter->timer.cancel();
  }
}

}  // namespace dray::net
