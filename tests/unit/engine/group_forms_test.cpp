#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "dray/model/workload_size.h"
#include "engine/books/group_book.h"
#include "tests/unit/engine/gangs_on_shelf.h"

// Gangs that follow from the owners of pods: how many start together, and in which steps.

namespace dray::engine::group_forms_test {
namespace {

using Gangs = std::vector<std::string>;

Pod lws_pod(int group, int worker, int size, const std::string& subgroup = "") {
  auto pod = make_pod(fmt::format("lws-{}-{}", group, worker), "");
  pod.meta.labels = {{"leaderworkerset.sigs.k8s.io/name", "lws"},
                     {"leaderworkerset.sigs.k8s.io/group-index", std::to_string(group)},
                     {"leaderworkerset.sigs.k8s.io/worker-index", std::to_string(worker)}};
  if (!subgroup.empty()) {
    pod.meta.labels["leaderworkerset.sigs.k8s.io/subgroup-index"] = subgroup;
  }
  pod.meta.annotations = {{"leaderworkerset.sigs.k8s.io/size", std::to_string(size)}};
  pod.meta.owners = {{"apps/v1", "StatefulSet", "lws", Uid("uid-sts"), true}};
  return pod;
}

LeaderWorkerSet lws(std::int32_t size) {
  LeaderWorkerSet set;
  set.meta = testing::default_meta("lws");
  set.size = size;
  return set;
}

TEST_CASE("a replica of a LeaderWorkerSet in the steps of its controller") {
  struct Row {
    std::string name;
    LeaderWorkerSet set;
    std::vector<Pod> pods;
    Gangs want;
  };
  auto ready = lws(3);
  ready.startup_policy = "LeaderReady";
  auto exclusive = lws(3);
  exclusive.meta.annotations = {{leader_worker_exclusive_annotation, "rack"}};
  auto subgroups = lws(5);
  subgroups.subgroup_size = 2;
  subgroups.meta.annotations = {
      {"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology", "rack"}};
  auto without_leader = subgroups;
  without_leader.subgroup_type = "LeaderExcluded";
  const auto row = GENERATE_COPY(
      Row{"leader and workers",
          lws(3),
          {lws_pod(0, 0, 3), lws_pod(0, 1, 3)},
          {"uid-lws/0: default 2/3"}},
      Row{"LeaderReady: the leader alone", ready, {lws_pod(0, 0, 3)}, {"uid-lws-0-0: default 1/1"}},
      Row{"LeaderReady: then its workers",
          ready,
          {lws_pod(0, 0, 3), lws_pod(0, 1, 3)},
          {"uid-lws-0-0: default 1/1", "uid-lws/0/workers: default 1/2"}},
      Row{"exclusive topology",
          exclusive,
          {lws_pod(1, 0, 3), lws_pod(1, 1, 3), lws_pod(1, 2, 3)},
          {"uid-lws-1-0: default 1/1", "uid-lws/1/workers: default 2/2"}},
      Row{"a replica of another revision has another size",
          lws(5),
          {lws_pod(0, 0, 2)},
          {"uid-lws/0: default 1/2"}},
      Row{"subgroups with the leader in the first",
          subgroups,
          {lws_pod(0, 0, 5, "0"), lws_pod(0, 1, 5, "0"), lws_pod(0, 3, 5, "1")},
          {"uid-lws/0: subgroup-0 2/3, subgroup-1 1/2"}},
      Row{"subgroups without the leader",
          without_leader,
          {lws_pod(0, 0, 5), lws_pod(0, 1, 5, "0"), lws_pod(0, 3, 5, "1")},
          {"uid-lws/0: default 1/1, subgroup-0 1/2, subgroup-1 1/2"}});
  DYNAMIC_SECTION(row.name) {
    Shelf shelf;
    shelf.observe(row.set);
    put_all(shelf, row.pods);
    CHECK(gangs_of(shelf) == row.want);
  }
}

TEST_CASE("each subgroup agrees in the label that the set names, which is a topology") {
  auto set = lws(4);
  set.subgroup_size = 2;
  set.meta.annotations = {{"leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology", "rack"}};
  GroupBook book;
  CHECK(book.observe(set));
  CHECK(book.topology_keys() == std::set<std::string>{"rack"});
  const auto pod = lws_pod(0, 2, 4, "1");
  const auto form = book.form_of(book.key_of(pod), pod);
  REQUIRE(form);
  REQUIRE(form->root.pod_sets.size() == 2);
  CHECK(form->root.pod_sets[1].topology == policy::TopologyConstraint{"rack", "rack", ""});
  CHECK(book.forget(Kind::leader_worker_set, "default", "lws"));
  CHECK(book.topology_keys().empty());
}

Pod of_job(const std::string& name) {
  auto pod = make_pod(name, "");
  pod.meta.owners = {{"batch/v1", "Job", "train", Uid("uid-train"), true}};
  return pod;
}

BatchJob job_with(Labels annotations) {
  BatchJob job;
  job.meta = testing::default_meta("train");
  job.meta.annotations = std::move(annotations);
  job.parallelism = job.completions = 4;
  return job;
}

TEST_CASE("KAI's annotations of a Job make a gang of its pods") {
  Shelf shelf;
  shelf.observe(job_with({{"kai.scheduler/batch-min-member", "2"}}));
  put_all(shelf, {of_job("a"), of_job("b"), of_job("c")});
  CHECK(gangs_of(shelf) == Gangs{"uid-train: default 3/2"});

  auto progressed = job_with({{"kai.scheduler/batch-min-member", "2"}});
  progressed.succeeded = 3;
  shelf.observe(progressed);
  CHECK(gangs_of(shelf) == Gangs{"uid-train: default 3/1"});

  shelf.observe(job_with({{"kai.scheduler/batch-min-member", "0"}}));
  CHECK(gangs_of(shelf).empty());
  CHECK(unformed_in(shelf) ==
        "annotation kai.scheduler/batch-min-member of Job default/train: \"0\" is not a number of "
        "pods (1 or more)");
  shelf.observe(job_with({}));
  CHECK(gangs_of(shelf).size() == 3);
}

TEST_CASE("a topology in KAI's annotations holds for all pods of the owner, or for the pod") {
  Shelf shelf;
  const Labels rack{{"kai.scheduler/topology", "fabric"},
                    {"kai.scheduler/topology-required-placement", "zone"},
                    {"kai.scheduler/topology-preferred-placement", "rack"}};
  const policy::TopologyConstraint want{"fabric", "zone", "rack"};
  shelf.observe(job_with(rack));
  put_all(shelf, {of_job("a"), of_job("b")});
  CHECK(gangs_of(shelf) == Gangs{"uid-train: default 2/1"});
  CHECK(shelf.book.jobs(start)[0]->gang.topology == want);

  Shelf alone;
  auto pod = make_pod("p", "");
  pod.meta.annotations = rack;
  put_all(alone, {pod});
  CHECK(alone.book.jobs(start)[0]->gang.topology == want);
}

TEST_CASE("a RayCluster's gang is what KubeRay creates") {
  RayCluster cluster;
  cluster.meta = testing::default_meta("ray");
  cluster.workers = {{.name = "gpu",
                      .replicas = 9,
                      .min_replicas = 1,
                      .max_replicas = 2,
                      .hosts = {},
                      .suspend = false}};
  Shelf shelf;
  shelf.observe(cluster);
  for (const auto* name : {"head", "w0", "w1"}) {
    auto pod = make_pod(name, "");
    pod.meta.owners = {{"ray.io/v1", "RayCluster", "ray", Uid("uid-ray"), true}};
    pod.meta.labels = {{"ray.io/cluster", "ray"},
                       {"ray.io/group", std::string_view(name) == "head" ? "headgroup" : "gpu"}};
    put_all(shelf, {pod});
  }
  CHECK(gangs_of(shelf) == Gangs{"uid-ray: headgroup 1/1, gpu 2/2"});
}

/// The MPI operator counts the launcher in the PodGroup that it makes, whenever it creates it.
TEST_CASE("a PodGroup does not wait for a launcher that comes after its workers") {
  MpiJob job;
  job.meta = testing::default_meta("mpi");
  job.replicas = {{"Launcher", {1}}, {"Worker", {2}}};
  job.launcher_creation = "WaitForWorkersReady";
  VolcanoGroup group;
  group.meta = testing::default_meta("mpi");
  group.min_member = 3;
  Shelf shelf;
  shelf.observe(job);
  shelf.observe(group);
  const auto pod = [](const std::string& name, const std::string& type) {
    auto made = make_pod(name, "");
    made.meta.labels = {{"training.kubeflow.org/job-name", "mpi"},
                        {"training.kubeflow.org/replica-type", type}};
    made.meta.annotations = {{"scheduling.k8s.io/group-name", "mpi"}};
    made.meta.owners = {{"kubeflow.org/v2beta1", "MPIJob", "mpi", Uid("uid-mpi"), true}};
    return made;
  };
  put_all(shelf, {pod("w0", "worker"), pod("w1", "worker")});
  CHECK(gangs_of(shelf) == Gangs{"uid-mpi: default 2/2"});
  put_all(shelf, {pod("l", "launcher")});
  CHECK(gangs_of(shelf) == Gangs{"uid-mpi: default 3/3"});
}

TEST_CASE("a PodGroup does not wait for workers that come after their leader") {
  auto set = lws(3);
  set.meta.annotations = {{leader_worker_exclusive_annotation, "rack"}};
  VolcanoGroup group;
  group.meta = testing::default_meta("g");
  group.min_member = 3;
  Shelf shelf;
  shelf.observe(set);
  shelf.observe(group);
  const auto pod = [](int worker) {
    auto made = lws_pod(0, worker, 3);
    made.meta.annotations["scheduling.k8s.io/group-name"] = "g";
    return made;
  };
  put_all(shelf, {pod(0)});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: default 1/1"});
  put_all(shelf, {pod(1)});
  CHECK(gangs_of(shelf) == Gangs{"uid-g: default 2/3"});
}

}  // namespace
}  // namespace dray::engine::group_forms_test
