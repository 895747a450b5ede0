#include "dray/policy/fair_share.h"

#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "dray/policy/capacity.h"
#include "dray/policy/queue_order.h"

namespace dray::policy::fair_share_test {

namespace {

/// Whole devices and fractions; tenths, so that sums in another order round otherwise.
rc::Gen<double> amount(int most) {
  return rc::gen::map(rc::gen::inRange(0, 20 * most + 1), [](int n) { return n / 20.0; });
}

rc::Gen<double> or_unlimited(rc::Gen<double> bounded) {
  return rc::gen::oneOf(rc::gen::just(unlimited), std::move(bounded));
}

rc::Gen<Claimant> any_claimant() {
  return rc::gen::build<Claimant>(
      rc::gen::set(&Claimant::quota, amount(8)),
      rc::gen::set(&Claimant::limit, or_unlimited(amount(24))),
      rc::gen::set(&Claimant::weight,
                   rc::gen::map(rc::gen::inRange(0, 6), [](int w) { return double(w); })),
      rc::gen::set(&Claimant::requested, amount(30)),
      rc::gen::set(&Claimant::usage,
                   rc::gen::map(rc::gen::inRange(0, 65), [](int n) { return n / 64.0; })),
      rc::gen::set(&Claimant::priority, rc::gen::inRange(0, 3)),
      rc::gen::set(&Claimant::created, rc::gen::map(rc::gen::inRange(0, 3), [](int n) {
        return Time(std::chrono::seconds(n));
      })));
}

struct Division {
  double total = 0;
  double k = 0;
  std::vector<Claimant> claimants;
};

Division any_division() {
  Division division;
  division.total = *amount(60).as("total");
  division.k = *rc::gen::element(0.0, 0.5, 1.0, 3.0).as("k");
  const auto count = *rc::gen::inRange<std::size_t>(0, 9).as("claimants");
  division.claimants = *rc::gen::container<std::vector<Claimant>>(count, any_claimant());
  for (std::size_t i = 0; i < division.claimants.size(); ++i) {
    division.claimants[i].rank = static_cast<std::uint32_t>(i);
  }
  return division;
}

void show(const Division& division) {
  std::ostream& log = RC_LOG();
  log << "total " << division.total << " k " << division.k << "\n";
  for (const auto& c : division.claimants) {
    log << "quota " << c.quota << " limit " << c.limit << " weight " << c.weight << " requested "
        << c.requested << " usage " << c.usage << " priority " << c.priority << " created "
        << c.created.time_since_epoch().count() << " -> " << c.share << "\n";
  }
}

std::vector<double> shares(const Division& division) {
  auto claimants = division.claimants;
  divide(division.total, division.k, claimants);
  std::vector<double> shares;
  for (const auto& claimant : claimants) shares.push_back(claimant.share);
  return shares;
}

double owed(const Claimant& c, double total) {
  return std::min({c.quota == unlimited ? total : c.quota, c.limit, c.requested});
}

/// What quotas alone come to.
double owed(const Division& division) {
  double sum = 0;
  for (const auto& c : division.claimants) sum += owed(c, division.total);
  return sum;
}

/// Whether two claimants differ in their names only.
bool alike(const Claimant& a, const Claimant& b) {
  return a.quota == b.quota && a.limit == b.limit && a.weight == b.weight &&
         a.requested == b.requested && a.usage == b.usage && a.priority == b.priority &&
         a.created == b.created;
}

void check(const char* name, void (*property)()) {
  INFO(name);
  CHECK(rc::check(name, property));
}

}  // namespace

TEST_CASE("fair share: no more than there is is given, and nothing is lost") {
  check("sum and rest are the total, or the quotas where they exceed it", [] {
    auto division = any_division();
    const auto left = divide(division.total, division.k, division.claimants);
    show(division);
    double sum = 0;
    for (const auto& c : division.claimants) sum += c.share;
    RC_ASSERT(left > -1e-9);
    RC_ASSERT(std::abs(sum + left - std::max(division.total, owed(division))) < 1e-9);
  });
}

TEST_CASE("fair share: each gets its quota as far as it asks for it") {
  check("share is at least what is owed", [] {
    auto division = any_division();
    divide(division.total, division.k, division.claimants);
    show(division);
    for (const auto& c : division.claimants) RC_ASSERT(c.share >= owed(c, division.total));
  });
}

TEST_CASE("fair share: nobody gets over a unit more than it asks for and may have") {
  check("share exceeds request and limit by less than the rounding's unit", [] {
    auto division = any_division();
    divide(division.total, division.k, division.claimants);
    show(division);
    for (const auto& c : division.claimants) {
      RC_ASSERT(c.share < std::min(c.limit, c.requested) + 1 || c.share == owed(c, division.total));
    }
  });
}

TEST_CASE("fair share: scaling all weights changes nothing") {
  check("weights times a whole number", [] {
    const auto division = any_division();
    auto scaled = division;
    const auto factor = *rc::gen::inRange(2, 1000).as("factor");
    for (auto& c : scaled.claimants) c.weight *= factor;
    show(division);
    RC_ASSERT(shares(division) == shares(scaled));
  });
}

TEST_CASE("fair share: the order of the queues changes nothing") {
  check("shuffled claimants get the same", [] {
    const auto division = any_division();
    std::vector<std::size_t> order(division.claimants.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto keys = *rc::gen::container<std::vector<int>>(order.size(), rc::gen::inRange(0, 99));
    std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(keys[i], i); });
    auto shuffled = division;
    for (std::size_t i = 0; i < order.size(); ++i) {
      shuffled.claimants[i] = division.claimants[order[i]];
    }
    show(division);
    const auto want = shares(division);
    const auto got = shares(shuffled);
    for (std::size_t i = 0; i < order.size(); ++i) RC_ASSERT(got[i] == want[order[i]]);
  });
}

TEST_CASE("fair share: renaming queues changes nothing, but among queues alike in all else") {
  check("other ranks, same shares", [] {
    auto division = any_division();
    // Ties of age are left to the name by definition: give each its own.
    for (std::size_t i = 0; i < division.claimants.size(); ++i) {
      division.claimants[i].created = Time(std::chrono::seconds(i));
    }
    auto renamed = division;
    for (auto& c : renamed.claimants) {
      c.rank = static_cast<std::uint32_t>(renamed.claimants.size()) - c.rank;
    }
    show(division);
    RC_ASSERT(shares(division) == shares(renamed));
  });
  check("alike in all but the name: a unit apart at most", [] {
    auto division = any_division();
    RC_PRE(!division.claimants.empty());
    auto twin = division.claimants.front();
    twin.rank = static_cast<std::uint32_t>(division.claimants.size());
    division.claimants.push_back(twin);
    divide(division.total, division.k, division.claimants);
    show(division);
    const auto& first = division.claimants.front();
    for (const auto& c : division.claimants) {
      if (alike(first, c)) RC_ASSERT(std::abs(first.share - c.share) <= 1 + 1e-9);
    }
  });
}

TEST_CASE("fair share: a lower priority gets surplus only when the higher ones have theirs") {
  check("but for what rounding leaves, less than a unit for each of the higher ones", [] {
    auto division = any_division();
    for (auto& c : division.claimants) c.weight += 1;
    division.k = 0;
    divide(division.total, division.k, division.claimants);
    show(division);
    for (const auto& high : division.claimants) {
      if (high.share >= std::min(high.limit, high.requested)) continue;
      double surplus = 0;
      int higher = 0;
      for (const auto& c : division.claimants) {
        higher += c.priority >= high.priority ? 1 : 0;
        if (c.priority < high.priority) surplus += c.share - owed(c, division.total);
      }
      RC_ASSERT(surplus < higher);
    }
  });
}

namespace {

/// A random tree of up to three levels over one resource.
QueueTree any_tree() {
  const auto count = *rc::gen::inRange(1, 10).as("queues");
  std::vector<QueueSpec> specs;
  for (int i = 0; i < count; ++i) {
    QueueSpec spec;
    spec.name = QueueName("q" + std::to_string(i));
    const auto parent = *rc::gen::inRange(-1, i);
    if (parent >= 0) spec.parent = specs[static_cast<std::size_t>(parent)].name;
    spec.priority = *rc::gen::inRange(0, 2);
    spec.quota = Amounts(1, *amount(8));
    spec.limit = Amounts(1, *or_unlimited(amount(24)));
    spec.over_quota_weight = Amounts(1, *rc::gen::inRange(0, 4));
    specs.push_back(spec);
  }
  return QueueTree::make(specs, 1).value();
}

std::vector<QueueIndex> leaves(const QueueTree& tree) {
  std::vector<QueueIndex> leaves;
  for (std::uint32_t i = 0; i < tree.queues().size(); ++i) {
    if (tree.queues()[i].children.empty()) leaves.push_back(QueueIndex(i));
  }
  return leaves;
}

}  // namespace

TEST_CASE("trees: children's shares and their rest are their parent's, or their quotas") {
  check("no level gives more than it got, quotas aside", [] {
    auto tree = any_tree();
    for (const auto leaf : leaves(tree)) tree.add_requested(leaf, Amounts(1, *amount(30)));
    divide(tree, Amounts(1, *amount(60)), 0);
    for (const auto& queue : tree.queues()) {
      if (queue.children.empty()) continue;
      double sum = 0;
      double owed_sum = 0;
      for (const auto child : queue.children) {
        const auto& c = tree[child];
        sum += c.fair_share[0];
        owed_sum += std::min({c.quota[0], c.limit[0], c.requested[0]});
      }
      RC_ASSERT(sum <= std::max(queue.fair_share[0], owed_sum) + 1e-9);
    }
  });
}

TEST_CASE("capacity: jobs that are admitted never exceed a limit or, fixed, a quota anywhere") {
  check("no over-commit at any level", [] {
    auto tree = any_tree();
    const auto all = leaves(tree);
    const auto jobs = *rc::gen::inRange(0, 60).as("jobs");
    for (int i = 0; i < jobs; ++i) {
      const auto leaf =
          all[static_cast<std::size_t>(*rc::gen::inRange(0, static_cast<int>(all.size())))];
      const Amounts requested(1, *amount(6));
      const bool preemptible = *rc::gen::arbitrary<bool>();
      if (!check_capacity(tree, leaf, requested, preemptible)) {
        tree.add_allocated(leaf, requested, preemptible);
      }
      for (const auto& queue : tree.queues()) {
        RC_ASSERT(queue.allocated.within(queue.limit));
        RC_ASSERT(queue.allocated_nonpreemptible.within(queue.quota));
      }
    }
  });
}

TEST_CASE("queue order: whoever goes first, the other goes second") {
  check("compare_turns is antisymmetric", [] {
    const auto any_queue = [] {
      Queue queue;
      queue.priority = *rc::gen::inRange(0, 2);
      queue.created = Time(std::chrono::seconds(*rc::gen::inRange(0, 2)));
      queue.quota = Amounts(2);
      queue.limit = queue.fair_share = queue.allocated = queue.quota;
      for (std::size_t r = 0; r < 2; ++r) {
        queue.quota[r] = *or_unlimited(amount(2));
        queue.limit[r] = *or_unlimited(amount(4));
        queue.fair_share[r] = *amount(3);
        queue.allocated[r] = *amount(4);
      }
      return queue;
    };
    const auto left = any_queue();
    const auto right = any_queue();
    const Amounts next(2, *amount(2));
    const Amounts total(2, 8);
    const auto there = compare_turns({left, &next, {}}, {right, &next, {}}, total);
    const auto back = compare_turns({right, &next, {}}, {left, &next, {}}, total);
    RC_ASSERT((there < 0) == (back > 0));
    RC_ASSERT((there == 0) == (back == 0));
  });
}

}  // namespace dray::policy::fair_share_test
