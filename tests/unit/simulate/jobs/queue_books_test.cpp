#include "simulate/jobs/queue_books.h"

#include <catch2/catch.hpp>

#include "dray/simulate/jobs_run.h"

namespace dray::simulate::queue_books_test {
namespace {

Workload two_queues() {
  Workload workload;
  for (const auto* queue : {"a", "b"}) workload.jobs.emplace_back().queue = queue;
  return workload;
}

policy::Amounts gpus(double count) {
  return policy::Amounts(1, count);
}

}  // namespace

TEST_CASE("more of what a queue gets no more of moves no share") {
  const auto fair = policy_of(two_queues(), true).value();
  QueueBooks books(*fair);
  planner::Plan plan;
  plan.total = gpus(8);
  books.read(plan);
  const policy::QueueName a("a");
  const policy::QueueName b("b");
  books.count(a, gpus(6));
  CHECK(books.shares_moved(Time()));
  books.count(b, gpus(6));
  CHECK(books.shares_moved(Time()));
  books.count(b, gpus(1));
  CHECK_FALSE(books.shares_moved(Time()));
  books.count(a, gpus(3), true);
  CHECK(books.shares_moved(Time()));
}

TEST_CASE("what a plan saw is what shares are compared with") {
  const auto fair = policy_of(two_queues(), true).value();
  QueueBooks books(*fair);
  planner::Plan plan;
  plan.total = gpus(8);
  plan.queues = {{policy::QueueName("a"), gpus(3), gpus(0), gpus(3)},
                 {policy::QueueName("b"), gpus(0), gpus(0), gpus(0)}};
  books.read(plan);
  books.count(policy::QueueName("a"), gpus(3));
  CHECK_FALSE(books.shares_moved(Time()));
}

TEST_CASE("where nothing is taken back shares do not matter") {
  const auto fcfs = policy_of(two_queues(), false).value();
  QueueBooks books(*fcfs);
  books.count(policy::QueueName(std::string(policy::default_queue)), gpus(6));
  CHECK_FALSE(books.shares_moved(Time()));
}

TEST_CASE("what a queue had moves the shares as time goes by, and they come to rest") {
  auto config = policy_of(two_queues(), true).value()->config;
  config.fairness.half_life = std::chrono::seconds(100);
  const auto policy = policy::compile(config).value();
  QueueBooks books(policy);
  const auto at = [](int second) { return Time(std::chrono::seconds(second)); };
  planner::Plan plan;
  plan.total = gpus(16);
  books.read(plan);
  const policy::QueueName a("a");
  books.count(a, gpus(16));
  books.count(policy::QueueName("b"), gpus(16));
  CHECK(books.shares_moved(at(0)));
  CHECK_FALSE(books.shares_moved(at(0)));
  books.hold(a, gpus(16), at(0), false);
  CHECK(books.shares_moved(at(60)));
  const auto all = books.usage_until(at(60));
  CHECK(all->sums.held.at(a)[0] == all->sums.capacity[0]);
  // What it has no more counts less and less.
  books.hold(a, gpus(16), at(60), true);
  const auto half = books.usage_until(at(120));
  CHECK(half->sums.held.at(a)[0] < 0.6 * half->sums.capacity[0]);
}

}  // namespace dray::simulate::queue_books_test
