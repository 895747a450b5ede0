#include "engine/books/workload_book.h"

#include <catch2/catch.hpp>

#include "tests/objects/meta.h"
#include "tests/unit/engine/fixture.h"

namespace dray::engine::workload_book_test {
namespace {

using Says = Workload::Says;

BatchJob indexed(std::int32_t pods) {
  BatchJob job;
  job.meta = testing::default_meta("w");
  job.parallelism = job.completions = pods;
  job.completion_mode = "Indexed";
  return job;
}

template <class T>
T named() {
  T object;
  object.meta = testing::default_meta("w");
  return object;
}

template <class Change>
BatchJob changed(BatchJob job, Change change) {
  change(job);
  return job;
}

Workload seen(const KubeObject& object, GroupSource source, const std::string& part = {}) {
  WorkloadBook book;
  CHECK(book.observe(object));
  CHECK_FALSE(book.observe(object));
  const auto* found = book.find({source, "default", "w", part});
  REQUIRE(found != nullptr);
  CHECK(found->uid == Uid("uid-w"));
  return *found;
}

TEST_CASE("a Job is a gang if it says so, may be one if all its pods run at once, else is none") {
  struct Row {
    std::string name;
    BatchJob job;
    Says says;
    std::int32_t minimum;
  };
  const auto row = GENERATE(
      Row{"all at once", indexed(4), Says::nothing, 4}, Row{"one pod", indexed(1), Says::single, 1},
      Row{"workers of a queue", changed(indexed(4), [](auto& job) { job.completion_mode = ""; }),
          Says::single, 4},
      Row{"more than run at once", changed(indexed(4), [](auto& job) { job.completions = 9; }),
          Says::single, 4},
      Row{"no completions", changed(indexed(4), [](auto& job) { job.completions.reset(); }),
          Says::single, 4},
      Row{"basic by its own word", changed(indexed(4), [](auto& job) { job.basic = true; }),
          Says::single, 4},
      Row{"a gang by its own word", changed(indexed(4), [](auto& job) { job.gang = true; }),
          Says::gang, 4},
      Row{"with a minimum",
          changed(indexed(4),
                  [](auto& job) {
                    job.gang = true;
                    job.min_count = 3;
                  }),
          Says::gang, 3},
      Row{"some have succeeded, and do not come again",
          changed(indexed(4), [](auto& job) { job.succeeded = 3; }), Says::nothing, 1},
      Row{"all have", changed(indexed(4), [](auto& job) { job.succeeded = 4; }), Says::nothing, 1});
  DYNAMIC_SECTION(row.name) {
    const auto workload = seen(row.job, GroupSource::batch_job);
    CHECK(workload.says == row.says);
    CHECK(workload.minimum == row.minimum);
  }
}

TEST_CASE("completions of a Job count as news only where fewer pods are left") {
  WorkloadBook book;
  auto job = indexed(4);
  job.completions = 100;
  CHECK(book.observe(job));
  job.succeeded = 50;
  CHECK_FALSE(book.observe(job));
  job.succeeded = 98;
  CHECK(book.observe(job));
  CHECK(book.find({GroupSource::batch_job, "default", "w", ""})->job->pods_left() == 2);
}

TEST_CASE("a Job's pods agree in the label that it names") {
  auto job = indexed(2);
  job.topology = {"rack"};
  CHECK(seen(job, GroupSource::batch_job).topology ==
        policy::TopologyConstraint{"rack", "rack", ""});
}

TEST_CASE("a replica of a LeaderWorkerSet waits together, or its workers after their leader") {
  auto set = named<LeaderWorkerSet>();
  set.size = 4;
  CHECK(seen(set, GroupSource::leader_worker_set).minimum == 4);
  CHECK(seen(set, GroupSource::leader_worker_set).says == Says::nothing);
  auto late = set;
  late.startup_policy = "LeaderReady";
  CHECK(seen(late, GroupSource::leader_worker_set).leader_first);
  auto exclusive = set;
  exclusive.meta.annotations = {{"leaderworkerset.sigs.k8s.io/exclusive-topology", "rack"}};
  CHECK(seen(exclusive, GroupSource::leader_worker_set).leader_first);
  CHECK_FALSE(seen(set, GroupSource::leader_worker_set).leader_first);
  set.size.reset();
  CHECK(seen(set, GroupSource::leader_worker_set).says == Says::single);
}

TEST_CASE("a RayCluster is its head and the workers that it has at least") {
  auto cluster = named<RayCluster>();
  cluster.workers = {
      {.name = "gpu", .replicas = 3, .min_replicas = 1, .hosts = 2, .suspend = false},
      {.name = "off", .replicas = 2, .min_replicas = 2, .hosts = {}, .suspend = true},
      {.name = "least", .replicas = {}, .min_replicas = 2, .hosts = {}, .suspend = false}};
  using Parts = std::vector<std::pair<std::string, std::int32_t>>;
  CHECK(seen(cluster, GroupSource::ray_cluster).parts ==
        Parts{{"headgroup", 1}, {"gpu", 6}, {"off", 0}, {"least", 2}});
  cluster.autoscaling = true;
  CHECK(seen(cluster, GroupSource::ray_cluster).parts ==
        Parts{{"headgroup", 1}, {"gpu", 2}, {"off", 0}, {"least", 2}});
  CHECK(seen(cluster, GroupSource::ray_cluster).says == Says::nothing);
  cluster.workers.clear();
  CHECK(seen(cluster, GroupSource::ray_cluster).says == Says::single);
}

TEST_CASE("a training job is all its replicas, or as many as it says are enough") {
  auto job = named<PyTorchJob>();
  job.replicas = {{"Master", {}}, {"Worker", {3}}};
  using Parts = std::vector<std::pair<std::string, std::int32_t>>;
  CHECK(seen(job, GroupSource::training_job, "PyTorchJob").parts ==
        Parts{{"master", 1}, {"worker", 3}});
  auto elastic = job;
  elastic.elastic_min = 2;
  CHECK(seen(elastic, GroupSource::training_job, "PyTorchJob").parts ==
        Parts{{"master", 1}, {"worker", 2}});
  job.min_available = 2;
  CHECK(seen(job, GroupSource::training_job, "PyTorchJob").parts.empty());
  CHECK(seen(job, GroupSource::training_job, "PyTorchJob").minimum == 2);
}

TEST_CASE("a launcher that waits for its workers is not waited for") {
  auto job = named<MpiJob>();
  job.replicas = {{"Launcher", {1}}, {"Worker", {2}}};
  job.launcher_creation = "WaitForWorkersReady";
  using Parts = std::vector<std::pair<std::string, std::int32_t>>;
  CHECK(seen(job, GroupSource::training_job, "MPIJob").parts ==
        Parts{{"launcher", 0}, {"worker", 2}});
}

TEST_CASE("kinds of one name are not taken for each other, and what is gone is gone") {
  WorkloadBook book;
  CHECK(book.observe(indexed(2)));
  auto job = named<PyTorchJob>();
  job.replicas = {{"Worker", {2}}};
  CHECK(book.observe(job));
  CHECK(book.find({GroupSource::training_job, "default", "w", "TFJob"}) == nullptr);
  CHECK(book.find({GroupSource::training_job, "default", "w", "PyTorchJob"}) != nullptr);
  CHECK(book.forget(Kind::batch_job, "default", "w"));
  CHECK_FALSE(book.forget(Kind::batch_job, "default", "w"));
  CHECK(book.find({GroupSource::batch_job, "default", "w", ""}) == nullptr);
  CHECK_FALSE(book.observe(make_pod("p", "")));
}

TEST_CASE("the kind of pod within its workload") {
  auto pod = make_pod("p", "");
  pod.meta.labels = {{"ray.io/group", "gpu"}, {"training.kubeflow.org/replica-type", "Worker"}};
  CHECK(WorkloadBook::part_of({GroupSource::ray_cluster, "default", "w", ""}, pod) == "gpu");
  CHECK(WorkloadBook::part_of({GroupSource::training_job, "default", "w", ""}, pod) == "worker");
  CHECK(WorkloadBook::part_of({GroupSource::batch_job, "default", "w", ""}, pod).empty());
  pod.meta.labels = {{"training.kubeflow.org/job-role", "launcher"}};
  CHECK(WorkloadBook::part_of({GroupSource::training_job, "default", "w", ""}, pod) == "launcher");
}

}  // namespace
}  // namespace dray::engine::workload_book_test
