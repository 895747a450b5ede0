#include <catch2/catch.hpp>
#include <string>

#include "tests/unit/engine/gangs_on_shelf.h"

// Which queue a job is in, where what owns its pods says it.

namespace dray::engine::job_queues_test {
namespace {

void set_queues(Shelf& shelf) {
  policy::PolicyConfig config;
  for (const auto* name : {"research", "vision", "rest"}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    if (queue.name == policy::QueueName("vision")) queue.namespaces = {"vision"};
    config.queues.push_back(queue);
  }
  config.pod_queues.otherwise = policy::QueueName("rest");
  auto made = policy::compile(config);
  REQUIRE(made);
  shelf.book.set_policy(std::make_shared<const policy::Policy>(*std::move(made)), false);
}

std::string queue_in(Shelf& shelf) {
  const auto& jobs = shelf.book.jobs(start);
  return jobs.empty() ? "" : jobs[0]->queue.get();
}

BatchJob job_in(const std::string& queue) {
  BatchJob job;
  job.meta = testing::default_meta("tune-w-0");
  if (!queue.empty()) job.meta.labels = {{"kai.scheduler/queue", queue}};
  return job;
}

TEST_CASE("the queue label of a Job or JobSet holds for its pods") {
  Shelf shelf;
  set_queues(shelf);
  auto pod = job_set_pod("tune", "w", 0, 0);
  put_all(shelf, {pod});
  shelf.observe(job_in(""));
  JobSet set;
  set.meta = testing::default_meta("tune");
  set.jobs.push_back({.name = "w", .replicas = 1, .parallelism = {}, .completions = {}});
  shelf.observe(set);
  CHECK(queue_in(shelf) == "rest");
  shelf.observe(job_in("research"));
  CHECK(queue_in(shelf) == "research");
  // As KAI has it: the topmost owner's counts first, the pod's last.
  set.meta.labels = {{"kai.scheduler/queue", "rest"}};
  shelf.observe(set);
  CHECK(queue_in(shelf) == "rest");
  pod.meta.labels["kai.scheduler/queue"] = "research";
  put_all(shelf, {pod});
  CHECK(queue_in(shelf) == "rest");
}

TEST_CASE("an owner's label chooses only among queues that its pods may be in") {
  Shelf shelf;
  set_queues(shelf);
  put_all(shelf, {job_set_pod("tune", "w", 0, 0)});
  JobSet set;
  set.meta = testing::default_meta("tune");
  set.meta.labels = {{"kai.scheduler/queue", "vision"}};
  set.jobs.push_back({.name = "w", .replicas = 1, .parallelism = {}, .completions = {}});
  shelf.observe(set);
  CHECK(queue_in(shelf).empty());
  CHECK(unformed_in(shelf).starts_with("queue vision is not for namespace default"));
}

TEST_CASE("preemptibility comes from the owner, too") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.owners = {{"batch/v1", "Job", "tune-w-0", Uid("uid-tune-w-0"), true}};
  put_all(shelf, {pod});
  CHECK(shelf.book.jobs(start)[0]->preemptible);
  auto job = job_in("");
  job.meta.labels = {{"kai.scheduler/preemptibility", "non-preemptible"}};
  shelf.observe(job);
  CHECK_FALSE(shelf.book.jobs(start)[0]->preemptible);
}

}  // namespace
}  // namespace dray::engine::job_queues_test
