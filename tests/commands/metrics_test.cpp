#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/commands/child.h"
#include "tests/commands/http.h"

namespace dray::commands_test::metrics_test {
namespace {

constexpr std::string_view two_queues = R"(apiVersion: dray.dev/v1alpha1
kind: Policy
resources:
  gpu: [{deviceClass: gpu.nvidia.com, amount: 1}]
queues:
  - {name: research, quota: {gpu: 8}, limit: {gpu: 16}}
  - {name: product, quota: {gpu: 8}}
podQueues: {namespaces: {default: product}}
)";

/// Asks for more GPUs than a node has, so that it waits.
constexpr std::string_view pod = R"(apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: many, namespace: default}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: 9}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: default, uid: 00000000-0000-4000-9000-000000000001}
spec:
  schedulerName: dray-scheduler
  schedulingGates: [{name: dray.dev/admission}]
  containers: [{name: main, image: "pause:3.10", resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: many}]
)";

/// `dray serve` on the demo's cluster with a pod that waits, a policy and a recorder.
struct Serve {
  testing::TempFolder folder;
  std::string policy = folder.write("policy.yaml", two_queues);
  Child child;
  std::uint16_t admin = 0;

  Serve()
      : child({"serve", "--cluster", "config/demo/cluster", folder.write("pod.yaml", pod),
               "--policy", policy, "--record", folder.path() + "/record", "--insecure-extender",
               "--extender-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0"}) {
    admin = port_after(child.wait_for_error("health and metrics on port "),
                       "health and metrics on port ");
    child.wait_for_error("the cluster has been listed");
  }
  [[nodiscard]] std::string page() const { return ask(admin, "/metrics").body; }
  /// The first page of which `holds` is true; the last one after a minute.
  template <class Holds>
  [[nodiscard]] std::string page_where(Holds&& holds) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (;;) {
      auto shown = page();
      if (holds(shown) || std::chrono::steady_clock::now() > deadline) return shown;
      std::this_thread::yield();
    }
  }
};

}  // namespace

TEST_CASE("promtool has nothing to say against what serve shows") {
  if (std::system("command -v promtool >/dev/null") != 0) {
    WARN("skipped: there is no promtool (Debian package prometheus)");
    return;
  }
  const Serve serve;
  const auto shown = serve.page_where(
      [](const std::string& page) { return page.contains("dray_pods_waiting_by_reason{"); });
  const auto file = serve.folder.write("page.txt", shown);
  const auto said = serve.folder.path() + "/said.txt";
  CHECK(std::system(("promtool check metrics <" + file + " >" + said + " 2>&1").c_str()) == 0);
  std::ifstream in(said);
  CHECK(std::string(std::istreambuf_iterator<char>(in), {}).empty());
}

TEST_CASE("serve shows queues, devices, reasons and the recorder; a queue's series go with it") {
  Serve serve;
  const auto shown = serve.page_where([](const std::string& page) {
    return page.contains("dray_queue_fair_share{queue=\"research\",") &&
           page.contains("dray_queue_pods_waiting{queue=\"product\"} 1\n");
  });
  for (const auto* part :
       {"dray_queue_fair_share{queue=\"research\",resource=\"gpu\"} ",
        "dray_queue_quota{queue=\"research\",resource=\"gpu\"} 8\n",
        "dray_queue_limit{queue=\"research\",resource=\"gpu\"} 16\n",
        "dray_queue_pods_waiting{queue=\"product\"} 1\n", "\ndray_pods_waiting 1\n",
        "dray_driver_devices{driver=\"gpu.nvidia.com\",state=\"free\"} ",
        "dray_driver_free_devices_on_one_node{driver=\"gpu.nvidia.com\"} ",
        "\ndray_plan_allocator_questions_total ", "\ndray_plan_allocator_searches_total ",
        "\ndray_plan_allocator_devices_tried_total ", "\ndray_policy_generation 1\n",
        "\ndray_recorder_recording 1\n"}) {
    CAPTURE(part);
    CHECK(shown.contains(part));
  }
  serve.folder.write("policy.yaml",
                     replaced(std::string(two_queues),
                              "  - {name: research, quota: {gpu: 8}, limit: {gpu: 16}}\n", ""));
  serve.child.send(SIGHUP);
  const auto after =
      serve.page_where([](const std::string& page) { return !page.contains("research"); });
  CHECK_FALSE(after.contains("research"));
  CHECK(after.contains("\ndray_policy_generation 2\n"));
}

}  // namespace dray::commands_test::metrics_test
