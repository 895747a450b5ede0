#include "planner/state/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <random>
#include <set>

#include "tests/unit/planner/fixture.h"

namespace dray::planner::jobs_test {

using namespace worlds;
namespace {

TEST_CASE("jobs hold what runs, ask for what waits, and leaving room is nobody's any more") {
  World world;
  world.node("n0", 8);
  world.running("runs", "n0", 0, 1, "a");
  world.running("fixed", "n0", 1, 2, "a").preemptible = false;
  world.running("goes", "n0", 3, 3, "a").members[0].state = MemberState::leaving;
  world.waiting("waits", 1, "a");
  Parts parts(world);
  const auto& queue = parts.begin.queues[parts.queue("a")];
  const auto gpu = parts.gpu();
  CHECK(queue.allocated[gpu] == 3);
  CHECK(queue.allocated_nonpreemptible[gpu] == 2);
  CHECK(queue.requested[gpu] == 4);
  CHECK(parts.memory.jobs().held()[gpu] == 6);
  CHECK(parts.begin.total[gpu] == 8);
  CHECK(parts.job("goes").placed == 0);
  CHECK(parts.job("waits").waiting == 1);
}

TEST_CASE("a job of a queue that is not there, or is no leaf, has no queue") {
  World world;
  world.queue("top", 0);
  world.queue("leaf", 0, "top");
  world.waiting("p0", 1, "leaf");
  world.waiting("p1", 1, "top");
  world.waiting("p2", 1, "nowhere");
  Parts parts(world);
  CHECK(parts.job("p0").queue == parts.queue("leaf"));
  CHECK_FALSE(parts.job("p1").queue);
  CHECK_FALSE(parts.job("p2").queue);
}

TEST_CASE("jobs that did not change are kept, others are read anew") {
  World world;
  world.node("n0", 8);
  world.running("r0", "n0", 0, 1, "a");
  world.running("r1", "n0", 1, 1, "a");
  world.waiting("w0", 1, "a");
  auto input = world.make_input();
  JobTable table;
  const auto held = [&] {
    auto queues = input.policy->queues;
    table.count(queues);
    return queues[*queues.find("a")].allocated.values().back();
  };
  table.update(input, *input.policy);
  CHECK(held() == 2);
  const auto* kept = table.find(Uid("uid-r1"));
  // One goes, and one comes.
  auto more = *input.jobs[1];
  more.uid = Uid("uid-r2");
  input.jobs = {input.jobs[1], std::make_shared<const Job>(more)};
  table.update(input, *input.policy);
  CHECK(table.find(Uid("uid-r0")) == nullptr);
  CHECK(table.find(Uid("uid-r1")) == kept);
  CHECK(table.find(Uid("uid-r2")) != nullptr);
  CHECK(table.find(Uid("uid-w0")) == nullptr);
  CHECK(table.all().size() == 2);
  CHECK(table.all()[0]->order < table.all()[1]->order);
  CHECK(held() == 2);
  input.jobs = {input.jobs[1]};
  table.update(input, *input.policy);
  CHECK(held() == 1);
}

TEST_CASE("a job that stays follows its claims") {
  World world;
  world.node("n0", 8);
  world.waiting("w0", 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  CHECK(table.find(Uid("uid-w0"))->tasks[0].demand->devices == 1);
  auto larger = make_claim("c-w0", 4, "w0");
  larger.meta.resource_version = ResourceVersion("11");
  world.tell(larger);
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(table.find(Uid("uid-w0"))->tasks[0].demand->devices == 4);
  world.state.apply(cluster::ObjectGone{Kind::resource_claim, "default", "c-w0", Uid("uid-c-w0")});
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  const auto& task = table.find(Uid("uid-w0"))->tasks[0];
  CHECK(task.shape == nullptr);
  CHECK(task.demand == nullptr);
  REQUIRE(task.not_ready);
  CHECK(task.not_ready->reason == Reason::claim_missing);
}

TEST_CASE("claims are looked up again where one of theirs may have changed") {
  World world;
  world.node("n0", 8);
  constexpr std::size_t jobs = 200;
  for (std::size_t i = 0; i < jobs; ++i) world.waiting("w" + std::to_string(i), 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  CHECK(table.claims_read() == jobs);
  table.update(input, *input.policy);
  CHECK(table.claims_read() == jobs);
  auto larger = make_claim("c-w7", 4, "w7");
  larger.meta.resource_version = ResourceVersion("11");
  world.tell(larger);
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(table.find(Uid("uid-w7"))->tasks[0].demand->devices == 4);
  CHECK(table.claims_read() > jobs);
  CHECK(table.claims_read() < jobs + 10);
}

TEST_CASE("shapes and demands that nobody has any more do not pile up") {
  World world;
  world.node("n0", 8);
  world.waiting("w", 1, "a");
  world.running("r", "n0", 0, 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  const auto held = table.find(Uid("uid-r"))->tasks[0].demand;
  const auto job = *input.jobs.find(Uid("uid-w"));
  // As a tenant would do who makes pods of which no two ask for the same, and each for much.
  const std::string lengthy(4'000, 'x');
  for (int i = 0; i < 5'000; ++i) {
    auto pod = *job.members[0].pod;
    pod.containers[0].requests["x.io/" + lengthy + std::to_string(i)] = Quantity(1);
    pod.containers[0].requests["cpu"] = Quantity::from_milli(i);
    auto other = job;
    other.members[0].pod = std::make_shared<const Pod>(std::move(pod));
    input.jobs.put(std::make_shared<const Job>(std::move(other)));
    table.update(input, *input.policy);
    const auto& task = table.find(Uid("uid-w"))->tasks[0];
    REQUIRE(task.shape->pod == task.member->pod);
    REQUIRE(task.demand->milli_cpu == i);
  }
  CHECK(table.shapes() > 500);
  CHECK(table.shapes() < ShapeTable::most_bytes / lengthy.size());
  CHECK(table.demands() > 100);
  CHECK(table.demands() < DemandTable::most_bytes / lengthy.size());
  // Nothing was made again for it.
  CHECK(table.jobs_read() == 2 + 2 * 5'000);
  CHECK(table.find(Uid("uid-r"))->tasks[0].demand == held);
}

TEST_CASE("jobs stand in the order of the list, whatever of it came, went or changed") {
  World world;
  world.node("n0", 8);
  for (int i = 0; i < 700; ++i) world.waiting(fmt::format("j{:05}", i * 100), 0, "a");
  auto input = world.make_input();
  std::mt19937 random(1);
  // Chunks of which all have their place, and chunks with some that wait or leave.
  const auto put = [&](Job job, MemberState state) {
    job.members[0].state = state;
    job.members[0].node.reset();
    if (state != MemberState::waiting) job.members[0].node = NodeName("n0");
    input.jobs.put(std::make_shared<const Job>(std::move(job)));
  };
  for (const auto& job : JobList(input.jobs)) put(*job, MemberState::placed);
  const auto any = [&] { return input.jobs[random() % input.jobs.size()]; };
  JobTable table;
  for (unsigned round = 0; round < 300; ++round) {
    CAPTURE(round);
    for (auto changes = random() % 4; changes > 0; --changes) {
      auto other = *any();
      // Many of them in one place: numbers between neighbours run out.
      if (random() % 2 == 0) {
        other.uid = Uid(
            fmt::format("uid-j{:05}", random() % 3 == 0 ? random() % 70'000 : 30'001 + round % 90));
      }
      const auto dice = random() % 16;
      put(std::move(other), dice == 0   ? MemberState::waiting
                            : dice == 1 ? MemberState::leaving
                                        : MemberState::placed);
      if (random() % 3 != 0) continue;
      input.jobs.update({any()->uid}, [](const Uid& /*uid*/) { return JobList::Item(); });
    }
    table.update(input, *input.policy);
    std::vector<const Job*> listed, waiting, leaving;
    for (const auto& job : input.jobs) {
      listed.push_back(job.get());
      if (job->members[0].state == MemberState::waiting) waiting.push_back(job.get());
      if (job->members[0].state == MemberState::leaving) leaving.push_back(job.get());
    }
    const auto jobs_of = [](std::span<PlanJob* const> all) {
      std::vector<const Job*> made;
      for (const auto* job : all) made.push_back(job->job.get());
      return made;
    };
    REQUIRE(jobs_of(table.all()) == listed);
    REQUIRE(jobs_of(table.waiting()) == waiting);
    REQUIRE(jobs_of(table.leaving()) == leaving);
    REQUIRE(std::ranges::adjacent_find(table.all(), std::ranges::greater_equal(),
                                       &PlanJob::order) == table.all().end());
  }
}

TEST_CASE("a change costs the jobs near it, however many there are") {
  World world;
  world.node("n0", 8);
  const auto count = [](JobTable& table, const PlanInput& input) {
    auto queues = input.policy->queues;
    table.count(queues);
    return queues[*queues.find("a")].requested.values().back();
  };
  constexpr std::size_t jobs = 3'000;
  for (std::size_t i = 0; i < jobs; ++i) world.waiting(fmt::format("w{:04}", i), 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  CHECK(table.jobs_read() == jobs);
  const auto* kept = table.find(Uid("uid-w2999"));
  auto other = *input.jobs.find(Uid("uid-w1500"));
  other.priority = 7;
  input.jobs.put(std::make_shared<const Job>(other));
  input.jobs.update({Uid("uid-w0700")}, [](const Uid& /*uid*/) { return JobList::Item(); });
  table.update(input, *input.policy);
  CHECK(table.jobs_read() - jobs <= 4 * JobList::chunk_size);
  CHECK(table.find(Uid("uid-w1500"))->job->priority == 7);
  CHECK(table.find(Uid("uid-w0700")) == nullptr);
  CHECK(table.find(Uid("uid-w2999")) == kept);
  CHECK(std::ranges::is_sorted(table.all(), {}, &PlanJob::order));
  CHECK(count(table, input) == jobs - 1);
  // A whole chunk goes, and its neighbours do not.
  const auto before = table.jobs_read();
  std::set<Uid> gone;
  for (const auto& job : *input.jobs.chunks()[3]) gone.insert(job->uid);
  input.jobs.update(gone, [](const Uid& /*uid*/) { return JobList::Item(); });
  table.update(input, *input.policy);
  CHECK(table.jobs_read() == before);
  CHECK(table.all().size() == jobs - 1 - gone.size());
  CHECK(count(table, input) == static_cast<double>(jobs - 1 - gone.size()));
}

TEST_CASE("the shape of a victim ends with its plan, though no job changed") {
  World world;
  world.node("n0", 1);
  world.running("r", "n0", 0, 1, "a");
  const auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  auto& task = table.find(Uid("uid-r"))->tasks[0];
  task.shape = table.shape_of_victim(task);
  REQUIRE(task.shape != nullptr);
  table.update(input, *input.policy);
  CHECK(task.shape == nullptr);
}

TEST_CASE("a claim of several pods counts for the next when its first user goes") {
  World world;
  world.node("n0", 8);
  world.queue("a", 2);
  world.queue("b", 2);
  const auto uses_it = [](Pod& pod) {
    pod.resource_claims.push_back({.name = "s", .claim_name = "shared", .template_name = {}});
  };
  world.running("r0", "n0", 0, 0, "a", uses_it);
  world.running("r1", "n0", 0, 0, "b", uses_it);
  auto claim = make_claim("shared", 2);
  for (const std::string user : {"r0", "r1"}) {
    claim.reserved_for.push_back(
        {.api_group = "", .resource = "pods", .name = user, .uid = Uid("uid-" + user)});
  }
  world.tell(claim);
  auto input = world.make_input();
  JobTable table;
  const auto held = [&](const char* queue) {
    auto queues = input.policy->queues;
    table.count(queues);
    return queues[*queues.find(queue)].allocated.values().back();
  };
  table.update(input, *input.policy);
  CHECK(held("a") == 2);
  CHECK(held("b") == 0);
  // Gone, it stands in the claim until the claim's controller has seen that.
  const bool gone_first = GENERATE(true, false);
  if (gone_first) {
    world.state.apply(cluster::ObjectGone{Kind::pod, "default", "r0", Uid("uid-r0")});
    input.jobs = {input.jobs[1]};
  } else {
    claim.reserved_for.erase(claim.reserved_for.begin());
    claim.meta.resource_version = ResourceVersion("11");
    world.tell(claim);
  }
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(held("a") == 0);
  CHECK(held("b") == 2);
}

TEST_CASE("a claim that lost its devices under several pods counts once in their queue") {
  World world;
  world.node("n0", 8);
  world.queue("a", 2);
  world.queue("b", 2);
  const auto uses_it = [](Pod& pod) {
    pod.resource_claims.push_back({.name = "s", .claim_name = "shared", .template_name = {}});
  };
  world.running("r0", "n0", 0, 0, "a", uses_it);
  world.running("r1", "n0", 0, 0, "a", uses_it);
  world.running("r2", "n0", 0, 0, "b", uses_it);
  world.tell(make_claim("shared", 2));  // nobody stands in it any more
  auto input = world.make_input();
  JobTable table;
  const auto held = [&](const char* queue) {
    auto queues = input.policy->queues;
    table.count(queues);
    return queues[*queues.find(queue)].allocated.values().back();
  };
  for (int plans = 0; plans < 2; ++plans) {
    table.update(input, *input.policy);
    CHECK(held("a") == 2);
    CHECK(held("b") == 2);
  }
  world.state.apply(cluster::ObjectGone{Kind::pod, "default", "r0", Uid("uid-r0")});
  input.jobs = {input.jobs[1], input.jobs[2]};
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(held("a") == 2);
}

TEST_CASE("who ran on a node that is gone is not on the one that has its place by now") {
  World world;
  world.node("n0", 1);
  world.node("n1", 1);
  world.running("r", "n1", 0, 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  REQUIRE(table.find(Uid("uid-r"))->tasks[0].node == input.snapshot->node(NodeName("n1")));
  world.state.apply(cluster::ObjectGone{Kind::node, "", "n1", Uid("uid-n1")});
  if (GENERATE(true, false)) world.node("n9", 1);
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(!table.find(Uid("uid-r"))->tasks[0].node);
  world.node("n1", 1);
  input.snapshot = world.state.snapshot();
  table.update(input, *input.policy);
  CHECK(table.find(Uid("uid-r"))->tasks[0].node == input.snapshot->node(NodeName("n1")));
}

TEST_CASE("other rules make all jobs anew") {
  World world;
  world.node("n0", 8);
  world.running("r0", "n0", 0, 1, "a");
  auto input = world.make_input();
  JobTable table;
  table.update(input, *input.policy);
  auto counting_more = *input.policy;
  input.policy = std::make_shared<const policy::Policy>(counting_more);
  table.update(input, *input.policy);
  auto queues = input.policy->queues;
  table.count(queues);
  CHECK(queues[*queues.find("a")].allocated.values().back() == 1);
  CHECK(table.all().size() == 1);
}

}  // namespace
}  // namespace dray::planner::jobs_test
