#include "dray/policy/usage.h"

#include <catch2/catch.hpp>

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
  CHECK(many.capacity[0] == Approx(one.capacity[0]).epsilon(1e-9));
  CHECK(many.held.at(QueueName("a"))[0] == Approx(one.held.at(QueueName("a"))[0]).epsilon(1e-9));
}

TEST_CASE("a queue that is gone fades out") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_half_life(1h);
  advance(history, tree, amounts({8}), Time(0h));
  advance(history, tree, amounts({8}), Time(1h));
  const auto without = tree_of({});
  advance(history, without, amounts({8}), Time(2h));
  CHECK(history.held.size() == 1);
  advance(history, without, amounts({8}), Time(30h));
  CHECK(history.held.empty());
}

TEST_CASE("time that stands still or goes back counts nothing") {
  auto tree = tree_of({spec("a")});
  tree.add_allocated(at(tree, "a"), amounts({8}), true);
  auto history = with_half_life(1h);
  advance(history, tree, amounts({8}), Time(5h));
  advance(history, tree, amounts({8}), Time(5h));
  advance(history, tree, amounts({8}), Time(4h));
  CHECK(history.held.empty());
  CHECK(history.at == Time(4h));
}

TEST_CASE("a history of other resources starts anew, and one without half-life counts nothing") {
  auto tree = tree_of({spec("a")});
  auto history = with_half_life(1h);
  history.capacity = amounts({1, 2});
  history.held[QueueName("a")] = amounts({1, 2});
  auto off = with_half_life(0s);
  apply_usage(history, tree);
  CHECK(queue(tree, "a").usage == amounts({0}));
  advance(history, tree, amounts({8}), Time(1h));
  CHECK(history.held.empty());
  CHECK(history.capacity == amounts({0}));
  advance(off, tree, amounts({8}), Time(1h));
  advance(off, tree, amounts({8}), Time(2h));
  CHECK(off.held.empty());
}

}  // namespace dray::policy::usage_test
