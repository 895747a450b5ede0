#include "dray/policy/reclaim.h"

#include <catch2/catch.hpp>

#include "trees.h"

namespace dray::policy::reclaim_test {

namespace {

/// Two teams of two queues each; quota 4 a team and 2 a queue; the left team's may have 6 now.
QueueTree teams() {
  auto tree =
      tree_of({spec("left", "", 4), spec("left-1", "left", 2), spec("left-2", "left", 2),
               spec("right", "", 4), spec("right-1", "right", 2), spec("right-2", "right", 2)});
  for (const auto* name : {"left", "right"}) queue(tree, name).fair_share = amounts({4});
  for (const auto* name : {"left-1", "left-2", "right-1", "right-2"}) {
    queue(tree, name).fair_share = amounts({2});
  }
  return tree;
}

Reclaimer job(const QueueTree& tree, std::string_view name, double requested,
              bool preemptible = true) {
  return {at(tree, name), amounts({requested}), preemptible};
}

Taking taking(const QueueTree& tree, std::string_view name, std::initializer_list<double> chunks) {
  Taking taking{at(tree, name), {}};
  for (const auto chunk : chunks) taking.chunks.push_back(amounts({chunk}));
  return taking;
}

}  // namespace

TEST_CASE("queues compare where their paths part") {
  const auto tree = teams();
  CHECK(rivals(tree, at(tree, "left-1"), at(tree, "right-2")) ==
        std::pair(at(tree, "left"), at(tree, "right")));
  CHECK(rivals(tree, at(tree, "left-1"), at(tree, "left-2")) ==
        std::pair(at(tree, "left-1"), at(tree, "left-2")));
  CHECK(rivals(tree, at(tree, "left-1"), at(tree, "left")) ==
        std::pair(at(tree, "left"), at(tree, "left")));
}

TEST_CASE("queues of other depths, and ones that part far above, compare below what they share") {
  const auto tree = tree_of({spec("top"), spec("a", "top"), spec("a-1", "a"), spec("a-11", "a-1"),
                             spec("b", "top"), spec("b-1", "b"), spec("b-11", "b-1"), spec("c")});
  const auto compare = [&](std::string_view taker, std::string_view giver) {
    const auto [left, right] = rivals(tree, at(tree, taker), at(tree, giver));
    return std::pair(tree[left].name.get(), tree[right].name.get());
  };
  using Names = std::pair<std::string, std::string>;
  CHECK(compare("a-11", "b-11") == Names("a", "b"));
  CHECK(compare("a-11", "b") == Names("a", "b"));
  CHECK(compare("b", "a-11") == Names("b", "a"));
  CHECK(compare("c", "a-11") == Names("c", "top"));
  CHECK(compare("a-11", "a-1") == Names("a-1", "a-1"));
}

TEST_CASE("a job may reclaim while its queue stays within its fair share") {
  auto tree = teams();
  CHECK(may_reclaim(tree, job(tree, "left-1", 2)));
  CHECK_FALSE(may_reclaim(tree, job(tree, "left-1", 2.5)));
  queue(tree, "left-1").quota = amounts({1});
  CHECK(may_reclaim(tree, job(tree, "left-1", 2)));
  CHECK_FALSE(may_reclaim(tree, job(tree, "left-1", 2, false)));
  CHECK(may_reclaim(tree, job(tree, "left-1", 1, false)));
}

TEST_CASE("a queue may give what is over its share, or over its quota to who is within the own") {
  auto tree = teams();
  tree.add_allocated(at(tree, "right-1"), amounts({5}), true);
  CHECK(may_give(tree, job(tree, "left-1", 1), at(tree, "right-1")));
  queue(tree, "right").fair_share = amounts({6});
  // The left team stays within its quota, the right is over its own.
  CHECK(may_give(tree, job(tree, "left-1", 4), at(tree, "right-1")));
  CHECK_FALSE(may_give(tree, job(tree, "left-1", 5), at(tree, "right-1")));
  queue(tree, "right").quota = amounts({6});
  CHECK_FALSE(may_give(tree, job(tree, "left-1", 4), at(tree, "right-1")));
  queue(tree, "right").quota = amounts({unlimited});
  CHECK(may_give(tree, job(tree, "left-1", 4), at(tree, "right-1")));
}

TEST_CASE("what chunks can give at most: all before the last one leave a surplus") {
  auto tree = teams();
  tree.add_allocated(at(tree, "right-1"), amounts({6}), true);
  const auto most = [&](double requested, std::vector<double> sizes) {
    std::vector<Amounts> chunks;
    for (const auto size : sizes) chunks.push_back(amounts({size}));
    return most_given(tree, job(tree, "left-1", requested), at(tree, "right-1"), chunks)[0];
  };
  CHECK(most(2, {1}) == 1);
  CHECK(most(2, {1, 1, 1}) == Approx(3));
  CHECK(most(2, {1, 1, 1}) < 3);
  CHECK(most(2, {1, 1, 4}) == Approx(6));
  CHECK(most(2, {1, 5}) == 6);
  // Over its quota, but not over what it may hold: it gives to who stays within the own alone.
  queue(tree, "right").fair_share = amounts({6});
  CHECK(most(4, {1, 1}) == 2);
  CHECK(most(5, {1, 1}) == 0);
}

TEST_CASE("each chunk that is taken needs its own reason") {
  auto tree = teams();
  tree.add_allocated(at(tree, "right-1"), amounts({6}), true);
  const auto taker = job(tree, "left-1", 2);
  CHECK(reclaim_holds(tree, taker, std::vector{taking(tree, "right-1", {1, 1})}, 1));
  // After two, the right team is at its quota of 4: the third has no reason.
  CHECK_FALSE(reclaim_holds(tree, taker, std::vector{taking(tree, "right-1", {1, 1, 1})}, 1));
  // The last one may reach below it.
  CHECK(reclaim_holds(tree, taker, std::vector{taking(tree, "right-1", {1, 5})}, 1));
  CHECK(reclaim_holds(tree, taker, {}, 1));
}

TEST_CASE("takings from two queues of one team count together") {
  auto tree = teams();
  tree.add_allocated(at(tree, "right-1"), amounts({3}), true);
  tree.add_allocated(at(tree, "right-2"), amounts({2}), true);
  const auto taker = job(tree, "left-1", 1);
  CHECK(reclaim_holds(tree, taker, std::vector{taking(tree, "right-1", {1})}, 1));
  CHECK_FALSE(reclaim_holds(
      tree, taker, std::vector{taking(tree, "right-1", {1}), taking(tree, "right-2", {1})}, 1));
}

TEST_CASE("the taker stays less saturated than who gave, times the multiplier") {
  auto tree = teams();
  tree.add_allocated(at(tree, "left-2"), amounts({4}), true);
  tree.add_allocated(at(tree, "right-1"), amounts({8}), true);
  // The left team would hold 5 of 4, the right 7 of 4.
  const auto taker = job(tree, "left-1", 1);
  const std::vector takings{taking(tree, "right-1", {1})};
  CHECK(reclaim_holds(tree, taker, takings, 1));
  CHECK(reclaim_holds(tree, taker, takings, 1.39));
  CHECK_FALSE(reclaim_holds(tree, taker, takings, 1.4));
  queue(tree, "right").fair_share = amounts({0});
  CHECK(reclaim_holds(tree, taker, takings, 1.4));
}

TEST_CASE("a job that is not preemptible reclaims within the quotas above it") {
  auto tree = teams();
  tree.add_allocated(at(tree, "right-1"), amounts({8}), true);
  const std::vector takings{taking(tree, "right-1", {2})};
  CHECK(reclaim_holds(tree, job(tree, "left-1", 2, false), takings, 1));
  tree.add_allocated(at(tree, "left-2"), amounts({3}), false);
  CHECK_FALSE(reclaim_holds(tree, job(tree, "left-1", 2, false), takings, 1));
}

}  // namespace dray::policy::reclaim_test
