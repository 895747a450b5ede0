#include "engine/books/job_set_form.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/model/workload_size.h"
#include "tests/unit/engine/gangs_on_shelf.h"

namespace dray::engine::job_set_form_test {
namespace {

using Gangs = std::vector<std::string>;

ReplicatedJob kind(std::string name, std::int32_t replicas, std::int32_t pods,
                   std::vector<JobDependency> depends_on = {}) {
  ReplicatedJob job;
  job.name = std::move(name);
  job.replicas = replicas;
  job.parallelism = job.completions = pods;
  job.depends_on = std::move(depends_on);
  return job;
}

JobSet set_of(std::vector<ReplicatedJob> jobs) {
  JobSet set;
  set.meta = testing::default_meta("tune");
  set.jobs = std::move(jobs);
  return set;
}

BatchJob job_object(const std::string& name, std::int32_t pods, std::int32_t done) {
  BatchJob job;
  job.meta = testing::default_meta(name);
  job.parallelism = job.completions = pods;
  job.completion_mode = "Indexed";
  job.succeeded = done;
  return job;
}

struct Row {
  std::string name;
  JobSet set;
  std::vector<Pod> pods;
  Gangs want;
};

JobSet train_job() {
  return set_of({kind("data", 1, 1), kind("model", 1, 1, {{"data", "Complete"}}),
                 kind("node", 1, 2, {{"data", "Complete"}, {"model", "Complete"}})});
}

JobSet exclusive(JobSet set) {
  set.meta.annotations = {{job_set_exclusive_annotation, "rack"}};
  return set;
}

std::vector<Row> rows() {
  auto in_order = set_of({kind("fetch", 1, 1), kind("node", 1, 2)});
  in_order.in_order = true;
  auto status = set_of({kind("short", 1, 1), kind("long", 1, 2)});
  status.statuses = {{.name = "short", .succeeded = 1, .failed = 0}};
  return {
      Row{"all kinds at once are one gang",
          set_of({kind("driver", 1, 1), kind("worker", 2, 2)}),
          {job_set_pod("tune", "driver", 0, 0), job_set_pod("tune", "worker", 0, 0)},
          {"uid-tune: driver 1/1, worker 1/4"}},
      Row{"dependsOn: what comes later is not waited for",
          train_job(),
          {job_set_pod("tune", "data", 0, 0)},
          {"uid-tune/data: data 1/1"}},
      Row{"dependsOn: a later stage is a gang of its own",
          train_job(),
          {succeeded(job_set_pod("tune", "data", 0, 0)),
           succeeded(job_set_pod("tune", "model", 0, 0)), job_set_pod("tune", "node", 0, 0)},
          {"uid-tune/node: node 1/2"}},
      Row{"dependsOn Ready: both run",
          set_of({kind("server", 1, 1), kind("client", 2, 1, {{"server", "Ready"}})}),
          {job_set_pod("tune", "server", 0, 0), job_set_pod("tune", "client", 0, 0),
           job_set_pod("tune", "client", 1, 0)},
          {"uid-tune/client: client 2/2", "uid-tune/server: server 1/1"}},
      Row{"kinds that wait for the same start together",
          set_of({kind("fetch", 1, 1), kind("a", 1, 1, {{"fetch", "Complete"}}),
                  kind("b", 1, 1, {{"fetch", "Complete"}})}),
          {job_set_pod("tune", "a", 0, 0)},
          {"uid-tune/a: a 1/1, b 0/1"}},
      Row{"in order: each kind by itself",
          in_order,
          {job_set_pod("tune", "fetch", 0, 0)},
          {"uid-tune/fetch: fetch 1/1"}},
      Row{"a pod that succeeded is not missing",
          set_of({kind("short", 1, 1), kind("long", 1, 2)}),
          {succeeded(job_set_pod("tune", "short", 0, 0)), job_set_pod("tune", "long", 0, 1),
           succeeded(job_set_pod("tune", "long", 0, 0))},
          {"uid-tune: short 1/0, long 2/1"}},
      Row{"Jobs that have finished, though their pods are gone",
          status,
          {job_set_pod("tune", "long", 0, 0), job_set_pod("tune", "long", 0, 1)},
          {"uid-tune: short 0/0, long 2/2"}},
      Row{"exclusive topology: the leaders first",
          exclusive(set_of({kind("w", 2, 3)})),
          {job_set_pod("tune", "w", 0, 0), job_set_pod("tune", "w", 1, 0)},
          {"uid-tune: w 2/2"}},
      Row{"exclusive topology: followers of one leader start together",
          exclusive(set_of({kind("w", 2, 3)})),
          {job_set_pod("tune", "w", 0, 0), job_set_pod("tune", "w", 1, 0),
           job_set_pod("tune", "w", 1, 1)},
          {"uid-tune: w 2/2", "uid-tune/w/1: w 1/2"}},
      Row{"a kind that the set does not have starts as it is there",
          train_job(),
          {job_set_pod("tune", "other", 0, 0)},
          {"uid-tune/other: other 1/0"}},
  };
}

TEST_CASE("the gangs of a JobSet are what its controller creates together") {
  const auto row = GENERATE(from_range(rows()));
  DYNAMIC_SECTION(row.name) {
    Shelf shelf;
    shelf.observe(row.set);
    put_all(shelf, row.pods);
    CHECK(gangs_of(shelf) == row.want);
  }
}

TEST_CASE("a Job's own status says what of it is left") {
  Shelf shelf;
  shelf.observe(set_of({kind("w", 2, 3)}));
  put_all(shelf, {job_set_pod("tune", "w", 0, 2)});
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: w 1/6"});
  shelf.observe(job_object("tune-w-0", 3, 2));
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: w 1/4"});
  auto over = job_object("tune-w-1", 3, 0);
  over.conditions = {
      {.type = "Complete", .status = "True", .reason = "", .message = "", .last_transition = {}}};
  shelf.observe(over);
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: w 1/1"});
}

TEST_CASE("indexes that failed for good are not waited for") {
  Shelf shelf;
  shelf.observe(set_of({kind("w", 1, 4)}));
  put_all(shelf, {job_set_pod("tune", "w", 0, 3)});
  auto job = job_object("tune-w-0", 4, 1);
  job.failed_indexes = "0-1";
  shelf.observe(job);
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: w 1/1"});
}

TEST_CASE("KAI's minimums of a JobSet: kinds of the set, pods of a Job") {
  auto set = set_of({kind("a", 1, 4), kind("b", 2, 1)});
  set.meta.annotations = {{"kai.scheduler/batch-min-member", "1"}};
  set.jobs[0].annotations = {{"kai.scheduler/batch-min-member", "3"},
                             {"kai.scheduler/topology", "fabric"},
                             {"kai.scheduler/topology-required-placement", "rack"}};
  Shelf shelf;
  shelf.observe(set);
  put_all(shelf, {job_set_pod("tune", "a", 0, 0), job_set_pod("tune", "b", 1, 0)});
  CHECK(gangs_of(shelf) ==
        Gangs{"uid-tune: a(a-replica-0 1/3 of 1), b(b-replica-0 0/1, b-replica-1 1/1 of 2) of 1"});
  const auto gang = shelf.book.jobs(start)[0]->gang;
  CHECK(gang.sub_groups[0].pod_sets[0].topology ==
        policy::TopologyConstraint{"fabric", "rack", ""});
  set.meta.annotations = {{"kai.scheduler/batch-min-member", "many"}};
  shelf.observe(set);
  CHECK(unformed_in(shelf) ==
        "annotation kai.scheduler/batch-min-member of JobSet default/tune: \"many\" is not a "
        "number of pods (1 or more)");
}

/// A TrainJob's pods in one PodGroup for all of its stages, as Kubeflow's trainer makes it.
TEST_CASE("a PodGroup over several stages counts only those that are there") {
  CoschedulingGroup group;
  group.meta = testing::default_meta("tune");
  group.min_member = 4;
  Shelf shelf;
  shelf.observe(train_job());
  shelf.observe(group);
  const auto pod = [](const std::string& kind, int completion) {
    auto made = job_set_pod("tune", kind, 0, completion);
    made.meta.labels["scheduling.x-k8s.io/pod-group"] = "tune";
    return made;
  };
  put_all(shelf, {pod("data", 0)});
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: default 1/1"});
  put_all(shelf, {succeeded(pod("data", 0)), succeeded(pod("model", 0)), pod("node", 0)});
  CHECK(gangs_of(shelf) == Gangs{"uid-tune: default 3/2"});
}

TEST_CASE("a restarted JobSet needs all its pods again") {
  Shelf shelf;
  CoschedulingGroup group;
  group.meta = testing::default_meta("g");
  group.min_member = 3;
  shelf.observe(group);
  const auto pod = [](int completion, const std::string& attempt) {
    auto made = job_set_pod("tune", "w", 0, completion, "-" + attempt);
    made.meta.labels["scheduling.x-k8s.io/pod-group"] = "g";
    made.meta.labels["jobset.sigs.k8s.io/restart-attempt"] = attempt;
    return made;
  };
  put_all(shelf, {succeeded(pod(0, "0")), pod(0, "1"), pod(1, "1")});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: default 3/3"});
}

}  // namespace
}  // namespace dray::engine::job_set_form_test
