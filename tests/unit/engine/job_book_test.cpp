#include "engine/books/job_book.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/unit/engine/shelf.h"

namespace dray::engine::job_book_test {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const policy::Policy> two_queues(
    policy::QueueSource source = policy::QueueSource::file) {
  policy::PolicyConfig config;
  for (const auto* name : {"a", "b"}) {
    policy::QueueConfig queue;
    queue.name = policy::QueueName(name);
    config.queues.push_back(queue);
  }
  config.queues_from = source;
  config.pod_queues.namespaces["default"] = policy::QueueName("b");
  auto made = policy::compile(config);
  REQUIRE(made);
  return std::make_shared<const policy::Policy>(std::move(*made));
}

TEST_CASE("a pod by itself is a job") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  const auto& jobs = shelf.book.jobs(start);
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0]->uid == Uid("uid-p"));
  CHECK(jobs[0]->name == "default/p");
  CHECK(jobs[0]->queue == policy::QueueName("default"));
  CHECK(jobs[0]->members.size() == 1);
  CHECK(!shelf.book.has_groups());
}

TEST_CASE("a gang is one job once its object is there") {
  Shelf shelf;
  shelf.put(in_group("p1"));
  shelf.put(in_group("p0"));
  CHECK(shelf.book.jobs(start).empty());
  CHECK(shelf.book.unformed().size() == 2);
  CHECK(shelf.book.has_groups());
  shelf.observe(group_of(2));
  const auto& jobs = shelf.book.jobs(start);
  REQUIRE(jobs.size() == 1);
  CHECK(shelf.book.unformed().empty());
  CHECK(jobs[0]->name == "default/g");
  REQUIRE(jobs[0]->members.size() == 2);
  CHECK(jobs[0]->members[0].pod->meta.name == "p0");
  CHECK(jobs[0]->gang.pod_sets.at(0).min_member == 2);
  CHECK(jobs[0]->gang.pod_sets.at(0).tasks.size() == 2);
  CHECK(shelf.book.job_of(Uid("uid-p1")) == jobs[0]);
}

TEST_CASE("a job is the same pointer until something that matters changes") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  const auto before = shelf.book.jobs(start)[0];
  auto pod = make_pod("p", "");
  pod.meta.resource_version = ResourceVersion("21");
  pod.conditions.push_back({.type = "DrayAdmitted",
                            .status = "False",
                            .reason = "x",
                            .message = "",
                            .last_transition = {}});
  shelf.put(pod);
  CHECK(shelf.book.jobs(start)[0] == before);
  shelf.book.touch(Uid("uid-p"));
  CHECK(shelf.book.jobs(start)[0] == before);
  shelf.move("p", planner::MemberState::placed);
  CHECK(shelf.book.jobs(start)[0] != before);
  CHECK(shelf.book.jobs(start)[0]->members[0].node == NodeName("n0"));
}

TEST_CASE("a job ends with its last pod; a gang keeps those that are done") {
  Shelf shelf;
  shelf.observe(group_of(1));
  shelf.put(in_group("p0"));
  shelf.put(in_group("p1"));
  shelf.move("p0", planner::MemberState::done);
  CHECK(shelf.book.jobs(start)[0]->members.size() == 2);
  shelf.move("p1", planner::MemberState::done);
  CHECK(shelf.book.jobs(start).empty());
  shelf.put(make_pod("q", ""));
  CHECK(shelf.book.jobs(start).size() == 1);
  shelf.book.erase(Uid("uid-q"));
  CHECK(shelf.book.jobs(start).empty());
}

TEST_CASE("queues by label, by namespace, and where there are none") {
  struct Row {
    std::string name;
    Labels labels;
    bool open;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"the label", {{"dray.dev/queue", "a"}}, false, "a"},
               Row{"KAI's label", {{"kai.scheduler/queue", "a"}}, false, "a"},
               Row{"the namespace", {}, false, "b"},
               Row{"a policy without queues", {{"dray.dev/queue", "a"}}, true, "default"});
  DYNAMIC_SECTION(row.name) {
    Shelf shelf;
    if (!row.open) shelf.book.set_policy(two_queues(), false);
    auto pod = make_pod("p", "");
    pod.meta.labels = row.labels;
    shelf.put(pod);
    CHECK(shelf.book.jobs(start)[0]->queue.get() == row.want);
  }
}

TEST_CASE("who may be preempted") {
  struct Row {
    std::string name;
    std::int32_t priority;
    Labels labels;
    policy::QueueSource source;
    bool want;
  };
  const auto file = policy::QueueSource::file;
  const auto kai = policy::QueueSource::kai;
  const auto row = GENERATE_COPY(
      Row{"anybody", 5000, {}, file, true},
      Row{"not what the cluster needs", 2'000'000'000, {}, file, false},
      Row{"not who says so", 0, {{"kai.scheduler/preemptibility", "non-preemptible"}}, file, false},
      Row{"KAI's train", 50, {}, kai, true}, Row{"KAI's build", 100, {}, kai, false},
      Row{"KAI's build that may",
          100,
          {{"kai.scheduler/preemptibility", "preemptible"}},
          kai,
          true});
  DYNAMIC_SECTION(row.name) {
    Shelf shelf;
    shelf.book.set_policy(two_queues(row.source), false);
    auto pod = make_pod("p", "");
    pod.priority = row.priority;
    pod.meta.labels = row.labels;
    shelf.put(pod);
    CHECK(shelf.book.jobs(start)[0]->preemptible == row.want);
  }
}

TEST_CASE("a fraction by annotation is named as what it is") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.annotations["gpu-fraction"] = "0.5";
  shelf.put(pod);
  CHECK(shelf.book.jobs(start).empty());
  REQUIRE(shelf.book.unformed().size() == 1);
  CHECK(shelf.book.unformed().after(std::nullopt, 1)[0].second.reason == Reason::unsupported);
}

TEST_CASE("members stand by KAI's task priority, then by age, then by name") {
  Shelf shelf;
  shelf.observe(group_of(1));
  const auto put = [&](const std::string& name, const std::string& rank, Duration age) {
    auto pod = in_group(name);
    if (!rank.empty()) pod.meta.labels["kai.scheduler/task-priority"] = rank;
    pod.meta.created = start - age;
    shelf.put(pod);
  };
  put("d", "", 0s);
  put("c", "", 0s);
  put("b", "", 5s);
  put("a", "-1", 9s);
  put("z", "7", 0s);
  std::string order;
  for (const auto& member : shelf.book.jobs(start)[0]->members) {
    order += member.pod->meta.name;
  }
  CHECK(order == "zbcda");
}

TEST_CASE("the priority and the will to evict are the first pod's") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.priority = 12;
  shelf.put(pod);
  CHECK(shelf.book.jobs(start)[0]->priority == 12);
  CHECK(shelf.book.jobs(start)[0]->may_evict);
  pod.preemption_policy = "Never";
  shelf.put(pod);
  CHECK_FALSE(shelf.book.jobs(start)[0]->may_evict);
}

TEST_CASE("another policy moves jobs to other queues, running ones too") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.move("p", planner::MemberState::placed);
  CHECK(shelf.book.jobs(start)[0]->queue == policy::QueueName("default"));
  shelf.book.set_policy(two_queues(), false);
  CHECK(shelf.book.jobs(start)[0]->queue == policy::QueueName("b"));
}

TEST_CASE("a pod of no part counts above every minimum") {
  Shelf shelf;
  KaiPodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  KaiSubGroup part;
  part.name = "part";
  part.min_member = 2;
  group.sub_groups = {part};
  shelf.observe(group);
  auto pod = make_pod("p", "");
  pod.meta.annotations["pod-group-name"] = "g";
  shelf.put(pod);
  const auto job = shelf.book.jobs(start)[0];
  REQUIRE(job->gang.pod_sets.size() == 2);
  CHECK(job->gang.pod_sets[0].tasks.empty());
  CHECK(job->gang.pod_sets[1].min_member == 0);
  CHECK(job->gang.pod_sets[1].tasks.size() == 1);
}

TEST_CASE("pods follow their group: it goes, and they join another") {
  Shelf shelf;
  shelf.observe(group_of(1));
  shelf.put(in_group("p0"));
  CHECK(shelf.book.jobs(start).size() == 1);
  shelf.forget_group();
  CHECK(shelf.book.jobs(start).empty());
  CHECK(shelf.book.unformed().size() == 1);
  auto pod = in_group("p0");
  pod.pod_group = "h";
  shelf.put(pod);
  auto other = group_of(1);
  other.meta.name = "h";
  other.meta.uid = Uid("uid-h");
  shelf.observe(other);
  REQUIRE(shelf.book.jobs(start).size() == 1);
  CHECK(shelf.book.jobs(start)[0]->uid == Uid("uid-h"));
  CHECK(shelf.book.find(Uid("uid-h")));
  CHECK_FALSE(shelf.book.find(Uid("uid-g")));
  // A basic group is none: each of its pods is a job.
  other.min_count.reset();
  shelf.observe(other);
  CHECK(shelf.book.jobs(start)[0]->uid == Uid("uid-p0"));
}

TEST_CASE("nobody is evicted for a job that the API server will not have placed") {
  Shelf shelf;
  shelf.put(make_pod("p"));
  CHECK(shelf.book.jobs(start)[0]->may_evict);
  shelf.where[Uid("uid-p")].denied = true;
  shelf.book.touch(Uid("uid-p"));
  CHECK_FALSE(shelf.book.jobs(start)[0]->may_evict);
}

}  // namespace
}  // namespace dray::engine::job_book_test
