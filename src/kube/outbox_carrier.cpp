#include "kube/outbox_carrier.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <map>
#include <utility>

#include "net/async_event.h"

namespace dray::kube {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using engine::Outbox;
using Turn = OutboxCarrier::Turn;

/// All of it is owned by the strand.
struct OutboxCarrier::State {
  State(asio::io_context& io, Outbox::Options options)
      : strand(asio::make_strand(io)), rules(options), timer(strand) {}

  struct Waiter {
    explicit Waiter(const asio::strand<asio::io_context::executor_type>& on) : given(on) {}
    net::AsyncEvent given;
    std::optional<Turn> turn;
  };

  static Time now() {
    return Time(std::chrono::duration_cast<Duration>(Clock::now().time_since_epoch()));
  }
  void give(Ticket ticket, Turn turn) {
    const auto waiter = waiters.extract(ticket);
    if (waiter.empty()) return;
    waiter.mapped()->turn = turn;
    waiter.mapped()->given.notify_all();
  }

  asio::strand<asio::io_context::executor_type> strand;
  Outbox rules;
  asio::steady_timer timer;
  std::map<Ticket, std::shared_ptr<Waiter>> waiters;
  std::uint64_t next_ticket = 0;
};

namespace {

/// Lets go whoever may, and sets the timer for the next.
void pump(const std::shared_ptr<OutboxCarrier::State>& state) {
  for (const auto ticket : state->rules.tick(OutboxCarrier::State::now())) {
    state->give(ticket, Turn::now);
  }
  const auto next = state->rules.next_tick();
  if (!next) return;
  state->timer.expires_at(Clock::time_point(next->time_since_epoch() + Duration(1)));
  state->timer.async_wait([state](const boost::system::error_code& error) {
    if (!error) pump(state);
  });
}

asio::awaitable<Turn> wait(std::shared_ptr<OutboxCarrier::State> state,
                           OutboxCarrier::Ticket ticket) {
  const auto waiter = std::make_shared<OutboxCarrier::State::Waiter>(state->strand);
  state->waiters.emplace(ticket, waiter);
  pump(state);
  while (!waiter->turn) co_await waiter->given.wait();
  co_return *waiter->turn;
}

asio::awaitable<OutboxCarrier::Place> enter_here(std::shared_ptr<OutboxCarrier::State> state,
                                                 std::shared_ptr<const engine::Write> write,
                                                 Time since) {
  const OutboxCarrier::Ticket ticket(state->next_ticket++);
  const auto replaced = state->rules.enqueue(ticket, *write, since, OutboxCarrier::State::now());
  if (replaced) state->give(*replaced, Turn::replaced);
  const auto turn = co_await wait(state, ticket);
  co_return OutboxCarrier::Place{ticket, turn};
}

asio::awaitable<Turn> answered_here(std::shared_ptr<OutboxCarrier::State> state,
                                    OutboxCarrier::Ticket ticket, Outbox::Answer answer) {
  if (state->rules.answered(ticket, answer, OutboxCarrier::State::now())) {
    co_return co_await wait(state, ticket);
  }
  pump(state);
  co_return Turn::over;
}

asio::awaitable<Outbox::Status> status_here(std::shared_ptr<OutboxCarrier::State> state) {
  co_return state->rules.status(OutboxCarrier::State::now());
}

}  // namespace

OutboxCarrier::OutboxCarrier(asio::io_context& io, Outbox::Options options)
    : state_(std::make_shared<State>(io, options)) {}
OutboxCarrier::~OutboxCarrier() = default;

asio::awaitable<OutboxCarrier::Place> OutboxCarrier::enter(
    std::shared_ptr<const engine::Write> write, Time since) {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand, enter_here(state, std::move(write), since),
                                    asio::use_awaitable);
}

asio::awaitable<Turn> OutboxCarrier::answered(Ticket ticket, Outbox::Answer answer) {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand, answered_here(state, ticket, answer),
                                    asio::use_awaitable);
}

void OutboxCarrier::drop_waiting() {
  asio::post(state_->strand, [state = state_] {
    for (const auto ticket : state->rules.drop_waiting()) state->give(ticket, Turn::dropped);
  });
}

asio::awaitable<Outbox::Status> OutboxCarrier::status() {
  const auto state = state_;
  co_return co_await asio::co_spawn(state->strand, status_here(state), asio::use_awaitable);
}

}  // namespace dray::kube
