#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/commands/http.h"

// Manifests of Jobs and the like, where pods are asked about.

namespace dray::commands_test::owned_pods_test {
namespace {

/// A gang of two, for which each node has too few GPUs or enough; a Job of three of which two run
/// at a time; a Deployment of another scheduler's.
std::string manifests(int gpus) {
  constexpr std::string_view text = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: some}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: COUNT}}]}}}
---
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    template:
      spec:
        parallelism: 2
        completions: 2
        template:
          spec:
            schedulerName: dray-scheduler
            containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
            resourceClaims: [{name: gpus, resourceClaimTemplateName: some}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: batch}
spec:
  parallelism: 2
  completions: 3
  template:
    metadata: {annotations: {sim.dray.dev/run-seconds: "600"}}
    spec:
      schedulerName: dray-scheduler
      containers: [{name: main, image: "pause:3.10"}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 1
  template: {spec: {containers: [{name: main, image: "pause:3.10"}]}}
)";
  return replaced(std::string(text), "COUNT", std::to_string(gpus));
}

/// Only the JobSet and what it names.
std::string gang(int gpus) {
  const auto text = manifests(gpus);
  return text.substr(0, text.find("---\napiVersion: batch"));
}

std::vector<std::string> with_cluster(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--cluster", "config/demo/cluster"});
  return arguments;
}

}  // namespace

TEST_CASE("simulate plays the pods of Jobs and the like, here and on a live dray") {
  const TempFile file("jobs.yaml", manifests(1));
  const std::vector<std::string> asked{
      "simulate",     "--workload", "pods:" + file.path(), "--policy", "config/demo/policy.yaml",
      "--plan-pause", "0"};
  const auto here = dray(with_cluster(asked));
  INFO(here.err);
  CHECK(here.status == 0);
  CHECK(here.err.find("1 of 6 pods name the scheduler default-scheduler") != std::string::npos);

  auto csv = asked;
  csv.insert(csv.end(), {"-o", "csv"});
  const auto rows = lines(dray(with_cluster(csv)).out);
  REQUIRE(rows.size() >= 6);
  const auto starts = [&](const std::string& name) {
    return std::ranges::any_of(
        rows, [&](const auto& row) { return row.find("," + name + ",") != std::string::npos; });
  };
  for (const auto* pod : {"train-worker-0-0-bbbbb", "train-worker-0-1-bbbbc", "batch-bbbbb",
                          "batch-bbbbc", "batch-bbbbd"}) {
    INFO(pod);
    CHECK(starts(pod));
  }

  Child serve({"serve", "--cluster", "config/demo/cluster", "--policy", "config/demo/policy.yaml",
               "--insecure-extender", "--extender-address", "127.0.0.1:0", "--admin-address",
               "127.0.0.1:0", "--dashboard-address", "127.0.0.1:0"});
  const auto port = port_after(serve.wait_for_error("dashboard on port "), "dashboard on port ");
  serve.wait_for_error("the cluster has been listed");
  auto there = csv;
  there.insert(there.end(), {"--server", "http://127.0.0.1:" + std::to_string(port)});
  CHECK(lines(dray(there).out) == rows);

  const auto posted = ask(port, "/v1/simulate",
                          R"({"workload": {"apiVersion": "batch/v1", "kind": "Job",)"
                          R"( "metadata": {"name": "posted"}, "spec": {"parallelism": 2,)"
                          R"( "template": {"spec": {"schedulerName": "dray-scheduler",)"
                          R"( "containers": [{"name": "main", "image": "x"}]}}}}})");
  CHECK(posted.status == 200);
  CHECK(posted.body.find(R"("name":"posted-bbbbc")") != std::string::npos);
  const auto unknown = ask(port, "/v1/simulate",
                           R"({"workload": {"apiVersion": "x.io/v1", "kind": "Flow",)"
                           R"( "metadata": {"name": "f"}, "spec": {"template": {"spec":)"
                           R"( {"containers": []}}}}})");
  CHECK(unknown.status == 400);
  CHECK(unknown.body.find("Flow f: it is not known which pods its controller makes: expected Pod, "
                          "Job, CronJob, Deployment, ") != std::string::npos);
}

TEST_CASE("explain: why a JobSet that is not there yet would wait") {
  const TempFile file("jobs.yaml", gang(9));
  const auto waits = dray(with_cluster({"explain", "train", "-f", file.path()}));
  INFO(waits.err);
  CHECK(waits.status == 1);
  CHECK(waits.out.starts_with("default/train-worker-0-0-bbbbb"));
  CHECK(waits.out.find("wants 9 devices of class gpu.nvidia.com on one node") != std::string::npos);
  const TempFile fits("jobs.yaml", gang(8));
  CHECK(dray(with_cluster({"explain", "train", "-f", fits.path()})).status == 0);
}

TEST_CASE(
    "allocate: devices for each pod of a Job; of a kind that is not known the error says so") {
  const TempFile file("jobs.yaml", gang(1));
  const auto placed = dray(with_cluster({"allocate", "-f", file.path()}));
  INFO(placed.err);
  CHECK(placed.status == 0);
  CHECK(lines(placed.out).size() == 3);

  const TempFile job("known.yaml", R"(apiVersion: batch/v1
kind: Job
metadata: {name: known, uid: 1-2-3}
spec: {template: {spec: {containers: [{name: main, image: x}]}}}
---
apiVersion: x.io/v1
kind: Flow
metadata: {name: f}
spec: {step: {template: {spec: {containers: []}}}}
)");
  const auto none = dray(with_cluster({"allocate", "-f", job.path()}));
  CHECK(none.status == 2);
  CHECK(none.err.find("Job default/known: it has a uid") != std::string::npos);
  CHECK(none.err.find("Flow f: it is not known which pods its controller makes") !=
        std::string::npos);
  const auto played =
      dray(with_cluster({"simulate", "--workload", "pods:" + job.path(), "--policy", "none"}));
  CHECK(played.status == 2);
  CHECK(played.err.find(job.path() + ":6: Flow f: it is not known") != std::string::npos);
}

}  // namespace dray::commands_test::owned_pods_test
