#include <catch2/catch.hpp>

#include "tests/commands/child.h"

namespace dray::commands_test::doctor_test {
namespace {

constexpr std::string_view gated = R"(apiVersion: v1
kind: Pod
metadata: {name: p, namespace: team}
spec:
  schedulerName: SCHEDULER
  schedulingGates: [{name: dray.dev/admission}]
  containers: [{name: c}]
)";

std::string pod_of(std::string_view scheduler) {
  return replaced(std::string(gated), "SCHEDULER", scheduler);
}

/// Nobody listens on port 1.
constexpr std::string_view nobody = R"(apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: c
)";

}  // namespace

TEST_CASE("doctor on files: nothing wrong is 0, something is 1") {
  const auto well = dray({"doctor", "-f", "-", "--scheduler-config", "config/scheduler.yaml"},
                         pod_of("dray-scheduler"));
  CHECK(well.status == 0);
  CHECK(well.out == "Nothing is wrong.\n");
  CHECK(well.err.empty());
  const auto ill =
      dray({"doctor", "-f", "-", "-o", "json", "--scheduler-config", "config/scheduler.yaml"},
           pod_of("default-scheduler"));
  CHECK(ill.status == 1);
  CHECK(ill.out.starts_with(
      R"({"findings":[{"name":"gate-without-scheduler","object":"Pod team/p")"));
}

TEST_CASE("doctor reads a configuration of kube-scheduler, and says where it has none") {
  const TempFile config("scheduler.yaml", "kind: KubeSchedulerConfiguration\nprofiles: []\n");
  const auto found =
      dray({"doctor", "-f", "-", "--scheduler-config", config.path()}, pod_of("dray-scheduler"));
  CHECK(found.status == 1);
  CHECK(found.out.contains("scheduler-samples-nodes: " + config.path() + "\n  what: "));
  CHECK(found.out.contains("\n  why:  "));
  CHECK(found.out.contains("\n  mend: "));
  const auto without = dray({"doctor", "-f", "-"}, pod_of("dray-scheduler"));
  CHECK(without.status == 0);
  CHECK(without.err ==
        "dray doctor: not looked at: kube-scheduler's configuration: give --scheduler-config "
        "FILE\n");
}

TEST_CASE("doctor --uninstall lists what would be left behind") {
  const auto ended = dray({"doctor", "--uninstall", "-f", "-"}, pod_of("dray-scheduler"));
  CHECK(ended.status == 1);
  CHECK(ended.out ==
        "STRANDED   OBJECT      WHAT\n"
        "gated-pod  Pod team/p  waits behind the gate dray.dev/admission\n");
  const std::vector<std::string> of_blue{"doctor", "--uninstall", "--partition", "blue", "-f", "-"};
  CHECK(dray(of_blue, pod_of("dray-scheduler-blue")).out == ended.out);
  CHECK(dray(of_blue, pod_of("dray-scheduler")).out == "Nothing would be left behind.\n");
  const auto nothing = dray({"doctor", "--uninstall", "-f", "-"},
                            "apiVersion: v1\nkind: Node\nmetadata: {name: n0}\n");
  CHECK(nothing.status == 0);
  CHECK(nothing.out == "Nothing would be left behind.\n");
}

TEST_CASE("doctor ends with 2 where the command line or a file is wrong") {
  struct Row {
    std::string name;
    std::vector<std::string> arguments;
    std::string want;
  };
  const auto row =
      GENERATE(Row{"an unknown flag", {"doctor", "--bogus"}, "not expected: --bogus"},
               Row{"no cluster", {"doctor"}, "dray doctor: no cluster to look at"},
               Row{"no such file",
                   {"doctor", "-f", "/none"},
                   "dray doctor: /none: cannot be read: no such file or directory"},
               Row{"no such kubeconfig", {"doctor", "--kubeconfig", "/none"}, "/none"},
               Row{"an unknown mode", {"doctor", "--mode", "best", "-f", "-"}, "--mode"},
               Row{"an unknown gate", {"doctor", "--feature-gates", "X=true", "-f", "-"}, "X=true"},
               Row{"no such configuration",
                   {"doctor", "-f", "-", "--scheduler-config", "/none"},
                   "/none: cannot be read: no such file or directory"});
  DYNAMIC_SECTION(row.name) {
    const auto ended = dray(row.arguments, "");
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(ended.err.contains(row.want));
  }
}

TEST_CASE("doctor ends with 3 where the cluster does not answer") {
  const TempFile kubeconfig("config", nobody);
  const auto ended = dray({"doctor", "--kubeconfig", kubeconfig.path()});
  CHECK(ended.status == 3);
  CHECK(ended.out.empty());
  CHECK(ended.err.starts_with("dray doctor: the API server 127.0.0.1: "));
}

TEST_CASE("handback needs a cluster, and one that answers") {
  const auto none = dray({"handback"});
  CHECK(none.status == 2);
  CHECK(none.err == "dray handback: no cluster: give --kubeconfig FILE\n");
  const TempFile kubeconfig("config", nobody);
  const auto silent = dray({"handback", "--dry-run", "--kubeconfig", kubeconfig.path()});
  CHECK(silent.status == 3);
  CHECK(silent.out.empty());
  CHECK(silent.err.starts_with("dray handback: "));
}

}  // namespace dray::commands_test::doctor_test
