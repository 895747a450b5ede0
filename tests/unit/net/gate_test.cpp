#include "net/gate.h"

#include <catch2/catch.hpp>

#include "tests/unit/net/support.h"

namespace dray::net::gate_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::Loop;

boost::asio::awaitable<int> pass(Gate& gate, std::atomic<int>& inside, std::atomic<int>& most) {
  if (!co_await gate.enter(Clock::now() + 20s)) co_return 0;
  const auto now = ++inside;
  for (auto seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
  }
  --inside;
  gate.leave();
  co_return 1;
}

}  // namespace

TEST_CASE("a gate lets so many through at a time and all in the end") {
  Loop loop(4);
  Gate gate(loop.io, 3);
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::future<int>> pending;
  for (int i = 0; i < 2000; ++i) pending.push_back(loop.start(pass(gate, inside, most)));
  int through = 0;
  for (auto& one : pending) through += one.get();
  CHECK(through == 2000);
  CHECK(most <= 3);
}

TEST_CASE("who waits too long is turned away and holds nothing") {
  Loop loop;
  Gate gate(loop.io, 1);
  CHECK(loop.run(gate.enter(Clock::now())));
  CHECK_FALSE(loop.run(gate.enter(Clock::now() + 10ms)));
  gate.leave();
  CHECK(loop.run(gate.enter(Clock::now())));
}

}  // namespace dray::net::gate_test
