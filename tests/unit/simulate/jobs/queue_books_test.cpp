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
  CHECK(books.shares_moved());
  books.count(b, gpus(6));
  CHECK(books.shares_moved());
  books.count(b, gpus(1));
  CHECK_FALSE(books.shares_moved());
  books.count(a, gpus(3), true);
  CHECK(books.shares_moved());
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
  CHECK_FALSE(books.shares_moved());
}

TEST_CASE("where nothing is taken back shares do not matter") {
  const auto fcfs = policy_of(two_queues(), false).value();
  QueueBooks books(*fcfs);
  books.count(policy::QueueName(std::string(policy::default_queue)), gpus(6));
  CHECK_FALSE(books.shares_moved());
}

}  // namespace dray::simulate::queue_books_test
