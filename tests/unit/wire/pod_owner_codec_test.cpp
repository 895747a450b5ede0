#include "wire/object/pod_owner_codec.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "wire/object/manifests.h"

namespace dray::wire::pod_owner_codec_test {
namespace {

const std::string pod = "{metadata: {labels: {app: a}}, spec: {containers: [{name: c}]}}";

std::string object(const std::string& api_version, const std::string& kind,
                   const std::string& spec) {
  return "apiVersion: " + api_version + "\nkind: " + kind + "\nmetadata: {name: x}\nspec: " + spec +
         "\n";
}

/// `worker 2 of 3`: what is read of each template.
std::vector<std::string> templates(const sim::PodOwner& owner) {
  std::vector<std::string> said;
  for (const auto& set : owner.templates) {
    auto text = set.name;
    const auto add = [&](const char* what, const std::optional<std::int32_t>& number) {
      if (number) text += std::string(" ") + what + std::to_string(*number);
    };
    add("", set.replicas);
    add("least ", set.least);
    add("most ", set.most);
    add("of ", set.size);
    add("parallel ", set.parallelism);
    add("complete ", set.completions);
    text += " " + set.completion_mode;
    if (set.suspended) text += " suspended";
    if (!set.pod) text += " no pod";
    said.push_back(text);
  }
  return said;
}

Result<Manifests> load(const std::string& text) {
  return load_manifests(text, "f.yaml", Owners::read);
}

struct Row {
  std::string api_version;
  std::string kind;
  std::string spec;
  std::vector<std::string> want;
};
std::vector<Row> rows() {
  const auto job = "{parallelism: 2, completions: 3, template: " + pod + "}";
  const auto ray = "{headGroupSpec: {template: " + pod +
                   "}, workerGroupSpecs: [{groupName: g, replicas: 2, minReplicas: 1, maxReplicas: "
                   "4, numOfHosts: 3, suspend: true, template: " +
                   pod + "}]}";
  return {
      Row{"batch/v1", "Job", job, {" parallel 2 complete 3 "}},
      Row{"batch/v1", "CronJob", "{jobTemplate: {spec: " + job + "}}", {" parallel 2 complete 3 "}},
      Row{"apps/v1", "Deployment", "{replicas: 2, template: " + pod + "}", {" 2 "}},
      Row{"apps/v1", "ReplicaSet", "{template: " + pod + "}", {" "}},
      Row{"apps/v1", "StatefulSet", "{replicas: 0, template: " + pod + "}", {" 0 "}},
      Row{"jobset.x-k8s.io/v1alpha2",
          "JobSet",
          "{replicatedJobs: [{name: a, replicas: 2, template: {spec: " + job +
              "}}, {name: b, template: {spec: {completionMode: NonIndexed}}}]}",
          {"a 2 parallel 2 complete 3 Indexed", "b NonIndexed no pod"}},
      Row{"leaderworkerset.x-k8s.io/v1",
          "LeaderWorkerSet",
          "{replicas: 2, leaderWorkerTemplate: {size: 4, workerTemplate: " + pod + "}}",
          {"  no pod", " 2 of 4 "}},
      Row{"ray.io/v1", "RayCluster", ray, {" ", "g 2 least 1 most 4 of 3  suspended"}},
      Row{"ray.io/v1",
          "RayJob",
          "{rayClusterSpec: " + ray + "}",
          {" ", "g 2 least 1 most 4 of 3  suspended"}},
      Row{"ray.io/v1",
          "RayService",
          "{rayClusterConfig: " + ray + "}",
          {" ", "g 2 least 1 most 4 of 3  suspended"}},
      Row{"kubeflow.org/v1",
          "PyTorchJob",
          "{pytorchReplicaSpecs: {Master: {template: " + pod +
              "}, Worker: {replicas: 3, template: " + pod + "}}}",
          {"Master ", "Worker 3 "}},
      Row{"kubeflow.org/v2beta1",
          "MPIJob",
          "{mpiReplicaSpecs: {Launcher: {template: " + pod + "}}}",
          {"Launcher "}}};
}

}  // namespace

TEST_CASE("how many pods each kind of object wants, and their templates") {
  const auto row = GENERATE(from_range(rows()));
  DYNAMIC_SECTION(row.kind) {
    const auto text = object(row.api_version, row.kind, row.spec);
    const auto manifests = load(text);
    INFO((manifests ? "" : manifests.error().message));
    REQUIRE(manifests);
    REQUIRE(manifests->owners.size() == 1);
    const auto& owner = manifests->owners[0];
    CHECK(templates(owner) == row.want);
    CHECK(owner.place == "f.yaml:1");
    CHECK(owner.api_version == row.api_version);
    CHECK(owner.meta.namespace_name == "default");
    CHECK_FALSE(owner.suspended);
    CHECK(manifests->unknown.empty());
    // A cluster's objects are as they are.
    CHECK(load_manifests(text, "f.yaml")->owners.empty());
  }
}

TEST_CASE("the order in which pods are created is where each kind has it") {
  struct Row {
    std::string api_version;
    std::string kind;
    std::string spec;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"jobset.x-k8s.io/v1alpha2", "JobSet",
                   "{startupPolicy: {startupPolicyOrder: InOrder}}", "InOrder"},
               Row{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "{startupPolicy: LeaderReady}",
                   "LeaderReady"},
               Row{"apps/v1", "StatefulSet", "{podManagementPolicy: Parallel}", "Parallel"},
               Row{"kubeflow.org/v2beta1", "MPIJob",
                   "{launcherCreationPolicy: WaitForWorkersReady}", "WaitForWorkersReady"});
  DYNAMIC_SECTION(row.kind) {
    const auto manifests = load(object(row.api_version, row.kind, row.spec));
    REQUIRE(manifests);
    CHECK(manifests->owners.at(0).order == row.want);
  }
}

TEST_CASE("kinds of a JobSet name those they wait for, and have annotations of their own") {
  const auto manifests = load(
      object("jobset.x-k8s.io/v1alpha2", "JobSet",
             "{replicatedJobs: [{name: a, template: {metadata: {annotations: {k: v}}, spec: {}}}, "
             "{name: b, dependsOn: [{name: a, status: Ready}]}]}"));
  REQUIRE(manifests);
  const auto& templates = manifests->owners.at(0).templates;
  CHECK(templates.at(0).annotations == Labels{{"k", "v"}});
  CHECK(templates.at(1).depends_on == std::vector<JobDependency>{{"a", "Ready"}});
}

TEST_CASE("suspension is where each kind has it") {
  struct Row {
    std::string api_version;
    std::string kind;
    std::string spec;
  };
  const auto row = GENERATE(Row{"batch/v1", "Job", "{suspend: true}"},
                            Row{"batch/v1", "CronJob", "{suspend: true}"},
                            Row{"jobset.x-k8s.io/v1alpha2", "JobSet", "{suspend: true}"},
                            Row{"ray.io/v1", "RayCluster", "{suspend: true}"},
                            Row{"ray.io/v1", "RayJob", "{suspend: true}"},
                            Row{"kubeflow.org/v1", "TFJob", "{runPolicy: {suspend: true}}"});
  DYNAMIC_SECTION(row.kind) {
    const auto manifests = load(object(row.api_version, row.kind, row.spec));
    REQUIRE(manifests);
    CHECK(manifests->owners.at(0).suspended);
  }
}

TEST_CASE("what is wrong in a template is told by line and field") {
  const auto bad = [](const std::string& spec) {
    const auto manifests = load(object("batch/v1", "Job", spec));
    return manifests ? "" : manifests.error().message;
  };
  CHECK(bad("\n  parallelism: -1\n") == "f.yaml:5: Job x: spec.parallelism: must not be negative");
  CHECK(bad("\n  template:\n    spec: {priority: high}\n") ==
        "f.yaml:6: Job x: spec.template.spec.priority: expected an integer, not a string");
  const auto listed = load(
      "kind: List\napiVersion: v1\nitems:\n- apiVersion: apps/v1\n  kind: Deployment\n"
      "  metadata: {name: web}\n  spec: {replicas: many}\n");
  REQUIRE_FALSE(listed);
  CHECK(listed.error().message ==
        "f.yaml:7: Deployment: spec.replicas: expected an integer, not a string");
}

TEST_CASE("objects with pod templates of other kinds are named; a DaemonSet is of the cluster") {
  const auto manifests = load(object("x.io/v1", "Spark", "{driver: {template: " + pod + "}}") +
                              "---\n" + object("v1", "Service", "{selector: {}}") + "---\n" +
                              object("apps/v1", "DaemonSet", "{template: " + pod + "}"));
  REQUIRE(manifests);
  REQUIRE(manifests->strangers.size() == 1);
  CHECK(manifests->strangers[0].starts_with(
      "f.yaml:1: Spark x: it is not known which pods its controller makes: expected Pod, Job, "));
  CHECK(manifests->unknown.size() == 3);
  CHECK(manifests->owners.empty());
}

}  // namespace dray::wire::pod_owner_codec_test
