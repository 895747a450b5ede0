#include "planner/other_jobs.h"

#include <catch2/catch.hpp>

#include "tests/objects/gpus.h"

namespace dray::planner::other_jobs_test {
namespace {

Job job(const std::string& name_space, const std::string& name, const std::string& queue,
        std::int32_t priority = 0) {
  auto pod = testing::make_pod(name, "");
  pod.meta.namespace_name = name_space;
  auto made = single_pod_job(std::make_shared<const Pod>(std::move(pod)), policy::QueueName(queue),
                             testing::start);
  made.priority = priority;
  return made;
}

TEST_CASE("another job is named within its namespace alone") {
  const auto reader = job("a", "x", "red");
  CHECK(job_for(reader, job("a", "y", "blue")) == "a/y");
  CHECK(job_for(reader, job("b", "y", "red")) == "a job of 1 pod of the same queue");
  auto gang = job("b", "y", "blue");
  gang.members.push_back(gang.members.front());
  CHECK(job_for(reader, gang) == "a job of 2 pods of another queue");
}

TEST_CASE("the text of an eviction says what decided, and names no other tenant") {
  const auto victim = job("a", "x", "red", -5);
  CHECK(eviction_text(victim, job("a", "y", "blue")) ==
        "a/x of queue red makes room for a/y of queue blue");
  CHECK(eviction_text(victim, job("b", "y", "red", 7)) ==
        "a/x of queue red makes room for a job of 1 pod of the same queue with priority 7; its own "
        "priority is -5");
  CHECK(eviction_text(victim, job("b", "y", "blue")) ==
        "a/x of queue red makes room for a job of 1 pod of another queue");
}

}  // namespace
}  // namespace dray::planner::other_jobs_test
