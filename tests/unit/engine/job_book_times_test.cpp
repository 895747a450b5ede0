#include "engine/books/job_book.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/unit/engine/shelf.h"

// What a job book remembers over time: waits, runs, evictions, gangs that are stale.

namespace dray::engine::job_book_times_test {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a pod that does not go is stuck after two minutes") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.deleted = start;
  shelf.where[pod.meta.uid] = {planner::MemberState::leaving, NodeName("n0"), false};
  shelf.put(pod);
  CHECK(shelf.book.jobs(start)[0]->members[0].state == planner::MemberState::leaving);
  REQUIRE(shelf.book.next_change() == start + 2min);
  CHECK(shelf.book.jobs(start + 2min)[0]->members[0].state == planner::MemberState::stuck);
}

TEST_CASE("an eviction is remembered under the job's name") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.book.evicted(*shelf.book.jobs(start)[0], nullptr, start + 1s);
  shelf.book.erase(Uid("uid-p"));
  auto again = make_pod("p", "");
  again.meta.uid = Uid("uid-p-2");
  shelf.put(again);
  CHECK(shelf.book.jobs(start)[0]->evicted == start + 1s);
}

TEST_CASE("a pod that its controller makes anew under another name has the same past") {
  Shelf shelf;
  const auto pod_of_job = [](const std::string& name, Time created) {
    auto pod = make_pod(name, "");
    pod.meta.created = created;
    pod.meta.owners.push_back({.api_version = {},
                               .kind = "Job",
                               .name = "train",
                               .uid = Uid("uid-train"),
                               .controller = true});
    return pod;
  };
  shelf.put(pod_of_job("train-a", start));
  shelf.put(pod_of_job("train-b", start));
  const auto evicted = [&](const std::string& pod) {
    return shelf.book.find(Uid("uid-" + pod))->evicted;
  };
  shelf.book.refresh(start);
  shelf.book.evicted(*shelf.book.find(Uid("uid-train-a")), nullptr, start + 10s, start + 11s);
  shelf.put(pod_of_job("train-c", start + 10s));
  shelf.put(pod_of_job("train-d", start + 20s));
  shelf.book.touch(Uid("uid-train-b"));
  shelf.book.refresh(start);
  CHECK(evicted("train-a") == start + 11s);
  CHECK_FALSE(evicted("train-b"));
  CHECK(evicted("train-c") == start + 11s);
  CHECK_FALSE(evicted("train-d"));
  // The one that was made for it goes: the next one takes its place.
  shelf.book.erase(Uid("uid-train-c"));
  shelf.book.refresh(start);
  shelf.book.touch(Uid("uid-train-d"));
  shelf.book.refresh(start);
  CHECK(evicted("train-d") == start + 11s);
}

TEST_CASE("evictions for a job pause where kube-scheduler does not take it to the room") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  const auto paused = [&] { return shelf.book.jobs(start)[0]->evictions_paused_until; };
  for (int i = 0; i < 2; ++i) {
    CHECK_FALSE(paused());
    shelf.book.made_room_for(Uid("uid-p"));
    shelf.book.place_refused(Uid("uid-p"), start);
  }
  CHECK(paused() == start + 30s);
  shelf.book.bound(Uid("uid-p"));
  shelf.book.touch(Uid("uid-p"));
  CHECK_FALSE(paused());
}

TEST_CASE("whom a job made room for is remembered for a day, under the same rules") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.put(make_pod("q", ""));
  const auto jobs = shelf.book.jobs(start);
  REQUIRE(jobs.size() == 2);
  shelf.book.evicted(*jobs[0], jobs[1].get(), start);
  CHECK(shelf.book.jobs(start)[0]->evicted_for ==
        std::vector<planner::EvictedFor>{{"default/q", start + 24h}});
  CHECK(shelf.book.jobs(start)[1]->evicted_for.empty());
  // Again: the same mark, for longer.
  shelf.book.evicted(*jobs[0], jobs[1].get(), start + 1h);
  CHECK(shelf.book.jobs(start)[0]->evicted_for ==
        std::vector<planner::EvictedFor>{{"default/q", start + 25h}});
  shelf.book.set_policy(std::make_shared<const policy::Policy>(policy::Policy::open()), true);
  CHECK(shelf.book.jobs(start)[0]->evicted_for.size() == 1);
  auto changed = policy::Policy::open();
  changed.config.reclaim.enabled = true;
  shelf.book.set_policy(std::make_shared<const policy::Policy>(std::move(changed)), true);
  CHECK(shelf.book.jobs(start)[0]->evicted_for.empty());
}

TEST_CASE("what a plan says of stale gangs comes back with the job") {
  Shelf shelf;
  shelf.observe(group_of(2));
  shelf.put(in_group("p0"));
  static_cast<void>(shelf.book.jobs(start));
  shelf.book.set_stale({{Uid("uid-g"), start}});
  CHECK(shelf.book.jobs(start)[0]->stale_since == start);
  shelf.book.set_stale({});
  CHECK(!shelf.book.jobs(start)[0]->stale_since);
}

TEST_CASE("since when a job waits and runs") {
  Shelf shelf;
  shelf.observe(group_of(1));
  const auto bound = [](Pod pod, Duration after) {
    pod.conditions = {{.type = "PodScheduled",
                       .status = "True",
                       .reason = "",
                       .message = "",
                       .last_transition = start + after}};
    return pod;
  };
  auto old = bound(in_group("p0"), 30s);
  shelf.put(old);
  shelf.move("p0", planner::MemberState::placed);
  shelf.put(bound(in_group("p1"), 20s));
  shelf.move("p1", planner::MemberState::placed);
  auto job = shelf.book.jobs(start)[0];
  CHECK(job->created == start);
  CHECK(job->queued == start);
  CHECK(job->started == start + 20s);
  // Who came later waits since then, the oldest first; what waits does not run.
  for (const auto& [name, after] : {std::pair("p2", 50s), std::pair("p3", 40s)}) {
    auto late = bound(in_group(name), 1s);
    late.meta.created = start + after;
    shelf.put(late);
  }
  job = shelf.book.jobs(start)[0];
  CHECK(job->queued == start + 40s);
  CHECK(job->started == start + 20s);
}

TEST_CASE("a binding time that only the conditions show makes the job another") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.move("p", planner::MemberState::placed);
  CHECK_FALSE(shelf.book.jobs(start)[0]->started);
  auto pod = make_pod("p", "");
  pod.conditions = {{.type = "PodScheduled",
                     .status = "True",
                     .reason = "",
                     .message = "",
                     .last_transition = start + 3s}};
  shelf.put(pod);
  CHECK(shelf.book.jobs(start)[0]->started == start + 3s);
}

TEST_CASE("a pod is not stuck a moment before its time") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.deleted = start;
  shelf.where[pod.meta.uid] = {planner::MemberState::leaving, NodeName("n0"), false};
  shelf.put(pod);
  static_cast<void>(shelf.book.jobs(start));
  CHECK(shelf.book.jobs(start + 2min - 1us)[0]->members[0].state == planner::MemberState::leaving);
  CHECK(shelf.book.next_change() == start + 2min);
  static_cast<void>(shelf.book.jobs(start + 2min));
  CHECK_FALSE(shelf.book.next_change());
}

TEST_CASE("a past that is over a day old is forgotten; a shorter half-life forgets sooner") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.put(make_pod("q", ""));
  const auto jobs = shelf.book.jobs(start);
  shelf.book.evicted(*jobs[0], nullptr, start);
  shelf.book.evicted(*jobs[1], nullptr, start + 24h);
  CHECK(shelf.book.jobs(start)[0]->evicted == start);
  shelf.book.touch(Uid("uid-p"));
  shelf.book.evicted(*jobs[1], nullptr, start + 24h + 1us);
  CHECK_FALSE(shelf.book.jobs(start)[0]->evicted);

  auto changed = policy::Policy::open();
  changed.config.fairness.half_life = 2h;
  shelf.book.set_policy(std::make_shared<const policy::Policy>(std::move(changed)), true);
  shelf.book.evicted(*jobs[0], jobs[1].get(), start);
  CHECK(shelf.book.jobs(start)[0]->evicted_for.at(0).until == start + 2h);
  shelf.book.evicted(*jobs[0], nullptr, start + 2h);
  CHECK(shelf.book.jobs(start)[0]->evicted_for.empty());
}

TEST_CASE("since when a gang is stale may change") {
  Shelf shelf;
  shelf.observe(group_of(2));
  shelf.put(in_group("p0"));
  static_cast<void>(shelf.book.jobs(start));
  shelf.book.set_stale({{Uid("uid-g"), start}});
  static_cast<void>(shelf.book.jobs(start));
  shelf.book.set_stale({{Uid("uid-g"), start + 1s}});
  CHECK(shelf.book.jobs(start)[0]->stale_since == start + 1s);
}

}  // namespace
}  // namespace dray::engine::job_book_times_test
