#include "dray/policy/usage.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

#include "trees.h"

namespace dray::policy::usage_test {

namespace {

using namespace std::chrono_literals;

UsageHistory with_half_life(Duration half_life) {
  UsageHistory history;
  history.half_life = half_life;
  return history;
}

}  // namespace

TEST_CASE("usage is the part of the cluster that a queue had, the past halved") {
  auto tree = tree_of({spec("a"), spec("b", "a")});
  auto history = with_half_life(1h);
  const auto total = amounts({8});
  advance(history, tree, total, Time(0h));
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage == amounts({0}));

  tree.add_allocated(at(tree, "b"), amounts({4}), true);
  advance(history, tree, total, Time(1h));
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage[0] == Approx(0.5));
  CHECK(queue(tree, "b").usage[0] == Approx(0.5));

  // An idle hour: 4 GPUs for 1 h, halved, of 8 GPUs for 2 h: (0.5 * 4) / (0.5 * 8 + 8).
  tree.remove_allocated(at(tree, "b"), amounts({4}), true);
  advance(history, tree, total, Time(2h));
  apply_usage(history, tree);
  CHECK(queue(tree, "b").usage[0] == Approx(0.5 / 3));
}

TEST_CASE("many small steps count as one") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({3}), true);
  auto one = with_half_life(7min);
  auto many = one;
  advance(one, tree, amounts({8}), Time(0s));
  advance(many, tree, amounts({8}), Time(0s));
  advance(one, tree, amounts({8}), Time(1000s));
  for (int i = 1; i <= 1000; ++i) advance(many, tree, amounts({8}), Time(std::chrono::seconds(i)));
  CHECK(many.sums.capacity[0] == Approx(one.sums.capacity[0]).epsilon(1e-9));
  CHECK(many.sums.held.at(QueueName("a"))[0] ==
        Approx(one.sums.held.at(QueueName("a"))[0]).epsilon(1e-9));
}

TEST_CASE("a queue that is gone fades out") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_half_life(1h);
  advance(history, tree, amounts({8}), Time(0h));
  advance(history, tree, amounts({8}), Time(1h));
  const auto without = tree_of({});
  advance(history, without, amounts({8}), Time(2h));
  CHECK(history.sums.held.size() == 1);
  advance(history, without, amounts({8}), Time(30h));
  CHECK(history.sums.held.empty());
}

TEST_CASE("time that stands still or goes back counts nothing") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_half_life(1h);
  advance(history, tree, amounts({8}), Time(5h));
  advance(history, tree, amounts({8}), Time(5h));
  advance(history, tree, amounts({8}), Time(4h));
  CHECK(history.sums.held.empty());
  CHECK(history.at == Time(5h));
}

TEST_CASE("a history of other resources starts anew, and one without half-life counts nothing") {
  auto tree = tree_of({spec("a")});
  auto history = with_half_life(1h);
  history.sums.capacity = amounts({1, 2});
  history.sums.held[QueueName("a")] = amounts({1, 2});
  auto off = with_half_life(0s);
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage == amounts({0}));
  advance(history, tree, amounts({8}), Time(1h));
  CHECK(history.sums.held.empty());
  CHECK(history.sums.capacity == amounts({0}));
  advance(off, tree, amounts({8}), Time(1h));
  advance(off, tree, amounts({8}), Time(2h));
  CHECK(off.sums.held.empty());
}

namespace {

UsageHistory with_window(std::optional<Duration> half_life, Duration window) {
  UsageHistory history;
  remember(history, {.half_life = half_life, .window = window});
  return history;
}

/// What `a` had, by the definition: summed second by second over the window.
double by_definition(const std::vector<double>& held, double total, double half_life,
                     std::size_t window) {
  double had = 0;
  double capacity = 0;
  for (std::size_t age = 0; age < std::min(window, held.size()); ++age) {
    const auto weight =
        half_life > 0 ? std::exp2(-(static_cast<double>(age) + 0.5) / half_life) : 1;
    had += held[held.size() - 1 - age] * weight;
    capacity += total * weight;
  }
  return had / capacity;
}

}  // namespace

TEST_CASE("what was before the window does not count, to a part of it") {
  for (const double half_life : {0.0, 50.0, 500.0}) {
    auto tree = tree_of({spec("a")});
    auto history = with_window(
        half_life > 0 ? std::optional(Duration(std::chrono::seconds(static_cast<int>(half_life))))
                      : std::nullopt,
        200s);
    std::vector<double> held;
    advance(history, tree, amounts({8}), Time(0s));
    for (int second = 1; second <= 1500; ++second) {
      const double now = second % 230 < 90 ? 8 : second % 7;
      tree.add_allocated(at(tree, "a"), amounts({now}), true);
      advance(history, tree, amounts({8}), Time(std::chrono::seconds(second)));
      tree.remove_allocated(at(tree, "a"), amounts({now}), true);
      held.push_back(now);
      apply_usage(history, tree);
      const auto exact = by_definition(held, 8, half_life, 200);
      REQUIRE(queue(tree, "a").usage[0] == Approx(exact).margin(0.02));
    }
    CHECK(history.parts.size() <= 34);
  }
}

TEST_CASE("a long rest leaves nothing of a window, and one long step is cut exactly") {
  auto tree = tree_of({spec("a")});
  auto history = with_window(std::nullopt, 100s);
  advance(history, tree, amounts({8}), Time(0s));
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  advance(history, tree, amounts({8}), Time(1000s));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(800));
  tree.remove_allocated(at(tree, "a"), amounts({8}), true);
  advance(history, tree, amounts({8}), Time(1025s));
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage[0] == Approx(0.75));
  advance(history, tree, amounts({8}), Time(1100s));
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage[0] == Approx(0).margin(1e-9));
}

TEST_CASE("a clock that goes back and forth again counts no time twice") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_window(std::nullopt, 100h);
  for (const auto hour : {0h, 4h, 2h, 3h, 5h}) advance(history, tree, amounts({8}), Time(hour));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(8 * 5 * 3600));
}

TEST_CASE("time of which nothing is known is nobody's") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({4}), true);
  auto history = with_half_life(1h);
  advance(history, tree, amounts({8}), Time(0h));
  advance(history, tree, amounts({8}), Time(1h));
  const auto counted = history.sums.held.at(QueueName("a"))[0];
  pass_over(history, Time(2h));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(counted / 2));
  CHECK(history.at == Time(2h));
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage[0] == Approx(0.5));
  SECTION("what ends later, by a clock that was set since, ends now") {
    pass_over(history, Time(1h));
    CHECK(history.at == Time(1h));
    CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(counted / 2));
  }
}

TEST_CASE("a window moves over time of which nothing is known, and with a clock that was set") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_window(std::nullopt, 100s);
  advance(history, tree, amounts({8}), Time(1000s));
  advance(history, tree, amounts({8}), Time(1050s));
  pass_over(history, Time(500s));
  CHECK(history.parts.front().from == Time(450s));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(400));
  pass_over(history, Time(575s));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(200));
  pass_over(history, Time(700s));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(0).margin(1e-9));
}

TEST_CASE("what was counted beside a history comes on top") {
  auto tree = tree_of({spec("a"), spec("b")});
  tree.add_allocated(at(tree, "a"), amounts({2}), true);
  auto one = with_window(std::nullopt, 100s);
  auto other = one;
  advance(one, tree, amounts({8}), Time(0s));
  advance(one, tree, amounts({8}), Time(10s));
  pass_over(one, Time(20s));
  advance(other, tree, amounts({8}), Time(15s));
  advance(other, tree, amounts({8}), Time(20s));
  add(one, other);
  CHECK(one.sums.held.at(QueueName("a"))[0] == Approx(30));
  CHECK(one.sums.capacity[0] == Approx(120));
  CHECK(one.parts.size() == 2);
}

TEST_CASE("what was counted without a window leaves it evenly; without one nothing ends") {
  auto tree = tree_of({spec("a")});
  auto history = with_half_life(100s);
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  advance(history, tree, amounts({8}), Time(0s));
  advance(history, tree, amounts({8}), Time(100s));
  remember(history, {.half_life = std::nullopt, .window = 100s});
  tree.remove_allocated(at(tree, "a"), amounts({8}), true);
  advance(history, tree, amounts({8}), Time(150s));
  const auto half = history.sums.held.at(QueueName("a"))[0];
  CHECK(half == Approx(8 * 100 / std::numbers::ln2 * 0.5 / 2));
  advance(history, tree, amounts({8}), Time(200s));
  CHECK(history.sums.held.at(QueueName("a"))[0] == Approx(0).margin(1e-9));
  remember(history, {.half_life = 100s, .window = std::nullopt});
  CHECK(history.parts.empty());
}

}  // namespace dray::policy::usage_test
