#include "engine/books/pod_mentions.h"

#include <catch2/catch.hpp>

#include "tests/unit/engine/fixture.h"

namespace dray::engine::pod_mentions_test {
namespace {

Pod owned(const std::string& api_version, const std::string& kind, Labels labels,
          Labels annotations = {}) {
  auto pod = make_pod("p", "");
  pod.meta.owners = {{api_version, kind, "owner", Uid("uid-owner"), true}};
  pod.meta.labels = std::move(labels);
  pod.meta.annotations = std::move(annotations);
  return pod;
}

std::string words(const Pod& pod) {
  std::string all;
  for (const auto& mention : mentions_of(pod)) {
    if (!all.empty()) all += ", ";
    all += std::to_string(static_cast<int>(mention.source)) + " " + mention.name;
    if (!mention.part.empty()) all += "/" + mention.part;
  }
  return all;
}

std::string word(GroupSource source, const std::string& name) {
  return std::to_string(static_cast<int>(source)) + " " + name;
}

/// What a Workload may say of a controller's pods.
std::string workload(const std::string& kind) {
  return word(GroupSource::workload, "owner/" + kind);
}

TEST_CASE("what follows from a pod's owner") {
  const Labels training{{"training.kubeflow.org/job-name", "t"}};
  const Labels launcher{{"training.kubeflow.org/job-name", "t"},
                        {"training.kubeflow.org/job-role", "launcher"}};
  struct Row {
    std::string name;
    Pod pod;
    std::string want;
  };
  const auto row = GENERATE_COPY(
      Row{"a Job", owned("batch/v1", "Job", {}),
          workload("Job.batch") + ", " + word(GroupSource::batch_job, "owner")},
      Row{"another project's Job", owned("batch.volcano.sh/v1", "Job", {}),
          workload("Job.batch.volcano.sh")},
      Row{"a ReplicaSet", owned("apps/v1", "ReplicaSet", {}), workload("ReplicaSet.apps")},
      Row{"a ReplicationController", owned("v1", "ReplicationController", {}),
          workload("ReplicationController")},
      Row{"a LeaderWorkerSet",
          owned("apps/v1", "StatefulSet",
                {{"leaderworkerset.sigs.k8s.io/name", "l"},
                 {"leaderworkerset.sigs.k8s.io/group-index", "2"}}),
          workload("StatefulSet.apps") + ", " + word(GroupSource::leader_worker_set, "l/2")},
      Row{"a RayCluster", owned("ray.io/v1", "RayCluster", {{"ray.io/cluster", "r"}}),
          workload("RayCluster.ray.io") + ", " + word(GroupSource::ray_cluster, "r")},
      Row{"a PyTorchJob", owned("kubeflow.org/v1", "PyTorchJob", training),
          workload("PyTorchJob.kubeflow.org") + ", " +
              word(GroupSource::training_job, "t/PyTorchJob")},
      Row{"an MPIJob's launcher", owned("batch/v1", "Job", launcher),
          workload("Job.batch") + ", " + word(GroupSource::training_job, "t/MPIJob") + ", " +
              word(GroupSource::batch_job, "owner")},
      Row{"a Job with a training job's label", owned("batch/v1", "Job", training),
          workload("Job.batch") + ", " + word(GroupSource::batch_job, "owner")});
  DYNAMIC_SECTION(row.name) {
    CHECK(words(row.pod) == row.want);
  }
}

TEST_CASE("a label without an owner is nobody's word") {
  auto pod = make_pod("p", "");
  pod.meta.labels = {{"ray.io/cluster", "r"}, {"batch.kubernetes.io/job-name", "j"}};
  CHECK(words(pod).empty());
}

TEST_CASE("what is said on purpose comes before what follows from the owner") {
  auto pod = owned("batch/v1", "Job", {{"jobset.sigs.k8s.io/jobset-name", "set"}},
                   {{"kai.scheduler/batch-min-member", "2"}, {"pod-group-name", "kai"}});
  pod.pod_group = "own";
  CHECK(words(pod) == word(GroupSource::pod_group, "own") + ", " + word(GroupSource::kai, "kai") +
                          ", " + word(GroupSource::job_set, "set") + ", " +
                          word(GroupSource::owner, "uid-owner") + ", " + workload("Job.batch") +
                          ", " + word(GroupSource::batch_job, "owner"));
}

}  // namespace
}  // namespace dray::engine::pod_mentions_test
