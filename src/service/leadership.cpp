#include "service/leadership.h"

#include <algorithm>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <utility>

namespace dray::service {

namespace asio = boost::asio;

Leadership::Leadership(engine::LeaseKeeper::Options options, kube::ClusterApi& api,
                       const Clock& clock, Fence& fence, Told told, WritesEnd writes_end)
    : api_(api),
      clock_(clock),
      fence_(fence),
      told_(std::move(told)),
      writes_end_(std::move(writes_end)),
      strand_(asio::make_strand(thread_.io())),
      keeper_(std::move(options)),
      timer_(strand_),
      ended_(strand_) {}

void Leadership::start() {
  asio::co_spawn(strand_, run(), asio::detached);
}

asio::awaitable<void> Leadership::run() {
  running_ = true;
  while (!stopping_) {
    if (rest_) {
      fence_.close();
      co_await writes_end_();
      if (stopping_) break;
      co_await carry(keeper_.release(clock_.now(), *std::exchange(rest_, std::nullopt)));
      tell();
    }
    co_await carry(keeper_.tick(clock_.now()));
    if (stopping_) break;
    if (rest_) continue;
    auto wake = keeper_.next_tick();
    if (leading_) wake = std::min(wake, keeper_.leading_until());
    timer_.expires_at(clock_.steady(std::max(wake, clock_.now() + std::chrono::milliseconds(10))));
    boost::system::error_code cancelled;
    co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    tell();
  }
  running_ = false;
  ended_.notify_all();
}

asio::awaitable<void> Leadership::carry(engine::LeaseKeeper::Commands commands) {
  while (!commands.empty()) {
    // One command at a time is all that the keeper asks for.
    const auto outcome = co_await api_.write(std::move(commands.front()), kube::WriteTerms());
    commands = keeper_.step(outcome, clock_.now());
    tell();
  }
}

void Leadership::tell() {
  if (keeper_.holder() != holder()) {
    holder_.store(std::make_shared<const std::string>(keeper_.holder()));
  }
  const bool leading = !stopping_ && keeper_.may_write(clock_.now());
  if (leading) {
    fence_.open_until(keeper_.leading_until());
  } else {
    fence_.close();
  }
  if (std::exchange(leading_, leading) != leading) told_({leading, keeper_.epoch()});
}

std::string Leadership::holder() const {
  const auto holder = holder_.load();
  return holder ? *holder : "";
}

void Leadership::step_down(Duration rest) {
  asio::post(strand_, [this, rest] {
    rest_ = rest;
    timer_.cancel();
  });
}

/// The frame of whoever waits names no executor of this thread: it may be dropped after the thread
/// has ended.
asio::awaitable<void> Leadership::release() {
  const auto begin = [this](auto waiter) {
    auto work = asio::make_work_guard(asio::get_associated_executor(waiter));
    asio::co_spawn(
        strand_, release_here(),
        [waiter = std::move(waiter),
         work = std::move(work)](const std::exception_ptr& failed) mutable {
          asio::post(work.get_executor(),
                     [waiter = std::move(waiter), failed]() mutable { std::move(waiter)(failed); });
        });
  };
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
      begin, asio::use_awaitable);
}

asio::awaitable<void> Leadership::release_here() {
  stopping_ = true;
  fence_.close();
  timer_.cancel();
  while (running_) co_await ended_.wait();
  // Not before: whoever is told cuts writes off, and a renewal cut off may have happened or not.
  tell();
  co_await carry(keeper_.release(clock_.now()));
}

}  // namespace dray::service
