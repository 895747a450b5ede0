#include "dray/policy/fair_share.h"

#include <catch2/catch.hpp>
#include <vector>

#include "trees.h"

namespace dray::policy::fair_share_test {

namespace {

Claimant claim(double quota, double requested, double weight = 1) {
  Claimant claimant;
  claimant.quota = quota;
  claimant.requested = requested;
  claimant.weight = weight;
  return claimant;
}

Claimant with_priority(Claimant claimant, std::int32_t priority) {
  claimant.priority = priority;
  return claimant;
}

Claimant with_limit(Claimant claimant, double limit) {
  claimant.limit = limit;
  return claimant;
}

Claimant with_usage(Claimant claimant, double usage) {
  claimant.usage = usage;
  return claimant;
}

Claimant with_rank(Claimant claimant, std::uint32_t rank) {
  claimant.rank = rank;
  return claimant;
}

Claimant created(Claimant claimant, int second) {
  claimant.created = Time(std::chrono::seconds(second));
  return claimant;
}

struct Row {
  std::string name;
  double total, k;
  std::vector<Claimant> claimants;
  std::vector<double> want;
  double left;
};

std::vector<Row> surpluses() {
  return {
      {"by weight", 8, 0, {claim(2, 6, 1), claim(2, 6, 3)}, {3, 5}, 0},
      {"the larger fraction gets the odd unit",
       11,
       0,
       {claim(2, 10, 1), claim(2, 10, 4)},
       {3, 8},
       0},
      {"the older queue gets it where fractions are equal",
       11,
       0,
       {created(claim(2, 6, 2), 2), created(claim(2, 6, 2), 1)},
       {5, 6},
       0},
      {"a higher priority before any weight",
       6,
       0,
       {with_priority(claim(2, 6, 100), 1), with_priority(claim(2, 6, 1), 2)},
       {2, 4},
       0},
      {"what one does not want goes round again",
       45,
       0,
       {claim(12, 32.55, 12), claim(7, 9.5, 7), with_limit(claim(2, 1.65, 2), 2)},
       {32.55, 9.5, 1.65},
       1.3},
      {"past usage pulls down", 16, 1, {with_usage(claim(0, 16), 0.24), claim(0, 16)}, {7, 9}, 0},
      {"the rank decides between equal ones",
       1,
       0,
       {with_rank(claim(0, 5), 1), with_rank(claim(0, 5), 0)},
       {0, 1},
       0},
      {"what two cannot halve goes to the next priority",
       1,
       0,
       {with_priority(claim(0, 5), 2), with_priority(claim(0, 5), 2),
        with_priority(claim(0, 5), 1)},
       {0, 0, 1},
       0},
      {"a queue without weight gets no odd unit",
       3,
       0,
       {claim(0, 9, 0), claim(0, 9, 1)},
       {0, 3},
       0},
      {"without usage k changes nothing", 8, 5, {claim(2, 6, 1), claim(2, 6, 3)}, {3, 5}, 0},
  };
}

std::vector<Row> ends() {
  return {
      {"all used too much: the rest stays",
       10,
       10,
       {with_usage(claim(1, 10), 1), with_usage(claim(2, 10), 1)},
       {1, 2},
       7},
      {"no weight, no surplus", 10, 0, {claim(3, 10, 0)}, {3}, 7},
      {"a limit below the quota holds", 9, 0, {with_limit(claim(9, 9), 5)}, {5}, 4},
      {"what is asked for up to the limit is enough",
       9,
       0,
       {with_limit(claim(0, 9), 4), claim(0, 3)},
       {4, 3},
       2},
      {"quotas are not scaled down", 4, 0, {claim(4, 4), claim(3, 3)}, {4, 3}, 0},
      {"an unlimited quota is the total", 4, 0, {claim(unlimited, 9), claim(0, 1)}, {4, 0}, 0},
      {"nobody gets more than asked or allowed",
       100,
       0,
       {claim(50, 3), with_limit(claim(9, 90), 5)},
       {3, 5},
       92},
      {"a fraction that is left goes to who waits", 0.5, 0, {claim(0, 1)}, {0.5}, 0},
      {"nobody at all", 5, 0, {}, {}, 5},
  };
}

void check_division(const Row& row) {
  auto claimants = row.claimants;
  CHECK(divide(row.total, row.k, claimants) == Approx(row.left));
  REQUIRE(claimants.size() == row.want.size());
  for (std::size_t i = 0; i < claimants.size(); ++i) {
    CHECK(claimants[i].share == Approx(row.want[i]));
  }
}

}  // namespace

TEST_CASE("what is left over quotas goes by priority and weight, in whole units") {
  const auto row = GENERATE(from_range(surpluses()));
  DYNAMIC_SECTION(row.name) {
    check_division(row);
  }
}

TEST_CASE("nobody gets more than asked or allowed, and what nobody may have stays") {
  const auto row = GENERATE(from_range(ends()));
  DYNAMIC_SECTION(row.name) {
    check_division(row);
  }
}

TEST_CASE("children divide what their parent got") {
  auto tree = tree_of({spec("a", "", 4), spec("b", "", 4), spec("a1", "a", 1), spec("a2", "a", 1),
                       spec("lost", "gone", 9)});
  tree.add_requested(at(tree, "a1"), amounts({10}));
  tree.add_requested(at(tree, "a2"), amounts({2}));
  tree.add_requested(at(tree, "b"), amounts({4}));
  tree.add_requested(at(tree, "lost"), amounts({4}));
  divide(tree, amounts({10}), 0);
  CHECK(queue(tree, "a").fair_share == amounts({6}));
  CHECK(queue(tree, "b").fair_share == amounts({4}));
  CHECK(queue(tree, "a1").fair_share == amounts({4}));
  CHECK(queue(tree, "a2").fair_share == amounts({2}));
  CHECK(queue(tree, "lost").fair_share == amounts({0}));
  // Again, from the shares of before.
  const auto once = tree;
  divide(tree, amounts({10}), 0);
  CHECK(tree == once);
}

}  // namespace dray::policy::fair_share_test
