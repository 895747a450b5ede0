#include <catch2/catch.hpp>
#include <string>

#include "engine/books/job_book.h"
#include "tests/unit/engine/shelf.h"

namespace dray::engine::job_book_owners_test {
namespace {

/// The queue of every pod is `q`, which has these gangs.
void set_gangs(Shelf& shelf, std::optional<std::vector<policy::GangOwner>> gangs) {
  policy::PolicyConfig config;
  policy::QueueConfig queue;
  queue.name = policy::QueueName("q");
  queue.gangs = std::move(gangs);
  config.queues = {queue};
  config.pod_queues.otherwise = queue.name;
  auto made = policy::compile(config);
  REQUIRE(made);
  shelf.book.set_policy(std::make_shared<const policy::Policy>(std::move(*made)), false);
  shelf.look_again();
}

Pod of_job(const std::string& name) {
  auto pod = make_pod(name, "");
  pod.meta.owners = {{"batch/v1", "Job", "train", Uid("uid-train"), true}};
  return pod;
}

BatchJob job_of(std::int32_t pods) {
  BatchJob job;
  job.meta = testing::default_meta("train");
  job.parallelism = job.completions = pods;
  job.completion_mode = "Indexed";
  return job;
}

TEST_CASE("a Job's pods are jobs by themselves, a gang where their queue says so, or the Job") {
  Shelf shelf;
  shelf.put(of_job("a"));
  shelf.put(of_job("b"));
  shelf.observe(job_of(2));
  CHECK(shelf.book.jobs(start).size() == 2);

  set_gangs(shelf, std::vector{policy::GangOwner::job});
  REQUIRE(shelf.book.jobs(start).size() == 1);
  const auto gang = shelf.book.jobs(start)[0];
  CHECK(gang->name == "default/train");
  CHECK(gang->uid == Uid("uid-train"));
  CHECK(gang->members.size() == 2);
  CHECK(gang->gang.pod_sets.at(0).min_member == 2);

  set_gangs(shelf, {});
  CHECK(shelf.book.jobs(start).size() == 2);
  auto says = job_of(2);
  says.gang = true;
  shelf.observe(says);
  CHECK(shelf.book.jobs(start).size() == 1);
}

TEST_CASE(
    "a Job that runs grows by as many pods as there is room for, one made on purpose as it says") {
  Shelf shelf;
  set_gangs(shelf, std::vector{policy::GangOwner::job});
  const auto minimum = [&] { return shelf.book.jobs(start)[0]->gang.pod_sets.at(0).min_member; };
  shelf.observe(job_of(2));
  for (const auto* name : {"a", "b"}) shelf.put(of_job(name));
  CHECK(minimum() == 2);
  for (const auto* name : {"a", "b"}) shelf.move(name, planner::MemberState::placed);
  CHECK(minimum() == 2);
  shelf.observe(job_of(3));
  shelf.put(of_job("c"));
  CHECK(shelf.book.jobs(start)[0]->members.size() == 3);
  CHECK(minimum() == 2);
  shelf.observe(job_of(1));
  CHECK(minimum() == 1);

  Shelf group;
  group.put(in_group("a"));
  group.observe(group_of(1));
  group.move("a", planner::MemberState::placed);
  CHECK(group.book.jobs(start)[0]->gang.pod_sets.at(0).min_member == 1);
  group.observe(group_of(2));
  CHECK(group.book.jobs(start)[0]->gang.pod_sets.at(0).min_member == 2);
}

TEST_CASE("where Jobs are gangs, pods wait until theirs is known") {
  Shelf shelf;
  set_gangs(shelf, std::vector{policy::GangOwner::job});
  shelf.put(of_job("a"));
  CHECK(shelf.book.jobs(start).empty());
  REQUIRE(shelf.book.unformed().size() == 1);
  CHECK(shelf.book.unformed().after(std::nullopt, 1)[0].second.detail ==
        "Job default/train does not exist");
  shelf.observe(job_of(1));
  CHECK(shelf.book.jobs(start).size() == 1);
}

TEST_CASE("a group of a Job's pods that is made on purpose wins") {
  Shelf shelf;
  set_gangs(shelf, std::vector{policy::GangOwner::job});
  shelf.observe(job_of(2));
  for (const auto* name : {"a", "b"}) {
    auto pod = of_job(name);
    pod.pod_group = "g";
    shelf.put(pod);
  }
  shelf.observe(group_of(1));
  REQUIRE(shelf.book.jobs(start).size() == 1);
  CHECK(shelf.book.jobs(start)[0]->name == "default/g");
  auto basic = group_of(1);
  basic.min_count.reset();
  shelf.observe(basic);
  CHECK(shelf.book.jobs(start).size() == 2);
}

TEST_CASE("a queue without JobSets has their pods one by one") {
  Shelf shelf;
  JobSet set;
  set.meta = testing::default_meta("set");
  set.jobs.push_back({.name = "w", .replicas = 2, .parallelism = {}, .completions = {}});
  auto pod = make_pod("a", "");
  pod.meta.labels = {{"jobset.sigs.k8s.io/jobset-name", "set"},
                     {"jobset.sigs.k8s.io/replicatedjob-name", "w"}};
  shelf.put(pod);
  shelf.observe(set);
  REQUIRE(shelf.book.jobs(start).size() == 1);
  CHECK(shelf.book.jobs(start)[0]->name == "default/set");
  set_gangs(shelf, std::vector<policy::GangOwner>{});
  REQUIRE(shelf.book.jobs(start).size() == 1);
  CHECK(shelf.book.jobs(start)[0]->name == "default/a");
}

TEST_CASE("pods of a RayCluster are counted by their kind, replicas of a LeaderWorkerSet apart") {
  Shelf shelf;
  RayCluster cluster;
  cluster.meta = testing::default_meta("ray");
  cluster.workers = {
      {.name = "gpu", .replicas = 2, .min_replicas = {}, .hosts = {}, .suspend = false}};
  shelf.observe(cluster);
  for (const auto* name : {"head", "w0", "w1"}) {
    auto pod = make_pod(name, "");
    pod.meta.owners = {{"ray.io/v1", "RayCluster", "ray", Uid("uid-ray"), true}};
    pod.meta.labels = {{"ray.io/cluster", "ray"},
                       {"ray.io/group", std::string_view(name) == "head" ? "headgroup" : "gpu"}};
    shelf.put(pod);
  }
  REQUIRE(shelf.book.jobs(start).size() == 1);
  const auto& sets = shelf.book.jobs(start)[0]->gang.pod_sets;
  REQUIRE(sets.size() == 2);
  CHECK(sets[0].tasks.size() == 1);
  CHECK(sets[1].tasks.size() == 2);

  Shelf other;
  LeaderWorkerSet set;
  set.meta = testing::default_meta("lws");
  set.size = 2;
  other.observe(set);
  for (const auto* name : {"0-a", "0-b", "1-a"}) {
    auto pod = make_pod(name, "");
    pod.meta.owners = {{"apps/v1", "StatefulSet", "lws", Uid("uid-set"), true}};
    pod.meta.labels = {{"leaderworkerset.sigs.k8s.io/name", "lws"},
                       {"leaderworkerset.sigs.k8s.io/group-index", std::string(1, name[0])}};
    other.put(pod);
  }
  const auto& jobs = other.book.jobs(start);
  REQUIRE(jobs.size() == 2);
  CHECK(jobs[0]->uid == Uid("uid-lws/0"));
  CHECK(jobs[0]->members.size() == 2);
  CHECK(jobs[1]->members.size() == 1);
}

}  // namespace
}  // namespace dray::engine::job_book_owners_test
