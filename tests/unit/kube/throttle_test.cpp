#include "kube/throttle.h"

#include <catch2/catch.hpp>
#include <future>
#include <vector>

#include "tests/unit/net/support.h"

namespace dray::kube::throttle_test {
namespace {

using namespace std::chrono_literals;
using Clock = Throttle::Clock;
using net::testing::Loop;

constexpr auto long_enough = 20s;

}  // namespace

TEST_CASE("a burst passes at once, and what is beyond it is turned away at its deadline") {
  Loop loop;
  Throttle throttle(loop.io, 0.001, 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(loop.run(throttle.enter(Urgency::bind, Clock::now() + long_enough)));
  }
  const auto start = Clock::now();
  CHECK_FALSE(loop.run(throttle.enter(Urgency::bind, start + 30ms)));
  CHECK(Clock::now() - start >= 30ms);
}

TEST_CASE("beyond the burst requests pass at the rate") {
  Loop loop;
  Throttle throttle(loop.io, 100, 1);
  const auto start = Clock::now();
  for (int i = 0; i < 6; ++i) {
    CHECK(loop.run(throttle.enter(Urgency::bind, start + long_enough)));
  }
  CHECK(Clock::now() - start >= 50ms);
}

TEST_CASE("all that wait pass in the end, whatever thread they wait on") {
  Loop loop(4);
  Throttle throttle(loop.io, 5000, 10);
  std::vector<std::future<bool>> waiting;
  for (int i = 0; i < 500; ++i) {
    waiting.push_back(
        loop.start(throttle.enter(static_cast<Urgency>(i % 3), Clock::now() + long_enough)));
  }
  int passed = 0;
  for (auto& one : waiting) passed += one.get() ? 1 : 0;
  CHECK(passed == 500);
}

TEST_CASE("who was turned away takes nobody's turn") {
  Loop loop;
  Throttle throttle(loop.io, 10, 1);
  CHECK(loop.run(throttle.enter(Urgency::bind, Clock::now() + long_enough)));
  CHECK_FALSE(loop.run(throttle.enter(Urgency::bind, Clock::now())));
  const auto start = Clock::now();
  CHECK(loop.run(throttle.enter(Urgency::notice, start + long_enough)));
}

}  // namespace dray::kube::throttle_test
