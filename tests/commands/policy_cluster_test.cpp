#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/commands/manifests.h"

// A policy that names what a cluster does not have is reported by each command that sees both.

namespace dray::commands_test::policy_cluster_test {
namespace {

constexpr std::string_view misspelt = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources:
  gpu: [{deviceClass: gpu.nvidia.co, amount: 1}]
queues:
  - {name: all, quota: {gpu: 4}}
podQueues: {otherwise: all}
)";

constexpr std::string_view pod = R"(---
apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team, uid: p}
spec:
  schedulerName: dray-scheduler
  schedulingGates: [{name: dray.dev/admission}]
  containers: [{name: c}]
)";

std::string cluster() {
  return node_with("n0", "[{name: g0}, {name: g1}]", "gpu.nvidia.com") +
         class_of("gpu.nvidia.com", "gpu.nvidia.com");
}

/// The warning, with the file's name before it.
std::string warning(const std::string& file, const std::string& severity = "") {
  return file + ":4:23: " + severity +
         "resources.gpu[0].deviceClass: counts nothing, so that quotas and limits of gpu do not "
         "apply: there is no DeviceClass gpu.nvidia.co; did you mean gpu.nvidia.com?\n";
}

}  // namespace

TEST_CASE("validate with a cluster warns of what the policy names and the cluster lacks") {
  const TempFile policy("p.yaml", misspelt);
  const TempFile objects("c.yaml", cluster());
  const auto alone = dray({"policy", "validate", policy.path()});
  CHECK(alone.out == policy.path() + ": valid, 1 queue\n");
  const auto held = dray({"policy", "validate", policy.path(), "--cluster", objects.path()});
  CHECK(held.status == 0);
  CHECK(held.err.empty());
  CHECK(held.out == warning(policy.path(), "warning: ") + policy.path() + ": valid, 1 queue\n");
  const auto json =
      dray({"policy", "validate", policy.path(), "--cluster", objects.path(), "-o", "json"});
  CHECK(json.out.contains(R"("severity":"warning","line":4,)"));
  const auto right = dray({"policy", "validate", "-", "--cluster", objects.path()},
                          replaced(std::string(misspelt), "gpu.nvidia.co,", "gpu.nvidia.com,"));
  CHECK(right.out == "-: valid, 1 queue\n");
}

TEST_CASE("commands that see a policy and a cluster warn on the standard error") {
  const TempFile policy("p.yaml", misspelt);
  const TempFile objects("c.yaml", cluster());
  const TempFile work("w.yaml", pod);
  struct Row {
    std::vector<std::string> arguments;
    std::string command;
  };
  const auto& c = objects.path();
  const auto& p = policy.path();
  const std::vector<Row> rows{
      {{"queues", "--cluster", c, "--policy", p}, "queues"},
      {{"explain", "team/p", "-f", work.path(), "--cluster", c, "--policy", p}, "explain"},
      {{"policy", "simulate", "--cluster", c, "--policy", p}, "policy"},
      {{"simulate", "--cluster", c, "--workload", "pods:" + work.path(), "--policy", p, "--until",
        "1m"},
       "simulate"}};
  for (const auto& row : rows) {
    const auto ended = dray(row.arguments);
    CHECK(ended.err == "dray " + row.command + ": warning: " + warning(p));
    CHECK(!ended.out.empty());
    CHECK(ended.status <= 1);
  }
}

TEST_CASE("doctor finds it in the policy file that is named") {
  const TempFile policy("p.yaml", misspelt);
  const TempFile objects("c.yaml", cluster());
  const auto found = dray({"doctor", "--cluster", objects.path(), "--scheduler-config",
                           "config/scheduler.yaml", "--policy", policy.path()});
  CHECK(found.status == 1);
  CHECK(found.out.contains("policy-names-nothing: " + policy.path() +
                           "\n  what: 4:23: resources.gpu[0].deviceClass: counts nothing"));
  CHECK(dray({"doctor", "--cluster", objects.path(), "--policy", "/no/such"}).status == 2);
}

}  // namespace dray::commands_test::policy_cluster_test
