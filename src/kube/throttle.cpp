#include "kube/throttle.h"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace dray::kube {

namespace asio = boost::asio;
using Clock = Throttle::Clock;

/// All of it is owned by the strand.
struct Throttle::State {
  State(asio::io_context& io, double qps, std::size_t burst)
      : strand(asio::make_strand(io)), rules(qps, burst), timer(strand) {}

  struct Waiter {
    explicit Waiter(const asio::strand<asio::io_context::executor_type>& on) : timer(on) {}
    asio::steady_timer timer;
    bool admitted = false;
  };

  static Duration now() {
    return std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch());
  }

  asio::strand<asio::io_context::executor_type> strand;
  ThrottleState rules;
  asio::steady_timer timer;
  std::map<ThrottleState::Ticket, std::shared_ptr<Waiter>> waiters;
  ThrottleState::Ticket next_ticket = 0;
};

namespace {

/// Lets go whoever may, and sets the timer for the next.
void admit_due(const std::shared_ptr<Throttle::State>& state) {
  while (const auto ticket = state->rules.admit(Throttle::State::now())) {
    const auto waiter = state->waiters.extract(*ticket).mapped();
    waiter->admitted = true;
    waiter->timer.cancel();
  }
  const auto next = state->rules.next();
  if (!next) return;
  state->timer.expires_at(Clock::time_point(*next + std::chrono::microseconds(1)));
  state->timer.async_wait([state](const boost::system::error_code& ec) {
    if (!ec) admit_due(state);
  });
}

asio::awaitable<bool> enter_here(std::shared_ptr<Throttle::State> state, Urgency urgency,
                                 Clock::time_point deadline) {
  const auto ticket = state->next_ticket++;
  const auto waiter = std::make_shared<Throttle::State::Waiter>(state->strand);
  state->waiters.emplace(ticket, waiter);
  state->rules.wait(ticket, urgency);
  admit_due(state);
  if (!waiter->admitted) {
    waiter->timer.expires_at(deadline);
    co_await waiter->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (!waiter->admitted) {
    state->rules.cancel(ticket);
    state->waiters.erase(ticket);
  }
  co_return waiter->admitted;
}

}  // namespace

Throttle::Throttle(asio::io_context& io, double qps, std::size_t burst)
    : state_(std::make_shared<State>(io, qps, burst)) {}
Throttle::~Throttle() = default;

asio::awaitable<bool> Throttle::enter(Urgency urgency, Clock::time_point deadline) {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand, enter_here(state, urgency, deadline),
                                    asio::use_awaitable);
}

}  // namespace dray::kube
