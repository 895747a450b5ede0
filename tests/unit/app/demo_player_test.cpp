#include "app/demo/demo_player.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <catch2/catch.hpp>
#include <thread>

#include "service/embedded_scheduler.h"
#include "wire/object/manifests.h"

namespace dray::app::demo_player_test {
namespace {

namespace asio = boost::asio;

constexpr const char* cluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n0}
status: {allocatable: {cpu: "8", memory: 8Gi, pods: "110"}}
---
apiVersion: resource.k8s.io/v1
kind: DeviceClass
metadata: {name: gpu}
spec: {selectors: [{cel: {expression: 'device.driver == "d.io"'}}]}
---
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: n0}
spec:
  driver: d.io
  nodeName: n0
  pool: {name: n0, generation: 1, resourceSliceCount: 1}
  devices: [{name: g0}, {name: g1}]
)";

constexpr const char* workload = R"(
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: both, namespace: demo}
spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu, count: 2}}]}}}
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: demo, annotations: {demo.dray.dev/expect: placed with 2 devices on n0}}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: p, resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: both}]
---
apiVersion: v1
kind: Pod
metadata: {name: second, namespace: demo, annotations: {demo.dray.dev/expect: "waits: no such words"}}
spec:
  schedulerName: dray-scheduler
  containers: [{name: main, image: p, resources: {claims: [{name: gpus}]}}]
  resourceClaims: [{name: gpus, resourceClaimTemplateName: both}]
---
apiVersion: v1
kind: Pod
metadata: {name: first, namespace: demo}
spec: {schedulerName: dray-scheduler, containers: [{name: main, image: p}]}
---
apiVersion: v1
kind: Pod
metadata: {name: other, namespace: demo}
spec: {containers: [{name: main, image: p}]}
)";

std::vector<KubeObject> objects(const char* text) {
  auto manifests = wire::load_manifests(text, "test.yaml");
  REQUIRE(manifests);
  std::vector<KubeObject> all;
  for (auto& located : manifests->objects) all.push_back(std::move(located.value));
  return all;
}

sim::ApiServerOptions gating() {
  sim::ApiServerOptions options;
  options.gate_pods = true;
  options.protect_claims = true;
  return options;
}

/// What `dray demo` wires, on two threads.
struct Stage {
  asio::io_context io;
  service::Clock clock;
  service::EmbeddedApi api{io, clock, gating()};
  service::EmbeddedScheduler scheduler{io, clock, api, {}};
  service::Service service{io, {}, api, clock};
  std::vector<DemoRow> rows;
  DemoPlayer player{io, api, service, clock, [this](const DemoRow& row) { rows.push_back(row); }};
  std::vector<KubeObject> work = objects(workload);
  std::vector<std::string> unmet;

  void run() {
    for (auto& object : objects(cluster)) api.load(std::move(object));
    REQUIRE(service.start());
    net::Url extender;
    extender.host = "127.0.0.1";
    extender.port = service.extender_port();
    REQUIRE(scheduler.start(extender));
    asio::co_spawn(player.strand(), play(this), asio::detached);
    const std::jthread worker([this] { io.run(); });
    io.run();
  }

  static asio::awaitable<void> play(Stage* stage) {
    auto expectations = Expectations::of(stage->work).value();
    stage->unmet = co_await stage->player.play(std::move(stage->work), std::move(expectations));
    co_await stage->service.drain();
    stage->io.stop();
  }
};

}  // namespace

TEST_CASE("each pod has its row in the order of the workload, with what was decided") {
  Stage stage;
  stage.run();
  REQUIRE(stage.rows.size() == 4);
  const auto& placed = stage.rows[0];
  CHECK(placed.kind == Outcome::Kind::placed);
  CHECK(placed.pod.name == "first");
  CHECK(placed.node == "n0");
  CHECK(placed.devices.size() == 2);
  CHECK(placed.took > std::chrono::microseconds(0));
  CHECK(stage.rows[1].kind == Outcome::Kind::waits);
  CHECK(stage.rows[1].reason.starts_with("dray: too few matching devices are free: "));
  CHECK(stage.rows[1].devices.empty());
  CHECK(stage.rows[2].reason == "pods \"first\" already exists");
  CHECK(stage.rows[3].reason == "another scheduler's: nobody plays it here");
}

TEST_CASE("what the workload declares and is not so is told") {
  Stage stage;
  stage.run();
  REQUIRE(stage.unmet.size() == 2);
  CHECK(stage.unmet[1].starts_with(
      "pod demo/second: declared \"waits: no such words\", but was \"waits: dray: too few"));
}

}  // namespace dray::app::demo_player_test
