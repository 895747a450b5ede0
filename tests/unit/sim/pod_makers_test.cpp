#include "sim/pod_makers.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/objects/pods.h"

namespace dray::sim::pod_makers_test {
namespace {

using namespace dray::testing;
using Form = PodOwnerForm;

PodSet pods(std::string name = "", std::optional<std::int32_t> replicas = {}) {
  PodSet set;
  set.name = std::move(name);
  set.replicas = replicas;
  set.pod = make_pod("");
  set.pod->meta.labels = {{"app", "a"}};
  return set;
}

PodSet job(std::int32_t parallelism, std::optional<std::int32_t> completions = {},
           std::string mode = "") {
  auto set = pods();
  set.parallelism = parallelism;
  set.completions = completions;
  set.completion_mode = std::move(mode);
  return set;
}

PodSet with(PodSet set, std::optional<std::int32_t> size, std::optional<std::int32_t> least = {}) {
  set.size = size;
  set.least = least;
  return set;
}

PodOwner owner(Form form, std::string kind, std::vector<PodSet> templates,
               std::string api_version = "v1") {
  PodOwner made;
  made.form = form;
  made.kind = std::move(kind);
  made.api_version = std::move(api_version);
  made.meta.namespace_name = "a";
  made.meta.name = "x";
  made.templates = std::move(templates);
  return made;
}

/// `Job x: x-0-bbbbb`: each pod behind the controller that it names.
std::vector<std::string> names(const PodOwner& owner, bool later = false) {
  std::vector<std::string> said;
  for (const auto& object : make_pods(owner, later)) {
    const auto& meta = meta_of(object);
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr) {
      said.push_back(describe(object));
    } else {
      said.push_back(meta.owners.at(0).kind + " " + meta.owners[0].name + ": " + meta.name);
      CHECK(meta.owners[0].controller);
      CHECK(meta.labels.at("app") == "a");
    }
  }
  return said;
}

const Pod& pod_at(const std::vector<KubeObject>& made, std::size_t place) {
  return std::get<Pod>(made.at(place));
}

struct Row {
  std::string name;
  PodOwner owner;
  std::vector<std::string> want;
};

std::vector<Row> rows() {
  auto suspended = pods("off", 3);
  suspended.suspended = true;
  return {
      Row{"a Job has one pod", owner(Form::job, "Job", {pods()}), {"Job x: x-bbbbb"}},
      Row{"not more at a time than are to complete",
          owner(Form::job, "Job", {job(4, 2)}),
          {"Job x: x-bbbbb", "Job x: x-bbbbc"}},
      Row{"an Indexed Job",
          owner(Form::job, "Job", {job(2, 2, "Indexed")}),
          {"Job x: x-0-bbbbb", "Job x: x-1-bbbbc"}},
      Row{"one run of a CronJob",
          owner(Form::cron_job, "CronJob", {pods()}),
          {"Job a/x-fbbbb", "Job x-fbbbb: x-fbbbb-bbbbb"}},
      Row{"a Deployment's are its ReplicaSet's",
          owner(Form::replicas, "Deployment", {pods("", 2)}),
          {"ReplicaSet x-dbbbb: x-dbbbb-cbbbb", "ReplicaSet x-dbbbb: x-dbbbb-cbbbc"}},
      Row{"a ReplicaSet", owner(Form::replicas, "ReplicaSet", {pods()}), {"ReplicaSet x: x-cbbbb"}},
      Row{"a StatefulSet counts",
          owner(Form::replicas, "StatefulSet", {pods("", 2)}),
          {"StatefulSet x: x-0", "StatefulSet x: x-1"}},
      Row{"a JobSet's are its Jobs'",
          owner(Form::job_set, "JobSet", {pods("driver"), pods("worker", 2)}),
          {"Job x-driver-0: x-driver-0-bbbbb", "Job x-worker-0: x-worker-0-bbbbc",
           "Job x-worker-1: x-worker-1-bbbbd"}},
      Row{"a leader's workers are in a StatefulSet of its own",
          owner(Form::leader_worker_set, "LeaderWorkerSet", {{}, with(pods("", 2), 2)}),
          {"StatefulSet x: x-0", "StatefulSet x-0: x-0-1", "StatefulSet x: x-1",
           "StatefulSet x-1: x-1-1"}},
      Row{"a RayCluster has a head, and its workers' hosts",
          owner(Form::ray_cluster, "RayCluster",
                {pods(), with(pods("gpu", 1), 2), with(pods("least"), {}, 1), suspended}),
          {"RayCluster x: x-head", "RayCluster x: x-gpu-worker-gbbbb",
           "RayCluster x: x-gpu-worker-gbbbc", "RayCluster x: x-least-worker-gbbbd"}},
      Row{"a RayJob has a RayCluster",
          owner(Form::ray_user, "RayJob", {pods(), pods("gpu", 1)}),
          {"RayCluster a/x-gbbbb", "RayCluster x-gbbbb: x-gbbbb-head",
           "RayCluster x-gbbbb: x-gbbbb-gpu-worker-gbbbb"}},
      Row{"a training job",
          owner(Form::training, "PyTorchJob", {pods("Master"), pods("Worker", 2)}),
          {"PyTorchJob x: x-master-0", "PyTorchJob x: x-worker-0", "PyTorchJob x: x-worker-1"}},
      Row{"the MPI operator's launcher is of a Job",
          owner(Form::training, "MPIJob", {pods("Launcher"), pods("Worker")},
                "kubeflow.org/v2beta1"),
          {"Job x-launcher: x-launcher-bbbbb", "MPIJob x: x-worker-0"}},
      Row{"the training operator's is a pod",
          owner(Form::training, "MPIJob", {pods("Launcher")}, "kubeflow.org/v1"),
          {"MPIJob x: x-launcher"}},
      Row{"no template, no pods", owner(Form::job, "Job", {{}}), {}}};
}

}  // namespace

TEST_CASE("pods have the names and owners that the controller of their object gives") {
  const auto row = GENERATE(from_range(rows()));
  DYNAMIC_SECTION(row.name) {
    CHECK(names(row.owner) == row.want);
    const auto pods = std::ranges::count_if(
        make_pods(row.owner, false), [](const auto& made) { return kind_of(made) == Kind::pod; });
    CHECK(count_pods(row.owner, false) == pods);
  }
}

TEST_CASE("pods bear the marks by which their jobs are known") {
  const auto index = "batch.kubernetes.io/job-completion-index";
  const auto of_job = make_pods(owner(Form::job, "Job", {job(2, 2, "Indexed")}), false);
  CHECK(pod_at(of_job, 1).meta.labels.at(index) == "1");
  CHECK(pod_at(of_job, 1).meta.annotations.at(index) == "1");
  CHECK(pod_at(of_job, 1).meta.labels.at("batch.kubernetes.io/job-name") == "x");
  CHECK(pod_at(of_job, 0).meta.owners[0].uid == pod_at(of_job, 1).meta.owners[0].uid);

  const auto of_set = make_pods(owner(Form::job_set, "JobSet", {pods("w", 2)}), false);
  CHECK(pod_at(of_set, 1).meta.labels.at("jobset.sigs.k8s.io/jobset-name") == "x");
  CHECK(pod_at(of_set, 1).meta.labels.at("jobset.sigs.k8s.io/replicatedjob-name") == "w");

  const auto group = make_pods(
      owner(Form::leader_worker_set, "LeaderWorkerSet", {{}, with(pods("", 2), 2)}), false);
  CHECK(pod_at(group, 3).meta.labels.at("leaderworkerset.sigs.k8s.io/name") == "x");
  CHECK(pod_at(group, 3).meta.labels.at("leaderworkerset.sigs.k8s.io/group-index") == "1");
  CHECK(pod_at(group, 3).meta.labels.at("leaderworkerset.sigs.k8s.io/worker-index") == "1");

  const auto ray = make_pods(owner(Form::ray_user, "RayJob", {pods(), pods("gpu", 2)}), false);
  CHECK(std::get<RayCluster>(ray[0]).workers.at(0).replicas == 2);
  CHECK(pod_at(ray, 1).meta.labels.at("ray.io/group") == "headgroup");
  CHECK(pod_at(ray, 2).meta.labels.at("ray.io/group") == "gpu");

  const auto training =
      make_pods(owner(Form::training, "TFJob", {pods("Chief"), pods("PS")}), false);
  CHECK(pod_at(training, 0).meta.labels.at("training.kubeflow.org/job-role") == "master");
  CHECK(pod_at(training, 1).meta.labels.at("training.kubeflow.org/replica-type") == "ps");
  CHECK_FALSE(pod_at(training, 1).meta.labels.contains("training.kubeflow.org/job-role"));
}

TEST_CASE("pods that a Job makes as others end say how many of it are there at a time") {
  const auto of_five = owner(Form::job, "Job", {job(2, 5)});
  CHECK(names(of_five).size() == 2);
  CHECK(make_pods(of_five, true).size() == 5);
  CHECK(count_pods(of_five, true) == 5);
  CHECK(pod_at(make_pods(of_five, true), 4).meta.annotations.at(at_once_annotation) == "2");
  CHECK(pod_at(make_pods(of_five, false), 0).meta.annotations.empty());
  CHECK(make_pods(owner(Form::job, "Job", {job(0, 5)}), true).empty());
}

TEST_CASE("a RayCluster's workers are clamped as KubeRay does") {
  auto group = with(pods("gpu", 9), 2, 1);
  group.most = 3;
  CHECK(count_pods(owner(Form::ray_cluster, "RayCluster", {pods(), group}), false) == 7);
  const auto made = make_pods(owner(Form::ray_user, "RayJob", {pods(), group}), false);
  CHECK(made.size() == 8);
  CHECK(std::get<RayCluster>(made[0]).workers.at(0).max_replicas == 3);
}

TEST_CASE("a generated name has room for its letters") {
  auto long_name = owner(Form::job, "Job", {pods()});
  long_name.meta.name = std::string(63, 'n');
  CHECK(pod_at(make_pods(long_name, false), 0).meta.name == std::string(58, 'n') + "bbbbb");
}

}  // namespace dray::sim::pod_makers_test
