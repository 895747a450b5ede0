#include "dray/planner/job.h"

#include <catch2/catch.hpp>
#include <chrono>

#include "tests/objects/gpus.h"

namespace dray::planner::job_test {

using namespace std::chrono_literals;
using namespace dray::testing;

TEST_CASE("a pod alone is a gang of one") {
  auto pod = make_pod("p", "c");
  pod.priority = 7;
  const auto job =
      single_pod_job(std::make_shared<const Pod>(pod), policy::QueueName("q"), start + 5min);
  CHECK(job.uid == Uid("uid-p"));
  CHECK(job.name == "default/p");
  CHECK(job.lineage == job.name);
  CHECK(job.priority == 7);
  CHECK(job.created == start);
  CHECK(job.queued == start + 5min);
  CHECK(job.may_evict);
  CHECK(job.gang == plain_gang(1, 1));
  REQUIRE(job.members.size() == 1);
  CHECK(job.members[0].state == MemberState::waiting);
  CHECK_FALSE(job.members[0].node);
  CHECK(job.first() == pod);
}

TEST_CASE("with a node it is placed there") {
  auto pod = make_pod("p", "c");
  pod.meta.created.reset();
  pod.preemption_policy = "Never";
  const auto job = single_pod_job(std::make_shared<const Pod>(pod), policy::QueueName("q"), start,
                                  NodeName("n0"));
  CHECK(job.members[0].state == MemberState::placed);
  CHECK(job.members[0].node == NodeName("n0"));
  CHECK(job.created == start);
  CHECK_FALSE(job.may_evict);
}

TEST_CASE("a plain gang has one set of so many pods and their minimum") {
  const auto gang = plain_gang(3, 2);
  REQUIRE(gang.pod_sets.size() == 1);
  CHECK(gang.pod_sets[0].min_member == 2);
  CHECK(gang.pod_sets[0].tasks.size() == 3);
  CHECK(gang.pod_sets[0].tasks[2].id == 2);
  CHECK(gang.sub_groups.empty());
}

}  // namespace dray::planner::job_test
