#include "kube/outbox_carrier.h"

#include <catch2/catch.hpp>
#include <future>
#include <thread>
#include <vector>

#include "tests/unit/net/support.h"

namespace dray::kube::outbox_carrier_test {
namespace {

using namespace std::chrono_literals;
using engine::Load;
using net::testing::Loop;
using Turn = OutboxCarrier::Turn;

std::shared_ptr<const engine::Write> write(engine::Write given) {
  return std::make_shared<const engine::Write>(std::move(given));
}
std::shared_ptr<const engine::Write> bind_of(const std::string& pod) {
  return write(engine::BindPod{{"a", pod}, {}, {}});
}
std::shared_ptr<const engine::Write> condition_of(const std::string& pod) {
  return write(engine::SetPodCondition{{"a", pod}, {}, {}});
}

/// In, and answered at once.
boost::asio::awaitable<bool> through(OutboxCarrier* carrier,
                                     std::shared_ptr<const engine::Write> each) {
  const auto place = co_await carrier->enter(std::move(each), Time());
  if (place.turn != Turn::now) co_return false;
  const engine::Outbox::Answer answer{Load::fine, 1ms, {}};
  co_return co_await carrier->answered(place.ticket, answer) == Turn::over;
}

/// One place only.
struct Bench {
  Loop loop{4};
  OutboxCarrier carrier{loop.io, {.flight = {.start = 1, .most = 1}}};

  std::future<OutboxCarrier::Place> enter(std::shared_ptr<const engine::Write> each) {
    return loop.start(carrier.enter(std::move(each), Time()));
  }
  Turn answered(OutboxCarrier::Ticket ticket, Load load = Load::fine) {
    return loop.run(carrier.answered(ticket, {load, 1ms, 0s}));
  }
  void wait_until_waiting(std::size_t count) {
    for (;;) {
      std::size_t waiting = 0;
      for (const auto& each : loop.run(carrier.status()).classes) waiting += each.waiting;
      if (waiting == count) return;
      std::this_thread::yield();
    }
  }
};

}  // namespace

TEST_CASE("the next one's turn comes with the answer to the one before") {
  Bench bench;
  const auto first = bench.enter(bind_of("p")).get();
  CHECK(first.turn == Turn::now);
  auto second = bench.enter(bind_of("q"));
  bench.wait_until_waiting(1);
  CHECK(bench.answered(first.ticket) == Turn::over);
  CHECK(second.get().turn == Turn::now);
}

TEST_CASE("who was refused for overload gets another turn") {
  Bench bench;
  const auto place = bench.enter(bind_of("p")).get();
  CHECK(bench.answered(place.ticket, Load::overloaded) == Turn::now);
  CHECK(bench.answered(place.ticket) == Turn::over);
}

TEST_CASE("a condition that a later one replaces goes on at once") {
  Bench bench;
  const auto first = bench.enter(bind_of("p")).get();
  auto older = bench.enter(condition_of("q"));
  bench.wait_until_waiting(1);
  auto newer = bench.enter(condition_of("q"));
  CHECK(older.get().turn == Turn::replaced);
  CHECK(bench.answered(first.ticket) == Turn::over);
  CHECK(newer.get().turn == Turn::now);
}

TEST_CASE("all that wait are dropped together") {
  Bench bench;
  const auto first = bench.enter(bind_of("p")).get();
  auto second = bench.enter(bind_of("q"));
  bench.wait_until_waiting(1);
  bench.carrier.drop_waiting();
  CHECK(second.get().turn == Turn::dropped);
  CHECK(bench.answered(first.ticket) == Turn::over);
}

TEST_CASE("all that wait have their turn in the end, whatever thread they wait on") {
  Loop loop(4);
  OutboxCarrier carrier(loop.io, {});
  std::vector<std::future<bool>> waiting;
  for (int i = 0; i < 300; ++i) {
    waiting.push_back(loop.start(through(&carrier, bind_of(std::to_string(i)))));
  }
  int passed = 0;
  for (auto& each : waiting) passed += each.get() ? 1 : 0;
  CHECK(passed == 300);
}

}  // namespace dray::kube::outbox_carrier_test
