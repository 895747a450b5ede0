#include "dray/engine/flight_window.h"

#include <catch2/catch.hpp>

namespace dray::engine::flight_window_test {
namespace {

using namespace std::chrono_literals;
constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));
constexpr std::size_t verb = 3;

/// A window that is kept full, a round trip at a time.
struct Bench {
  explicit Bench(FlightWindow::Options options = {}) : window(options) {}

  /// As many as may go are sent and answered alike, `took` later; gives how many.
  std::size_t round(Load load = Load::fine, Duration took = 10ms,
                    std::optional<Duration> retry_after = {}) {
    const auto sent = fill();
    now += took;
    for (std::size_t i = 0; i < sent; ++i) window.answered(load, verb, took, retry_after, now);
    return sent;
  }
  std::size_t fill() {
    std::size_t sent = 0;
    for (; window.may_send(now); ++sent) window.sent();
    return sent;
  }

  FlightWindow window;
  Time now = t0;
};

}  // namespace

TEST_CASE("a full window doubles a round trip until slow start ends, then grows by one") {
  Bench bench({.start = 2, .slow_start_until = 8});
  CHECK(bench.round() == 2);
  CHECK(bench.round() == 4);
  CHECK(bench.round() == 8);
  CHECK(bench.round() == 8);  // each answer an eighth: nearly nine
  CHECK(bench.round() == 9);
}

TEST_CASE("a window that is not made use of does not grow") {
  FlightWindow window({.start = 4});
  for (int i = 0; i < 100; ++i) {
    window.sent();
    window.answered(Load::fine, verb, 1ms, {}, t0 + i * 1ms);
  }
  CHECK(window.limit() == 4);
}

TEST_CASE("it never grows above its upper bound") {
  Bench bench({.start = 8, .most = 10});
  for (int i = 0; i < 10; ++i) bench.round();
  CHECK(bench.window.limit() == 10);
}

TEST_CASE("however many of one round trip are refused, the window is cut once") {
  const auto load = GENERATE(Load::overloaded, Load::lost);
  Bench bench({.start = 16});
  CHECK(bench.round(load) == 16);
  CHECK(bench.window.limit() == 8);
  CHECK(bench.window.cuts() == 1);
  CHECK(bench.window.may_send(bench.now));
}

TEST_CASE("overload right after a cut stops everything for as long as was asked for") {
  Bench bench({.start = 16});
  bench.round(Load::overloaded);
  bench.round(Load::overloaded, 10ms, 2s);
  CHECK(bench.window.paused_until() == bench.now + 2s);
  CHECK_FALSE(bench.window.may_send(bench.now + 1999ms));
  bench.now += 2s;
  SECTION("and then it starts slowly") {
    CHECK(bench.round() == 1);
    CHECK(bench.round() == 2);
  }
  SECTION("and again, for longer each time, while nothing is answered") {
    bench.round(Load::lost);
    CHECK(bench.window.paused_until() == bench.now + 200ms);
    bench.now += 200ms;
    bench.round(Load::lost);
    CHECK(bench.window.paused_until() == bench.now + 400ms);
    for (int i = 0; i < 20; ++i) {
      bench.now = bench.window.paused_until();
      bench.round(Load::lost);
    }
    CHECK(bench.window.paused_until() == bench.now + 5s);
  }
}

TEST_CASE("a good answer between two cuts means that there is no pause") {
  Bench bench({.start = 16});
  bench.round(Load::overloaded);
  bench.round();
  bench.round(Load::overloaded);
  CHECK(bench.window.may_send(bench.now));
  CHECK(bench.window.cuts() == 2);
}

TEST_CASE("a server that has become slower for good is not taken for one with too much to do") {
  Bench bench({.start = 20, .slow_start_until = 1, .gentle = 8});
  bench.round(Load::fine, 10ms);
  for (int i = 0; i < 90; ++i) {
    bench.now += 1s;
    bench.round(Load::fine, 100ms);
  }
  CHECK(bench.window.limit() > 8);
}

TEST_CASE("latency far above the verb's own least cuts gently, and not below what others leave") {
  Bench bench({.start = 20, .slow_start_until = 1});
  bench.round(Load::fine, 10ms);
  const auto before = bench.window.limit();
  bench.round(Load::fine, 59ms);  // three times ten and the slack of thirty are sixty
  CHECK(bench.window.limit() > before);
  bench.round(Load::fine, 2s);
  CHECK(bench.window.limit() < before);
  CHECK(bench.window.limit() >= 16);
  for (int i = 0; i < 20; ++i) bench.round(Load::fine, 2s);
  CHECK(bench.window.limit() == 8);
}

TEST_CASE("each verb has its own least latency, and none has one for good") {
  FlightWindow window({.start = 20});
  window.sent();
  window.answered(Load::fine, verb, 1ms, {}, t0);
  SECTION("a slower verb is no sign") {
    window.sent();
    window.answered(Load::fine, verb + 1, 800ms, {}, t0 + 1s);
    CHECK(window.cuts() == 0);
  }
  SECTION("what waits at the API server is no sign") {
    window.sent();
    window.answered(Load::fine, std::nullopt, 800ms, {}, t0 + 1s);
    CHECK(window.cuts() == 0);
  }
  SECTION("after a minute of it the new latency is the measure") {
    for (int i = 1; i <= 70; ++i) {
      window.sent();
      window.answered(Load::fine, verb, 800ms, {}, t0 + i * 1s);
    }
    const auto cuts = window.cuts();
    CHECK(cuts > 0);
    window.sent();
    window.answered(Load::fine, verb, 800ms, {}, t0 + 71s);
    CHECK(window.cuts() == cuts);
  }
}

}  // namespace dray::engine::flight_window_test
