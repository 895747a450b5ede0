#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/commands/child.h"
#include "tests/commands/fake_api.h"
#include "tests/commands/http.h"

// SIGTERM while work is under way that takes longer than a shutdown may.

namespace dray::commands_test::shutdown_test {
namespace {

using Clock = std::chrono::steady_clock;

std::string json_nodes(int count) {
  std::string items;
  for (int i = 0; i < count; ++i) {
    if (i > 0) items += ",";
    items += R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"node-)" + std::to_string(i) +
             R"(","resourceVersion":"1","uid":"n)" + std::to_string(i) +
             R"("},"status":{"allocatable":{"cpu":"8","memory":"32Gi","pods":"110"},)"
             R"("conditions":[{"type":"Ready","status":"True"}]}})";
  }
  return items;
}

/// Pods that no node has room for.
std::string json_pods(int count) {
  std::string items;
  for (int i = 0; i < count; ++i) {
    if (i > 0) items += ",";
    items += R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"pod-)" + std::to_string(i) +
             R"(","namespace":"team","resourceVersion":"1","uid":"p)" + std::to_string(i) +
             R"("},"spec":{"schedulerName":"dray-scheduler","schedulingGates":)"
             R"([{"name":"dray.dev/admission"}],"containers":[{"name":"c","image":"i",)"
             R"("resources":{"requests":{"cpu":"9"}}}]},"status":{"phase":"Pending"}})";
  }
  return items;
}

/// A pod that has room, and its name to kube-scheduler's calls.
const std::string small_pod =
    R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"small","namespace":"team",)"
    R"("resourceVersion":"1","uid":"small"},"spec":{"schedulerName":"dray-scheduler",)"
    R"("containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]},)"
    R"("status":{"phase":"Pending"}})";

/// A week of short Jobs among all those pods: many plans.
std::string week_of_work() {
  return R"({"until":"168h","workload":"apiVersion: batch/v1\nkind: Job\nmetadata: )"
         R"({name: j, namespace: team}\nspec:\n  parallelism: 1\n  completions: 1000\n)"
         R"(  template:\n    metadata: {annotations: {sim.dray.dev/run-seconds: \"60\"}}\n)"
         R"(    spec: {schedulerName: dray-scheduler, containers: [{name: c, image: i, )"
         R"(resources: {requests: {cpu: 1}}}]}\n"})";
}

/// Requests under way, each on a thread of its own.
struct Asked {
  std::vector<std::thread> threads;
  std::optional<Answer> simulation;
  std::optional<Answer> bind;

  ~Asked() { join(); }
  void join() {
    for (auto& thread : threads) thread.join();
    threads.clear();
  }
};

void wait_until(const std::function<bool()>& done) {
  const auto patience = Clock::now() + std::chrono::minutes(1);
  while (!done()) {
    REQUIRE(Clock::now() < patience);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

/// Its first run gives a token that is soon to be replaced; the next one does not end.
std::string slow_plugin(const testing::TempFolder& folder) {
  auto path = folder.write(
      "plugin",
      "#!/bin/sh\ncd \"${0%/*}\"\nif [ -e ran ]; then touch slow; sleep 600; fi\n"
      "touch ran\nat=$(date -u -d '+50 seconds' +%Y-%m-%dT%H:%M:%SZ)\n"
      "echo '{\"apiVersion\":\"client.authentication.k8s.io/v1\",\"kind\":"
      "\"ExecCredential\",\"status\":{\"token\":\"t\",\"expirationTimestamp\":\"'$at'\"}}'\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

}  // namespace

TEST_CASE("SIGTERM ends serve in time, whatever is under way, and it is unready at once") {
  const FakeApi api(
      {}, 200,
      {{"/api/v1/nodes", json_nodes(300)}, {"/api/v1/pods", json_pods(300) + "," + small_pod}});
  const testing::TempFolder folder;
  const auto kubeconfig = folder.write(
      "kubeconfig",
      kubeconfig_text("http://127.0.0.1:" + std::to_string(api.port()),
                      "{exec: {apiVersion: client.authentication.k8s.io/v1, command: " +
                          slow_plugin(folder) + ", interactiveMode: Never}}"));
  Child child({"serve", "--kubeconfig", kubeconfig, "--leader-elect=false", "--insecure-extender",
               "--extender-address", "127.0.0.1:0", "--admin-address", "127.0.0.1:0",
               "--dashboard-address", "127.0.0.1:0"});
  const auto dashboard =
      port_after(child.wait_for_error("dashboard on port "), "dashboard on port ");
  const auto ports = child.wait_for_error("health and metrics on port ");
  const auto extender = port_after(ports, "extender on port ");
  const auto admin = port_after(ports, "health and metrics on port ");
  child.wait_for_error("the cluster has been listed");
  wait_until([&] { return ask(admin, "/readyz").status == 200; });

  Asked asked;
  asked.threads.emplace_back(
      [&] { asked.simulation = try_to_ask(dashboard, "/v1/simulate", week_of_work()); });
  for (int i = 0; i < 4; ++i) {
    asked.threads.emplace_back([&, pod = i]() mutable {
      while (try_to_ask(dashboard, "/v1/dashboard/explain?pod=team/pod-" + std::to_string(pod))) {
        pod = (pod + 4) % 300;
      }
    });
  }
  api.hold_bindings(true);
  CHECK(ask(extender, "/v1/filter", R"({"Pod":)" + small_pod + R"(,"NodeNames":["node-0"]})")
            .body.contains(R"("NodeNames":["node-0"])"));
  asked.threads.emplace_back([&] {
    asked.bind = try_to_ask(extender, "/v1/bind",
                            R"({"PodName":"small","PodNamespace":"team","PodUID":"small",)"
                            R"("Node":"node-0"})");
  });
  wait_until([&] { return api.held_bindings() == 1; });
  wait_until([&] { return std::filesystem::exists(folder.path() + "/slow"); });

  child.send(SIGTERM);
  const auto begun = Clock::now();
  child.wait_for_error("draining");
  const auto ready = ask(admin, "/readyz");
  CHECK(ready.status == 503);
  CHECK(ready.body.contains("[-]shutdown failed: the process is draining"));
  CHECK(ask(admin, "/livez").status == 200);
  api.hold_bindings(false);
  const auto ended = child.wait();
  CHECK(Clock::now() - begun < std::chrono::seconds(20));
  CHECK(ended.status == 0);
  asked.join();
  REQUIRE(asked.bind);
  CHECK(asked.bind->body == R"({"Error":""})");
  // It was under way.
  CHECK((!asked.simulation || !asked.simulation->body.contains("\"done\"")));
}

}  // namespace dray::commands_test::shutdown_test
