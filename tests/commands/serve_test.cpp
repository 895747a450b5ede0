#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>

#include "tests/commands/child.h"
#include "tests/commands/http.h"

namespace dray::commands_test::serve_test {
namespace {

/// A pod that wants eight H100 of one node, beside the demo's cluster; it has no gate, as pods have
/// none where the admission policy is not installed.
constexpr std::string_view pod = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: whole, namespace: default}
spec:
  spec:
    devices:
      requests:
      - name: gpu
        exactly:
          deviceClassName: gpu.nvidia.com
          selectors:
          - cel: {expression: 'device.attributes["gpu.nvidia.com"].productName.contains("H100")'}
          count: 8
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: default, uid: 00000000-0000-4000-9000-000000000001}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: whole}]
)";

/// The same pod as kube-scheduler sends it.
constexpr std::string_view pod_json =
    R"({"metadata":{"name":"train","namespace":"default",)"
    R"("uid":"00000000-0000-4000-9000-000000000001"},"spec":{"schedulerName":"dray-scheduler",)"
    R"("containers":[{"name":"main","image":"pause:3.10",)"
    R"("resources":{"claims":[{"name":"gpus"}]}}],)"
    R"("resourceClaims":[{"name":"gpus","resourceClaimTemplateName":"whole"}]}})";

std::string with_pod(const std::string& rest) {
  return R"({"Pod":)" + std::string(pod_json) + "," + rest + "}";
}
std::string bind_to(const std::string& node) {
  return R"({"PodName":"train","PodNamespace":"default",)"
         R"("PodUID":"00000000-0000-4000-9000-000000000001","Node":")" +
         node + "\"}";
}

/// `dray serve` on a cluster in memory and on ports that it chose.
struct Serve {
  TempFile objects{"pod.yaml", pod};
  Child child;
  std::uint16_t extender = 0;
  std::uint16_t admin = 0;

  explicit Serve(const std::vector<std::string>& more = {}) : child(arguments(more)) {
    const auto line = child.wait_for_error("extender on port ");
    extender = port_after(line, "extender on port ");
    admin = port_after(line, "health and metrics on port ");
    child.wait_for_error("the cluster has been listed");
  }
  [[nodiscard]] std::vector<std::string> arguments(const std::vector<std::string>& more) const {
    std::vector<std::string> all{"serve",
                                 "--cluster",
                                 "config/demo/cluster",
                                 objects.path(),
                                 "--insecure-extender",
                                 "--extender-address",
                                 "127.0.0.1:0",
                                 "--admin-address",
                                 "127.0.0.1:0",
                                 "--dashboard-address",
                                 ""};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

}  // namespace

TEST_CASE("serve answers kube-scheduler's calls from filter to bind, and ends well") {
  Serve serve;
  const std::string nodes = R"("NodeNames":["dgxh100-05","dgxh100-06","a100-80"])";
  const auto filter = ask(serve.extender, "/v1/filter", with_pod(nodes));
  CHECK(filter.status == 200);
  INFO(filter.body);
  CHECK(filter.body.contains(R"("NodeNames":["dgxh100-05"])"));
  CHECK(filter.body.contains(R"("Error":"")"));

  const auto priorities = ask(serve.extender, "/v1/prioritize", with_pod(nodes));
  CHECK(priorities.status == 200);
  CHECK(priorities.body == R"([{"Host":"dgxh100-05","Score":10},{"Host":"dgxh100-06","Score":0},)"
                           R"({"Host":"a100-80","Score":0}])");

  const auto preempt =
      ask(serve.extender, "/v1/preempt",
          with_pod(R"("NodeNameToMetaVictims":{"a100-80":{"Pods":[],"NumPDBViolations":0}})"));
  CHECK(preempt.status == 200);
  CHECK(preempt.body == R"({"NodeNameToMetaVictims":{}})");

  const auto elsewhere = ask(serve.extender, "/v1/bind", bind_to("dgxh100-06"));
  CHECK(elsewhere.status == 200);
  CHECK(elsewhere.body.starts_with(R"({"Error":"pod default/train: dray: )"));
  CHECK(ask(serve.extender, "/v1/bind", bind_to("dgxh100-05")).body == R"({"Error":""})");

  const auto metrics = ask(serve.admin, "/metrics");
  CHECK(metrics.status == 200);
  CHECK(metrics.body.contains("\ndray_devices_allocated 8\n"));
  CHECK(metrics.body.contains("\ndray_nodes 44\n"));
  serve.child.send(SIGTERM);
  const auto ended = serve.child.wait();
  CHECK(ended.status == 0);
  CHECK(ended.out.empty());
  CHECK(ended.err.contains("signal 15: draining"));
}

TEST_CASE("serve says how it is") {
  Serve serve;
  CHECK(ask(serve.admin, "/livez").body == "ok");
  const auto ready = ask(serve.admin, "/readyz?verbose");
  CHECK(ready.status == 200);
  CHECK(ready.body.contains("[+]sync ok\n"));
  CHECK(ready.body.contains("[+]leader ok\n"));
  CHECK(ready.body.ends_with("readyz check passed\n"));
  CHECK(ask(serve.admin, "/nothing").status == 404);
  CHECK(ask(serve.admin, "/livez", "{}").status == 405);
  // An answer that kube-scheduler takes for a failed call, and shows.
  const auto broken = ask(serve.extender, "/v1/filter", "{");
  CHECK(broken.status == 200);
  CHECK(broken.body.contains(R"("Error":"dray: filter request: )"));
  CHECK(ask(serve.extender, "/v1/prioritize", "{").status == 400);
  CHECK(ask(serve.extender, "/v1/nothing", "{}").status == 404);
  serve.child.send(SIGINT);
  CHECK(serve.child.wait().status == 0);
}

TEST_CASE("the shipped sample of the configuration is taken; what is missing are its files") {
  const auto ended = dray({"serve", "--config", "config/serve.yaml"});
  CHECK(ended.status == 2);
  CHECK(
      ended.err ==
      "dray serve: kubeconfig: /etc/dray/kubeconfig: cannot be read: no such file or directory\n");
}

TEST_CASE("at SIGHUP serve takes over what can change, and names what needs a restart") {
  const testing::TempFolder folder;
  const std::string base =
      "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\ninsecureExtender: true\n"
      "extenderAddress: 127.0.0.1:0\nadminAddress: 127.0.0.1:0\n"
      "cluster: [config/demo/cluster]\n";
  const auto path = folder.write("config.yaml", base);
  Child child({"serve", "--config", path});
  child.wait_for_error("the cluster has been listed");
  folder.write("config.yaml", base + "verbosity: 3\nplanPause: 10ms\n");
  child.send(SIGHUP);
  CHECK(
      child.wait_for_error("configuration: verbosity").ends_with("configuration: verbosity is 3"));
  CHECK(child.wait_for_error("until a restart")
            .ends_with("configuration: until a restart this stays as it was: planPause"));
  folder.write("config.yaml", base + "verbosite: 3\n");
  child.send(SIGHUP);
  CHECK(child.wait_for_error("configuration unchanged").contains(":7:1: no field \"verbosite\""));
  child.send(SIGTERM);
  CHECK(child.wait().status == 0);
}

TEST_CASE("serve shows its dashboard: the page, or that it was not built, and what is waiting") {
  TempFile objects("pod.yaml", pod);
  Child child({"serve", "--cluster", "config/demo/cluster", objects.path(), "--insecure-extender",
               "--extender-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0",
               "--dashboard-address", "127.0.0.1:0"});
  const auto port = port_after(child.wait_for_error("dashboard on port "), "dashboard on port ");
  child.wait_for_error("the cluster has been listed");
  const auto page = ask(port, "/");
  CHECK(page.status == 200);
  CHECK((page.body.contains("/v1/dashboard/") || page.body.contains("./dev web")));
  const auto node = ask(port, "/v1/dashboard/node?name=dgxh100-05");
  CHECK(node.status == 200);
  CHECK(node.body.contains(R"("numa":"1","root":"pci0000:97")"));
  CHECK(ask(port, "/v1/dashboard/explain?pod=default/train")
            .body.contains(R"("pod":"default/train")"));
  CHECK(ask(port, "/v1/dashboard/overview", "{}").status == 405);
  child.send(SIGTERM);
  CHECK(child.wait().status == 0);
}

TEST_CASE(
    "what the dashboard shows over time is there after a restart; a damaged file is set aside") {
  const testing::TempFolder folder;
  const auto file = folder.write("history", "no database");
  const TempFile objects("pod.yaml", pod);
  // The number of moments that a new process shows, once it has its own first one.
  const auto moments = [&](std::size_t at_least) {
    Child child({"serve", "--cluster", "config/demo/cluster", objects.path(), "--policy",
                 "config/demo/policy.yaml", "--insecure-extender", "--extender-address",
                 "127.0.0.1:0", "--admin-address", "127.0.0.1:0", "--dashboard-address",
                 "127.0.0.1:0", "--history", file});
    if (at_least == 1) child.wait_for_error("it is " + file + ".aside now, and a new one begins");
    const auto port = port_after(child.wait_for_error("dashboard on port "), "dashboard on port ");
    std::size_t shown = 0;
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (shown < at_least && std::chrono::steady_clock::now() < patience) {
      const auto body = ask(port, "/v1/dashboard/history?resource=gpu").body;
      const auto times = body.substr(body.find(R"("times":[)") + 9);
      const auto commas = std::ranges::count(times.substr(0, times.find(']')), ',');
      shown = times.starts_with("]") ? 0 : 1 + static_cast<std::size_t>(commas);
    }
    child.send(SIGTERM);
    CHECK(child.wait().status == 0);
    return shown;
  };
  CHECK(moments(1) == 1);
  CHECK(moments(2) == 2);
  CHECK(std::filesystem::exists(file + ".aside"));
}

TEST_CASE("a dashboard that others could reach is refused") {
  const auto ended =
      dray({"serve", "--cluster", "config/demo/cluster", "--insecure-extender",
            "--extender-address", "127.0.0.1:0", "--dashboard-address", "0.0.0.0:0"});
  CHECK(ended.status == 2);
  CHECK(ended.err.contains("--dashboard-address excludes --cluster unless it is on loopback"));
}

TEST_CASE("serve's fields may stand in a file; the command line wins") {
  const TempFile config("config.yaml",
                        "apiVersion: dray.dev/v1alpha1\nkind: DrayConfiguration\n"
                        "insecureExtender: true\nextenderAddress: 127.0.0.1:0\n"
                        "adminAddress: no address\nloggingFormat: json\n"
                        "cluster: [config/demo/cluster]\n");
  Child child({"serve", "--config", config.path(), "--admin-address", "127.0.0.1:0"});
  const auto line = child.wait_for_error("extender on port ");
  CHECK(line.starts_with("{"));
  CHECK(ask(port_after(line, "health and metrics on port "), "/livez").body == "ok");
  child.send(SIGTERM);
  CHECK(child.wait().status == 0);
}

}  // namespace dray::commands_test::serve_test
