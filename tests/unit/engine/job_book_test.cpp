#include "engine/books/job_book.h"

#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/unit/engine/fixture.h"

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

/// A book whose pods are where `where` says.
struct Shelf {
  std::map<Uid, JobBook::MemberView> where;
  JobBook book{[this](const Pod& pod) {
    const auto found = where.find(pod.meta.uid);
    return found == where.end() ? JobBook::MemberView{} : found->second;
  }};

  Shelf() { book.set_policy(std::make_shared<const policy::Policy>(policy::Policy::open()), true); }
  void put(Pod pod) { book.put(std::make_shared<const Pod>(std::move(pod)), start); }
  void move(const std::string& name, planner::MemberState state) {
    where[Uid("uid-" + name)] = {state, NodeName("n0"), false};
    book.touch(Uid("uid-" + name));
  }
};

Pod in_group(const std::string& name) {
  auto pod = make_pod(name, "");
  pod.pod_group = "g";
  return pod;
}

PodGroup group_of(std::int32_t minimum) {
  PodGroup group;
  group.meta.namespace_name = "default";
  group.meta.name = "g";
  group.meta.uid = Uid("uid-g");
  group.min_count = minimum;
  return group;
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
  CHECK(shelf.book.observe(group_of(2)));
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
  const auto before = shelf.book.jobs(start).at(0);
  auto pod = make_pod("p", "");
  pod.meta.resource_version = ResourceVersion("21");
  pod.conditions.push_back({.type = "DrayAdmitted",
                            .status = "False",
                            .reason = "x",
                            .message = "",
                            .last_transition = {}});
  shelf.put(pod);
  CHECK(shelf.book.jobs(start).at(0) == before);
  shelf.book.touch(Uid("uid-p"));
  CHECK(shelf.book.jobs(start).at(0) == before);
  shelf.move("p", planner::MemberState::placed);
  CHECK(shelf.book.jobs(start).at(0) != before);
  CHECK(shelf.book.jobs(start).at(0)->members[0].node == NodeName("n0"));
}

TEST_CASE("a job ends with its last pod; a gang keeps those that are done") {
  Shelf shelf;
  CHECK(shelf.book.observe(group_of(1)));
  shelf.put(in_group("p0"));
  shelf.put(in_group("p1"));
  shelf.move("p0", planner::MemberState::done);
  CHECK(shelf.book.jobs(start).at(0)->members.size() == 2);
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
    CHECK(shelf.book.jobs(start).at(0)->queue.get() == row.want);
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
    CHECK(shelf.book.jobs(start).at(0)->preemptible == row.want);
  }
}

TEST_CASE("a pod that does not go is stuck after two minutes") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.deleted = start;
  shelf.where[pod.meta.uid] = {planner::MemberState::leaving, NodeName("n0"), false};
  shelf.put(pod);
  CHECK(shelf.book.jobs(start).at(0)->members[0].state == planner::MemberState::leaving);
  REQUIRE(shelf.book.next_change() == start + 2min);
  CHECK(shelf.book.jobs(start + 2min).at(0)->members[0].state == planner::MemberState::stuck);
}

TEST_CASE("an eviction is remembered under the job's name") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.book.evicted(*shelf.book.jobs(start).at(0), nullptr, start + 1s);
  shelf.book.erase(Uid("uid-p"));
  auto again = make_pod("p", "");
  again.meta.uid = Uid("uid-p-2");
  shelf.put(again);
  CHECK(shelf.book.jobs(start).at(0)->evicted == start + 1s);
}

TEST_CASE("whom a job made room for is remembered for a day, under the same rules") {
  Shelf shelf;
  shelf.put(make_pod("p", ""));
  shelf.put(make_pod("q", ""));
  const auto jobs = shelf.book.jobs(start);
  REQUIRE(jobs.size() == 2);
  shelf.book.evicted(*jobs[0], jobs[1].get(), start);
  CHECK(shelf.book.jobs(start).at(0)->evicted_for ==
        std::vector<planner::EvictedFor>{{"default/q", start + 24h}});
  CHECK(shelf.book.jobs(start).at(1)->evicted_for.empty());
  // Again: the same mark, for longer.
  shelf.book.evicted(*jobs[0], jobs[1].get(), start + 1h);
  CHECK(shelf.book.jobs(start).at(0)->evicted_for ==
        std::vector<planner::EvictedFor>{{"default/q", start + 25h}});
  shelf.book.set_policy(std::make_shared<const policy::Policy>(policy::Policy::open()), true);
  CHECK(shelf.book.jobs(start).at(0)->evicted_for.size() == 1);
  auto changed = policy::Policy::open();
  changed.config.reclaim.enabled = true;
  shelf.book.set_policy(std::make_shared<const policy::Policy>(std::move(changed)), true);
  CHECK(shelf.book.jobs(start).at(0)->evicted_for.empty());
}

TEST_CASE("what a plan says of stale gangs comes back with the job") {
  Shelf shelf;
  CHECK(shelf.book.observe(group_of(2)));
  shelf.put(in_group("p0"));
  static_cast<void>(shelf.book.jobs(start));
  shelf.book.set_stale({{Uid("uid-g"), start}});
  CHECK(shelf.book.jobs(start).at(0)->stale_since == start);
  shelf.book.set_stale({});
  CHECK(!shelf.book.jobs(start).at(0)->stale_since);
}

TEST_CASE("a fraction by annotation is named as what it is") {
  Shelf shelf;
  auto pod = make_pod("p", "");
  pod.meta.annotations["gpu-fraction"] = "0.5";
  shelf.put(pod);
  CHECK(shelf.book.jobs(start).empty());
  REQUIRE(shelf.book.unformed().size() == 1);
  CHECK(shelf.book.unformed()[0].second.reason == Reason::unsupported);
}

}  // namespace
}  // namespace dray::engine::job_book_test
