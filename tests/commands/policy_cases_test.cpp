#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/commands/child.h"

namespace dray::commands_test::policy_cases_test {
namespace {

/// A file of one case on four DGX H100 under the ready policy of teams, with these jobs and
/// expectations.
std::string test_file(const std::string& jobs, const std::string& expect,
                      const std::string& policy = "config/policies/teams.yaml") {
  return "apiVersion: dray.dev/v1alpha1\nkind: PolicyTest\npolicy: " + policy +
         "\ncluster: [\"nodes:4xdgxh100\"]\ncases:\n- name: one\n  jobs:\n" + jobs + "  expect:\n" +
         expect;
}

const std::string four_trainings =
    "  - {name: vision/train, pods: 4, together: 1, devices: 8}\n"
    "  - {name: vision/old, devices: 1, running: 1h, on: [dgxh100-000003]}\n";

Ended test(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> arguments{"policy", "test", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return dray(arguments, text);
}

}  // namespace

TEST_CASE("the ready policies do what their test files say, and are valid and in canonical form") {
  const auto ended = dray({"policy", "test", "config/policies"});
  INFO(ended.out);
  CHECK(ended.err.empty());
  CHECK(ended.status == 0);
  CHECK(ended.out.contains("config/policies/teams.test.yaml\n  ok    a team borrows"));
  CHECK(ended.out.ends_with("20 of 20 cases as expected\n"));
  for (const auto* const name : {"one-team", "teams", "research-backfill", "inference-first"}) {
    const auto path = "config/policies/" + std::string(name) + ".yaml";
    const auto valid = dray({"policy", "validate", path});
    CHECK(valid.status == 0);
    CHECK(!valid.out.contains("warning"));
    CHECK(dray({"policy", "fmt", "--check", path}).status == 0);
    std::ifstream file(path);
    std::string first;
    std::getline(file, first);
    CHECK(first == "# yaml-language-server: $schema=../policy.schema.json");
  }
}

TEST_CASE("what is not as expected is shown against what came, with its line") {
  const auto ended = test(test_file(four_trainings,
                                    "  - {job: vision/train, outcome: starts}\n"
                                    "  - {job: vision/old, outcome: runs, on: [dgxh100-000003]}\n"
                                    "  - {job: vision/tran, outcome: waits}\n"));
  CHECK(ended.err.empty());
  CHECK(ended.status == 1);
  CHECK(ended.out == R"(-
  FAIL  one
  -:11: vision/train
    - starts
    + starts on dgxh100-000000, dgxh100-000001 in queue vision (2 pods)
    + waits, QueueLimit in queue vision (2 pods): the queue, or one above it, is at its limit: vision quota has reached the allowable limit of GPUs. Limit is 24 GPUs, currently 17 GPUs allocated and workload requested 8 GPUs
  -:13: vision/tran
    - waits
    + no such job; did you mean vision/train?
0 of 1 case as expected
)");
}

TEST_CASE("an expectation may name pods, nodes, devices, the queue, the reason and its words") {
  struct Row {
    std::string expect;
    bool passes;
  };
  const auto row = GENERATE(
      Row{"{job: vision/train, outcome: starts, pods: 2}", true},
      Row{"{job: vision/train, outcome: starts, pods: 3}", false},
      Row{"{job: vision/train, outcome: waits, pods: 2, reason: QueueLimit}", true},
      Row{"{job: vision/train, outcome: waits, pods: 2, reason: QueueQuota}", false},
      Row{"{job: vision/train, outcome: waits, pods: 2, says: Limit is 24 GPUs}", true},
      Row{"{job: vision/train, outcome: waits, pods: 2, says: Limit is 25 GPUs}", false},
      Row{"{job: vision/old, outcome: runs, queue: vision}", true},
      Row{"{job: vision/old, outcome: runs, queue: guests}", false},
      Row{"{job: vision/old, outcome: runs, on: [dgxh100-000003]}", true},
      Row{"{job: vision/old, outcome: runs, on: [dgxh100-000000]}", false},
      Row{"{job: vision/one, outcome: starts, devices: [gpu-1, dgxh100-000003/gpu-2]}", true},
      Row{"{job: vision/one, outcome: starts, devices: [gpu-1]}", false},
      Row{"{job: vision/one, outcome: starts, devices: [gpu-1, gpu-3]}", false},
      Row{"{job: vision/train-0, outcome: starts}", true});
  DYNAMIC_SECTION(row.expect) {
    const auto jobs = four_trainings + "  - {name: vision/one, devices: 2, waiting: 1d}\n";
    const auto ended = test(test_file(jobs, "  - " + row.expect + "\n"));
    INFO(ended.out << ended.err);
    CHECK(ended.status == (row.passes ? 0 : 1));
  }
}

TEST_CASE("pods may come from manifests, and go by their own names and by their groups'") {
  const TempFile pods("pods.yaml", R"(apiVersion: v1
kind: Pod
metadata: {name: web, namespace: vision}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: vision}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
)");
  auto text = test_file("  - {name: vision/gang, pods: 2}\n",
                        "  - {job: vision/web, outcome: starts}\n"
                        "  - {job: vision/gang, outcome: starts}\n");
  text = replaced(text, "  jobs:\n", "  workload: [" + pods.path() + "]\n  jobs:\n");
  const auto ended = test(text);
  INFO(ended.out << ended.err);
  CHECK(ended.status == 0);
}

TEST_CASE("a Job of the workload has the pods that its controller makes") {
  const TempFile job("job.yaml", R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: vision}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: sweep, namespace: vision}
spec:
  parallelism: 2
  completions: 2
  template:
    spec:
      schedulerName: dray-scheduler
      restartPolicy: Never
      tolerations: [{operator: Exists}]
      containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpu}]}}]
      resourceClaims: [{name: gpu, resourceClaimTemplateName: gpu}]
)");
  auto text = test_file("  - {name: vision/other}\n",
                        "  - {job: vision/sweep, outcome: starts, pods: 2}\n"
                        "  - {job: vision/sweep-bbbbb, outcome: starts}\n");
  text = replaced(text, "  jobs:\n", "  workload: [" + job.path() + "]\n  jobs:\n");
  const auto ended = test(text);
  INFO(ended.out << ended.err);
  CHECK(ended.status == 0);
}

TEST_CASE("a workload object of a kind that is not known is refused by its name") {
  const TempFile odd("odd.yaml", R"(apiVersion: example.com/v1
kind: Sweep
metadata: {name: s, namespace: vision}
spec: {template: {spec: {containers: [{name: main, image: "pause:3.10"}]}}}
)");
  auto text = test_file("  - {name: vision/other}\n", "  - {job: vision/other, outcome: starts}\n");
  text = replaced(text, "  jobs:\n", "  workload: [" + odd.path() + "]\n  jobs:\n");
  const auto ended = test(text);
  INFO(ended.out << ended.err);
  CHECK(ended.status == 2);
  CHECK(ended.err.find("Sweep") != std::string::npos);
}

TEST_CASE("All and prioritized lists are within the limit by the devices that they really take") {
  const TempFile policy("policy.yaml", R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu.nvidia.com}]}
queues: [{name: a, limit: {gpu: 2}}]
podQueues: {otherwise: a}
)");
  const TempFile pods("pods.yaml", R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: all, namespace: a}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, allocationMode: All}}]}}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: list, namespace: a}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        firstAvailable:
        - {name: many, deviceClassName: gpu.nvidia.com, count: 8}
        - {name: few, deviceClassName: gpu.nvidia.com, count: 2}
---
apiVersion: v1
kind: Pod
metadata: {name: all, namespace: a}
spec:
  schedulerName: dray-scheduler
  tolerations: [{operator: Exists}]
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: all}]
---
apiVersion: v1
kind: Pod
metadata: {name: list, namespace: a}
spec:
  schedulerName: dray-scheduler
  tolerations: [{operator: Exists}]
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpu}]}}]
  resourceClaims: [{name: gpu, resourceClaimTemplateName: list}]
)");
  auto text = test_file("  - {name: a/none, devices: 0}\n",
                        "  - {job: a/all, outcome: waits, reason: QueueLimit}\n"
                        "  - {job: a/list, outcome: starts}\n",
                        policy.path());
  text = replaced(text, "  jobs:\n", "  workload: [" + pods.path() + "]\n  jobs:\n");
  const auto ended = test(text);
  INFO(ended.out << ended.err);
  CHECK(ended.status == 0);
}

TEST_CASE("pods that ask for parts of devices by annotation are admitted as a cluster would") {
  const TempFile policy("policy.yaml", R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: shared, amount: 1}]}
fractions: {deviceClass: shared, memory: memory}
queues: [{name: a, limit: {gpu: 1}}]
podQueues: {otherwise: a}
)");
  const TempFile cluster("cluster.yaml", R"(apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: shared}
spec: {selectors: [{cel: {expression: 'device.driver == "shared.example.com"'}}]}
---
apiVersion: v1
kind: Node
metadata: {name: n0}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "110"}, capacity: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n0}
spec:
  driver: shared.example.com
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 1}
  devices:
  - {name: a, allowMultipleAllocations: true, capacity: {memory: {value: 80Gi}}}
  - {name: b, allowMultipleAllocations: true, capacity: {memory: {value: 80Gi}}}
)");
  std::string all;
  for (const std::string name : {"m0", "m1", "m2"}) {
    all += "apiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
           ", namespace: a, annotations: {gpu-memory: \"40960\"}}\nspec:\n"
           "  schedulerName: dray-scheduler\n"
           "  containers: [{name: main, image: \"pause:3.10\"}]\n---\n";
  }
  const TempFile pods("pods.yaml", all);
  const auto ended =
      test("apiVersion: dray.dev/v1alpha1\nkind: PolicyTest\npolicy: " + policy.path() +
           "\ncluster: [" + cluster.path() + "]\ncases:\n- name: one\n  workload: [" + pods.path() +
           "]\n  expect:\n  - {job: a/m0, outcome: starts}\n  - {job: a/m1, outcome: starts}\n"
           "  - {job: a/m2, outcome: waits, reason: QueueLimit}\n");
  INFO(ended.out << ended.err);
  CHECK(ended.status == 0);
  const auto explained = dray({"explain", "a/m2", "--cluster", cluster.path(), "-f", pods.path(),
                               "--policy", policy.path()});
  INFO(explained.out << explained.err);
  CHECK(explained.out.find("limit") != std::string::npos);
}

TEST_CASE("-o json has each expectation with what came") {
  const auto ended =
      test(test_file(four_trainings, "  - {job: vision/old, outcome: evicted}\n"), {"-o", "json"});
  CHECK(ended.status == 1);
  CHECK(ended.out ==
        R"({"files":[{"file":"-","cases":[{"name":"one","line":6,"passed":false,"checks":[)"
        R"({"job":"vision/old","line":11,"passed":false,"expected":"evicted","got":[)"
        R"({"pods":1,"outcome":"runs","on":["dgxh100-000003"],"queue":"vision"}]}]}]}],)"
        R"("passed":0,"failed":1})"
        "\n");
}

TEST_CASE("a test file that cannot be used says where, and what would be right") {
  const std::string good = test_file(four_trainings, "  - {job: vision/old, outcome: runs}\n");
  struct Row {
    std::string what;
    std::string with;
    std::string want;
  };
  const auto row = GENERATE(
      Row{"devices: 8", "devces: 8",
          "-:8:48: cases[0].jobs[0].devces: no such field; did you mean devices?"},
      Row{"outcome: runs", "outcome: run", "did you mean runs?"},
      Row{"outcome: runs", "outcome: waits, reason: QueueLimt",
          "no such Reason; did you mean QueueLimit?"},
      Row{"outcome: runs", "outcome: runs, reason: QueueLimit", "only what waits has one"},
      Row{"outcome: runs", "outcome: runs, devices: [a]", "only of what starts"},
      Row{"running: 1h", "running: 1h, waiting: 1h", "jobs[1].waiting: it runs"},
      Row{"together: 1", "together: 5", "jobs[0].together: the job has 4 pods"},
      Row{"vision/old, devices: 1", "vision/train, devices: 1",
          "another job of the case has that name"},
      Row{"policy: config/policies/teams.yaml\n", "", "which file is tested?"},
      Row{"nodes:4xdgxh100", "nodes:4xdgx", "no kind of node dgx; there are a100, "},
      Row{"nodes:4xdgxh100", "nodes:four", "write nodes:COUNTxKIND, as nodes:4xdgxh100"},
      Row{"devices: 1,", "devices: 9,",
          "case \"one\": job vision/old: it is said to run, and there is no room for its pod"},
      Row{"teams.yaml", "none.yaml", "config/policies/none.yaml: cannot be read"});
  DYNAMIC_SECTION(row.with) {
    const auto text = replaced(good, row.what, row.with);
    REQUIRE(text != good);
    const auto ended = test(text);
    CHECK(ended.out.empty());
    CHECK(ended.status == 2);
    INFO(ended.err);
    CHECK(ended.err.contains(row.want));
    CHECK(ended.err.starts_with("dray policy test: -:"));
  }
}

TEST_CASE("a policy that is not valid has the status of one; paths are of the file's folder") {
  testing::TempFolder folder;
  folder.write("p.yaml", "kind: Policy\n");
  const auto path =
      folder.write("one.test.yaml",
                   test_file(four_trainings, "  - {job: vision/old, outcome: runs}\n", "p.yaml"));
  const auto ended = dray({"policy", "test", folder.path()});
  CHECK(ended.status == 4);
  CHECK(ended.err == "dray policy test: " + path + ": case \"one\": " + folder.path() +
                         "/p.yaml: 1:1: apiVersion: is missing: dray.dev/v1alpha1\n");
}

TEST_CASE("with real budgets a case takes as many plans as it needs, and says what ended them") {
  testing::TempFolder folder;
  folder.write("p.yaml", R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]}
queues:
- {name: a, quota: {gpu: 16}}
- {name: b, quota: {gpu: 16}}
podQueues: {namespaces: {a: a}, otherwise: b}
budgets: {jobs: 2}
)");
  const auto file = [&](const std::string& budgets) {
    return folder.write("one.test.yaml", R"(apiVersion: dray.dev/v1alpha1
kind: PolicyTest
policy: p.yaml
cluster: ["nodes:2xdgxh100"]
)" + budgets + R"(cases:
- name: those in front cannot start
  jobs:
  - {name: a/run0, devices: 4, running: 1h, on: [dgxh100-000000]}
  - {name: a/run1, devices: 4, running: 1h, on: [dgxh100-000001]}
  - {name: a/front, pods: 6, together: 1, devices: 8}
  - {name: b/behind, devices: 4}
  expect:
  - {job: a/front, outcome: waits}
  - {job: b/behind, outcome: starts}
)");
  };
  const auto none = dray({"policy", "test", file("")});
  CHECK(none.out.contains("  ok    those in front cannot start\n"));
  const auto real = dray({"policy", "test", file("budgets: real\n")});
  INFO(real.out << real.err);
  CHECK(real.status == 0);
  CHECK(real.out.contains("  ok    those in front cannot start ("));
  CHECK(real.out.contains(" of them ended by budgets.jobs)\n"));
  const auto wrong = dray({"policy", "test", file("budgets: rael\n")});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.contains("one.test.yaml:5:10: budgets: "));
}

TEST_CASE("schema test prints the schema of config") {
  const auto ended = dray({"policy", "schema", "test"});
  CHECK(ended.status == 0);
  std::ifstream file("config/policy-test.schema.json");
  CHECK(ended.out == std::string{std::istreambuf_iterator<char>(file), {}});
}

}  // namespace dray::commands_test::policy_cases_test
