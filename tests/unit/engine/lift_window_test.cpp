#include "engine/protocol/lift_window.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::engine::lift_window_test {
namespace {

using namespace std::chrono_literals;
constexpr Time t0 = Time(std::chrono::hours(24 * 365 * 50));

struct Bench {
  LiftWindow window;
  Time now = t0;
  int added = 0;
  int ended = 0;

  void add(int jobs, int pods_each = 1) {
    for (int i = 0; i < jobs; ++i) {
      std::vector<Uid> pods;
      for (int j = 0; j < pods_each; ++j) pods.emplace_back(std::to_string(added++));
      window.add(std::move(pods));
    }
  }
  /// How many pods go out now.
  std::size_t take() {
    std::size_t count = 0;
    for (auto pods = window.take_due(now); !pods.empty(); pods = window.take_due(now)) {
      count += pods.size();
    }
    return count;
  }
  /// The oldest that are out end.
  void end(int count, bool bound = true) {
    for (int i = 0; i < count; ++i) window.ended(Uid(std::to_string(ended++)), bound, now);
  }
};

}  // namespace

TEST_CASE("so many go out at once, and then as many as end") {
  Bench bench;
  bench.add(1000);
  CHECK(bench.take() == LiftWindow::least);
  CHECK(bench.take() == 0);
  bench.end(10);
  CHECK(bench.take() == 10);
}

TEST_CASE("they go in the order in which they came") {
  LiftWindow window;
  window.add({Uid("b")});
  window.add({Uid("c"), Uid("a")});
  CHECK(window.take_due(t0) == std::vector{Uid("b")});
  CHECK(window.take_due(t0) == std::vector{Uid("c"), Uid("a")});
}

TEST_CASE("more are out where more is bound: about two seconds' worth") {
  Bench bench;
  bench.add(10'000);
  std::size_t most = 0;
  for (int i = 0; i < 100; ++i) {
    bench.take();
    most = std::max(most, bench.window.out());
    bench.now += 100ms;
    bench.end(40);
  }
  CHECK(most >= 700);
  CHECK(most <= 800);
}

TEST_CASE("a pod that never ends holds nobody up for good") {
  Bench bench;
  bench.add(LiftWindow::least + 1);
  CHECK(bench.take() == LiftWindow::least);
  CHECK(bench.window.next_tick() == t0 + LiftWindow::patience);
  bench.now += LiftWindow::patience - 1us;
  CHECK(bench.take() == 0);
  bench.now += 1us;
  CHECK(bench.take() == 1);
  CHECK_FALSE(bench.window.next_tick());
}

TEST_CASE("a pod that is offered again is waited for anew") {
  LiftWindow window;
  const Uid pod("again");
  window.add({Uid("other"), pod});
  CHECK(window.take_due(t0).size() == 2);
  window.left(pod);
  window.add({pod});
  CHECK(window.take_due(t0 + 8s).size() == 1);
  CHECK(window.take_due(t0 + 17s).empty());
  CHECK(window.out() == 1);
  CHECK(window.take_due(t0 + 18s).empty());
  CHECK(window.out() == 0);
}

TEST_CASE("a gang of any size goes out when nothing else is") {
  Bench bench;
  bench.add(1, 5000);
  CHECK(bench.take() == 5000);
}

TEST_CASE("a gang waits until it can end within its time, and whoever comes later waits with it") {
  Bench bench;
  bench.add(30);
  CHECK(bench.take() == 30);
  bench.add(1, 40);
  bench.add(1);
  SECTION("too much is ahead of it for the rate") {
    CHECK(bench.take() == 0);
    bench.end(6);
    CHECK(bench.take() == 41);
  }
  SECTION("the rate is enough") {
    // 30 more are bound in three seconds: at six a second 70 take less than five and two.
    bench.now += 3s;
    bench.end(29, true);
    bench.add(29);
    CHECK(bench.take() == 70);
  }
}

TEST_CASE("what ends unbound makes room, and is no sign of speed") {
  Bench bench;
  bench.add(10'000);
  CHECK(bench.take() == LiftWindow::least);
  for (int i = 0; i < 20; ++i) {
    bench.end(100, false);
    CHECK(bench.take() == 100);
  }
}

TEST_CASE("after a change of leadership nothing waits and nothing is out") {
  Bench bench;
  bench.add(200);
  bench.take();
  bench.window.reset();
  CHECK(bench.window.out() == 0);
  CHECK(bench.window.waiting() == 0);
  CHECK_FALSE(bench.window.next_tick());
}

}  // namespace dray::engine::lift_window_test
