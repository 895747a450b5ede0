#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "tests/commands/child.h"

namespace dray::commands_test::replay_test {
namespace {

/// Two pods that want a whole node of the demo's cluster each.
constexpr std::string_view pods = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: whole, namespace: default}
spec:
  spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 8}}]}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: default}
spec:
  schedulerName: dray-scheduler
  schedulingGates: [{name: dray.dev/admission}]
  containers: [{name: main, resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: whole}]
---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: default}
spec:
  schedulerName: dray-scheduler
  schedulingGates: [{name: dray.dev/admission}]
  containers: [{name: main, resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: whole}]
)";

/// No devices for anybody.
constexpr std::string_view closed = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources: {gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]}
queues: [{name: all, limit: {gpu: 0}}]
podQueues: {otherwise: all}
)";

/// The folder of a run that lifted both pods.
struct Recorded {
  TempFile objects{"pods.yaml", pods};
  std::string folder = std::filesystem::path(objects.path()).parent_path() / "record";

  Recorded() {
    Child child({"serve", "--cluster", "config/demo/cluster", objects.path(), "--insecure-extender",
                 "--extender-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "-v", "4",
                 "--record", folder});
    child.wait_for_error("LiftGate default/a: done");
    child.wait_for_error("LiftGate default/b: done");
    child.send(SIGTERM);
    CHECK(child.wait().status == 0);
  }
};

TEST_CASE("what serve recorded is decided again, shown as it was, and under another policy") {
  const Recorded recorded;
  const auto replayed = dray({"replay", recorded.folder});
  INFO(replayed.out << replayed.err);
  CHECK(replayed.status == 0);
  CHECK(replayed.out.ends_with(" decisions: all the same\n"));

  const auto then = dray({"replay", "--until", "2100-01-01T00:00:00Z", recorded.folder});
  CHECK(then.status == 0);
  CHECK(then.out.contains(R"("dray.dev/reservation":"dgxh100-)"));
  CHECK(dray({"snapshot", "-f", TempFile("then.json", then.out).path()}).status == 0);
  const auto before = dray({"replay", "--until", "2000-01-01T00:00:00Z", recorded.folder});
  CHECK(before.status == 2);

  const TempFile policy("closed.yaml", closed);
  const auto other = dray({"replay", "--policy", policy.path(), recorded.folder});
  INFO(other.out << other.err);
  CHECK(other.status == 1);
  CHECK(other.out.contains("2 jobs would have fared otherwise\n"));
  CHECK(
      other.out.contains(" default/a (queue default, then all)\n  was:   1 of 1 pods placed on "));
  CHECK(other.out.contains("\n  would: waits: "));
}

TEST_CASE("commands that look at a cluster take a record, as it was at a moment or at its end") {
  const Recorded recorded;
  const auto explained = dray({"explain", "a", "--cluster", recorded.folder});
  INFO(explained.err);
  CHECK(explained.status == 0);
  CHECK(explained.out.starts_with("default/a: would start now on dgxh100-"));
  CHECK(dray({"devices", "--cluster", recorded.folder, "-o", "name"})
            .out.contains("device/gpu.nvidia.com/dgxh100-00/gpu-0\n"));
  const auto then =
      dray({"explain", "a", "--cluster", recorded.folder, "--as-of", "2100-01-01T00:00:00Z"});
  CHECK(then.out == explained.out);
  const auto before =
      dray({"explain", "a", "--cluster", recorded.folder, "--as-of", "2000-01-01T00:00:00Z"});
  CHECK(before.status == 2);
  CHECK(before.err == "dray explain: the record begins after 2000-01-01T00:00:00Z\n");
  const auto wrong = dray({"explain", "a", "--cluster", recorded.folder, "--as-of", "noon"});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.starts_with("dray explain: --as-of: "));
  const auto no_record =
      dray({"explain", "a", "--cluster", "config/demo/cluster", "--as-of", "2100-01-01T00:00:00Z"});
  CHECK(no_record.status == 2);
  CHECK(no_record.err == "dray explain: --as-of: --cluster names no record\n");
}

TEST_CASE("a folder without a record is an error") {
  const auto ended = dray({"replay", "config"});
  CHECK(ended.status == 2);
  CHECK(ended.err == "dray replay: config: no *.jsonl.zst in this folder\n");
}

}  // namespace
}  // namespace dray::commands_test::replay_test
