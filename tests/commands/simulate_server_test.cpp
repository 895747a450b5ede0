#include <catch2/catch.hpp>
#include <csignal>
#include <string>
#include <vector>

#include "tests/commands/child.h"
#include "tests/commands/http.h"

namespace dray::commands_test::simulate_server_test {
namespace {

/// `dray serve` on the demo's cluster in memory, under the demo's policy.
struct Serve {
  Child child;
  std::uint16_t port = 0;

  explicit Serve(const std::vector<std::string>& more = {}) : child(arguments(more)) {
    port = port_after(child.wait_for_error("dashboard on port "), "dashboard on port ");
    child.wait_for_error("the cluster has been listed");
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port); }
  static std::vector<std::string> arguments(const std::vector<std::string>& more) {
    std::vector<std::string> all{"serve",
                                 "--cluster",
                                 "config/demo/cluster",
                                 "--policy",
                                 "config/demo/policy.yaml",
                                 "--insecure-extender",
                                 "--extender-address",
                                 "127.0.0.1:0",
                                 "--admin-address",
                                 "127.0.0.1:0",
                                 "--dashboard-address",
                                 "127.0.0.1:0"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

std::vector<std::string> simulate(std::vector<std::string> more) {
  more.insert(more.begin(), "simulate");
  return more;
}

constexpr std::string_view workload = "pods:config/demo/workload.yaml";

}  // namespace

TEST_CASE("a live dray plays pods as a run on its cluster does, and holds nothing for them") {
  const Serve serve;
  const std::string pods(workload);
  for (const auto* form : {"json", "csv", "table"}) {
    const std::vector<std::string> asked{
        "--workload", pods, "--policy", "config/demo/policy.yaml", "--plan-pause", "0", "-o", form};
    auto here = asked;
    here.insert(here.end(), {"--cluster", "config/demo/cluster"});
    auto there = asked;
    there.insert(there.end(), {"--server", serve.url()});
    const auto local = dray(simulate(here));
    const auto live = dray(simulate(there));
    INFO(form << ": " << live.err);
    CHECK(local.status == 0);
    CHECK(live.status == 0);
    CHECK(live.out == local.out);
  }
  const auto in_force = dray(simulate({"--server", serve.url(), "--workload", pods}));
  CHECK(in_force.status == 0);
  CHECK(in_force.out.find("\nin force") != std::string::npos);
  const auto overview = ask(serve.port, "/v1/dashboard/overview").body;
  CHECK(overview.find(R"("devicesInUse":0)") != std::string::npos);
}

TEST_CASE("a live dray says what a policy changes at once, and how what waits would fare") {
  const TempFile pod("pod.yaml", R"(apiVersion: v1
kind: Pod
metadata: {name: waits, namespace: default, uid: 00000000-0000-4000-9000-000000000001}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimName: too-many}]
---
apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: too-many, namespace: default}
spec:
  devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 9}}]}
)");
  const Serve serve({"--cluster", pod.path()});
  const auto same =
      dray(simulate({"--server", serve.url(), "--policy", "config/demo/policy.yaml"}));
  INFO(same.err);
  CHECK(same.status == 0);
  CHECK(same.out.starts_with("No job would fare otherwise at once.\n"));
  CHECK(same.out.find("\nin force") != std::string::npos);
  CHECK(same.out.find("\npolicy ") != std::string::npos);
}

TEST_CASE("what a live dray cannot be asked is told by the status") {
  const Serve serve;
  const TempFile no_pod("web.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: web}\n");
  const TempFile bad_policy("bad.yaml", "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueue: []\n");
  const std::string pods(workload);
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    int status;
    std::string err;
  };
  const std::vector<Row> rows{
      {"nobody listens there",
       {"--server", "http://127.0.0.1:1", "--workload", pods},
       3,
       "the dray at http://127.0.0.1:1: "},
      {"no address", {"--server", "localhost", "--workload", pods}, 2, "--server localhost: "},
      {"no pod",
       {"--server", serve.url(), "--workload", "pods:" + no_pod.path()},
       2,
       "workload: no pod in it"},
      {"a policy with an error",
       {"--server", serve.url(), "--policy", bad_policy.path()},
       4,
       bad_policy.path() + ": 3:1: "},
      {"a time that is too long",
       {"--server", serve.url(), "--workload", pods, "--until", "52w"},
       2,
       "until: 52w is not between"},
      {"a cluster as well",
       {"--server", serve.url(), "--workload", pods, "--cluster", "x"},
       2,
       "--cluster: not with --server"},
      {"jobs in time",
       {"--server", serve.url(), "--workload", "synthetic:jobs=5"},
       2,
       "expected pods:FILE"},
      {"nothing", {"--server", serve.url()}, 2, "no --workload and no --policy"}};
  for (const auto& row : rows) {
    const auto ended = dray(simulate(row.arguments));
    INFO(row.name << ": " << ended.err);
    CHECK(ended.status == row.status);
    CHECK(ended.out.empty());
    CHECK(ended.err.find(row.err) != std::string::npos);
  }
  CHECK(ask(serve.port, "/v1/simulate").status == 405);
  CHECK(ask(serve.port, "/v1/simulate", "{").status == 400);
  CHECK(ask(serve.port, "/v1/simulate", std::string((std::size_t{2} << 20) + 1, ' ')).status ==
        413);
  CHECK(ask(serve.port, "/v1/dashboard/overview", std::string(1025, ' ')).status == 413);

  const Serve off({"--simulations", "0"});
  const auto refused = dray(simulate({"--server", off.url(), "--workload", pods}));
  CHECK(refused.status == 3);
  CHECK(refused.err.find("turned off") != std::string::npos);
}

TEST_CASE("a dray that is ended ends the simulation that it plays, and says so") {
  Serve serve;
  const Child asking(
      {"simulate", "--server", serve.url(), "--workload", std::string(workload), "--until", "7d"});
  serve.child.send(SIGTERM);
  CHECK(serve.child.wait().status == 0);
}

}  // namespace dray::commands_test::simulate_server_test
