#include "planner/state/leaf_sums.h"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::leaf_sums_test {

using namespace worlds;
namespace {

JobAmounts holds(double amount) {
  const policy::Amounts held(1, amount);
  return {held, policy::Amounts(1), held, policy::Amounts(1)};
}

TEST_CASE("jobs that come and go leave the sum of those that are there, to the last bit") {
  // Tenths round, each in its turn; what is large enough loses what is small.
  const auto amounts = GENERATE(std::vector{1.0, 8.0, 0.5, 0.0009765625},
                                std::vector{0.1, 0.3, 1.0}, std::vector{1e13, 1.0, 0.25});
  for (unsigned seed = 0; seed < 20; ++seed) {
    CAPTURE(seed, amounts);
    std::mt19937 random(seed);
    std::map<unsigned, JobAmounts> there;
    LeafSums sums(1);
    for (int step = 0; step < 200; ++step) {
      const auto uid = static_cast<unsigned>(random() % 30);
      if (const auto known = there.find(uid); known != there.end()) {
        sums.go(known->second);
        there.erase(known);
      } else {
        const auto job = holds(amounts[random() % amounts.size()]);
        sums.come(job);
        there.emplace(uid, job);
      }
      if (random() % 3 == 0) continue;
      if (sums.stale()) {
        sums.restart();
        for (const auto& [each, job] : there) sums.add(job);
      }
      double in_order = 0;
      for (const auto& [each, job] : there) in_order += job.held[0];
      REQUIRE(sums.get().held[0] == in_order);
      REQUIRE(sums.get().requested[0] == in_order);
    }
  }
}

TEST_CASE("amounts that add up exactly are never summed up again") {
  LeafSums sums(1);
  for (int i = 0; i < 100; ++i) sums.come(holds(i % 2 == 0 ? 8 : 0.5));
  sums.go(holds(8));
  CHECK_FALSE(sums.stale());
  CHECK(sums.get().held[0] == 417);
  sums.come(holds(0.1));
  CHECK(sums.stale());
}

TEST_CASE("a job beside many costs itself: none of the others is put in order or added up again") {
  World world;
  world.node("n0", 8);
  constexpr std::size_t jobs = 2'000;
  for (std::size_t i = 0; i < jobs; ++i) world.waiting(fmt::format("w{:04}", i), 1, "a");
  auto input = world.make_input();
  JobTable table;
  const auto requested = [&] {
    auto queues = input.policy->queues;
    table.count(queues);
    return queues[*queues.find("a")].requested.values().back();
  };
  table.update(input, *input.policy);
  CHECK(requested() == jobs);
  const auto before = table.jobs_counted();
  const auto last = *std::prev(table.all().end());
  for (int round = 0; round < 50; ++round) {
    auto other = *input.jobs.find(Uid("uid-w1000"));
    other.uid = Uid(fmt::format("uid-w1000-{}", round));
    input.jobs.put(std::make_shared<const Job>(other));
    table.update(input, *input.policy);
    CHECK(requested() == jobs + 1);
    CHECK(std::ranges::is_sorted(table.all(), {}, &PlanJob::order));
    CHECK(table.find(other.uid)->slot <= jobs);
    input.jobs.update({other.uid}, [](const Uid& /*uid*/) { return JobList::Item(); });
    table.update(input, *input.policy);
    CHECK(requested() == jobs);
  }
  CHECK(table.jobs_counted() - before <= 50 + jobs);
  CHECK(last == *std::prev(table.all().end()));
}

}  // namespace
}  // namespace dray::planner::leaf_sums_test
