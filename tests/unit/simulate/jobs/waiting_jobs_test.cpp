#include "simulate/jobs/waiting_jobs.h"

#include <catch2/catch.hpp>

#include "dray/simulate/trace.h"
#include "simulate/jobs/cluster_objects.h"

namespace dray::simulate::waiting_jobs_test {
namespace {

using Changes = std::vector<std::pair<std::size_t, bool>>;

Setting setting_of(const std::string& rows) {
  auto jobs = read_jobs_csv("name,submit,run_time,gpus,queue\n" + rows).value().value;
  return Setting::make({{"a", 64'000, 64'000, 8, "m"}}, std::move(jobs)).value();
}

planner::Plan plan_that_starts(std::initializer_list<std::size_t> jobs) {
  planner::Plan plan;
  for (const auto job : jobs) {
    auto& outcome = plan.jobs.emplace_back();
    outcome.job = job_uid(job);
    outcome.placements.emplace_back();
  }
  return plan;
}

struct Fixture {
  Setting setting = setting_of("0,0,9,1,q\n1,1,9,1,q\n2,2,9,1,q\n3,3,9,8,q\n4,4,9,1,p\n");
  std::shared_ptr<const policy::Policy> fair = policy_of(setting.workload(), true).value();
  WaitingJobs waiting{setting, *fair, {}};

  void add(std::initializer_list<std::size_t> jobs) {
    for (const auto job : jobs) waiting.add(job, false);
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "of those alike the first is shown, and as many as there is room for") {
  add({0, 1, 2, 3, 4});
  CHECK(waiting.size() == 5);
  CHECK(waiting.has_like(0));
  CHECK_FALSE(waiting.has_like(3));
  CHECK_FALSE(waiting.has_like(4));  // of another queue
  CHECK(waiting.take_changes() == Changes{{0, true}, {1, false}, {2, false}, {3, true}, {4, true}});
  waiting.show_for(1);
  CHECK(waiting.take_changes() == Changes{{1, true}});
  CHECK(waiting.take_changes().empty());
}

TEST_CASE_METHOD(Fixture, "what is hidden counts as asked for in its queue") {
  add({0, 1, 2, 4});
  REQUIRE(waiting.unlisted().size() == 1);
  CHECK(waiting.unlisted()[0].queue.get() == "q");
  CHECK(waiting.unlisted()[0].amounts[0] == 2);
  waiting.remove(0);
  waiting.show_for(8);
  CHECK(waiting.unlisted()[0].amounts[0] == 0);
}

TEST_CASE_METHOD(Fixture,
                 "a plan that gave all that are shown something is asked again with more") {
  add({0, 1, 2});
  (void)waiting.take_changes();
  CHECK_FALSE(waiting.show_more(plan_that_starts({})));
  CHECK(waiting.show_more(plan_that_starts({0})));
  CHECK(waiting.take_changes() == Changes{{1, true}, {2, true}});
  CHECK_FALSE(waiting.show_more(plan_that_starts({0, 1, 2})));
}

TEST_CASE_METHOD(Fixture, "one that was evicted stands before those that came after it") {
  add({1, 2});
  waiting.add(0, false);
  waiting.add(3, true);
  CHECK(waiting.take_changes() == Changes{{1, true}, {2, false}, {0, true}, {3, true}});
  CHECK_FALSE(waiting.has_like(3));
}

}  // namespace dray::simulate::waiting_jobs_test
