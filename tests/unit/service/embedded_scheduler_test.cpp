#include "service/embedded_scheduler.h"

#include <catch2/catch.hpp>
#include <optional>
#include <utility>

#include "net/http_server.h"
#include "service/service.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::embedded_scheduler_test {
namespace {

namespace asio = boost::asio;
using dray::testing::make_claim;
using dray::testing::make_class;
using dray::testing::make_gpus;
using dray::testing::make_node;
using dray::testing::make_pod;
using testing::Watched;
using Asked = Watched<std::vector<std::string>>;  ///< targets of an extender's calls

asio::awaitable<net::HttpResponse> answer(Asked* asked, bool fails, net::HttpRequest request) {
  asked->change([&](auto& all) { all.push_back(request.target); });
  if (fails) co_return net::text_response(500, "no");
  if (request.path() == "/v1/filter") {
    co_return net::json_response(200, R"({"NodeNames":["n1"],"FailedNodes":{},"Error":""})");
  }
  if (request.path() == "/v1/prioritize") {
    co_return net::json_response(200, R"([{"Host":"n1","Score":10}])");
  }
  co_return net::json_response(200, R"({"Error":""})");
}

struct Bench {
  Bench() : api(loop.io, clock, {}), scheduler(loop.io, clock, api, {}) {
    api.add_observer([this](const sim::WatchEvent& event) {
      const auto* pod = event.object ? std::get_if<Pod>(&*event.object) : nullptr;
      if (pod != nullptr) pods.change([&](auto& all) { all = *pod; });
    });
    api.load(make_node("n0"));
    api.load(make_node("n1"));
  }
  ~Bench() {
    scheduler.stop();
    api.stop();
    if (service) loop.run(drained(&*service));
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static asio::awaitable<bool> drained(Service* service) {
    co_await service->drain();
    co_return true;
  }
  void extender_at(std::uint16_t port) {
    REQUIRE(scheduler.start(net::Url{false, "127.0.0.1", port, ""}));
  }
  bool pod_becomes(bool (*holds)(const Pod&)) { return pods.wait(holds); }

  Clock clock;
  Watched<Pod> pods;  ///< the last state of the one pod
  Asked asked;
  net::testing::Loop loop;
  EmbeddedApi api;
  EmbeddedScheduler scheduler;
  std::optional<Service> service;
};

/// An extender of its own answers instead of dray.
net::HttpServer scripted(Bench& bench, bool fails) {
  return {bench.loop.io, {}, [asked = &bench.asked, fails](net::HttpRequest request) {
            return answer(asked, fails, std::move(request));
          }};
}

bool is_unscheduled(const Pod& pod) {
  return std::ranges::any_of(pod.conditions, [](const Condition& condition) {
    return condition.type == "PodScheduled" && condition.status == "False";
  });
}

TEST_CASE("a pod that waits is filtered, scored and bound through the extender") {
  Bench bench;
  auto extender = scripted(bench, false);
  bench.extender_at(extender.listen().value());
  bench.api.load(make_pod("p", "", false));
  bench.api.watch([](const kube::WatchEvent&) {});
  REQUIRE(
      bench.asked.wait([](const auto& all) { return !all.empty() && all.back() == "/v1/bind"; }));
  CHECK(bench.asked.get().front() == "/v1/filter");
}

TEST_CASE("an extender that fails leaves the pod waiting, with a condition that says so") {
  Bench bench;
  auto extender = scripted(bench, true);
  bench.extender_at(extender.listen().value());
  bench.api.load(make_pod("p", "", false));
  bench.api.watch([](const kube::WatchEvent&) {});
  CHECK(bench.pod_becomes(is_unscheduled));
  CHECK(std::ranges::count(bench.asked.get(), "/v1/bind") == 0);
}

TEST_CASE("no answer at all is a failure too") {
  Bench bench;
  std::uint16_t port = 0;
  {
    const net::testing::RawServer gone;
    port = gone.port();
  }
  bench.extender_at(port);
  bench.api.load(make_pod("p", "", false));
  bench.api.watch([](const kube::WatchEvent&) {});
  CHECK(bench.pod_becomes(is_unscheduled));
}

TEST_CASE("after stop no pod is looked at") {
  Bench bench;
  auto extender = scripted(bench, false);
  bench.extender_at(extender.listen().value());
  bench.scheduler.stop();
  bench.api.load(make_pod("p", "", false));
  Watched<bool> synced;
  bench.api.watch([&](const kube::WatchEvent& event) {
    if (std::holds_alternative<engine::Synced>(event)) synced.change([](auto& is) { is = true; });
  });
  REQUIRE(synced.wait([](bool is) { return is; }));
  CHECK(bench.asked.get().empty());
}

TEST_CASE("with dray as the extender a gated pod gets its device, its node, and runs") {
  Bench bench;
  ServiceOptions options;
  bench.service.emplace(bench.loop.io, options, bench.api, bench.clock);
  bench.api.load(make_class());
  bench.api.load(make_gpus("n1", 1));
  bench.api.load(make_claim("c", 1));
  bench.api.load(make_pod("p", "c"));
  // The port is known once the service listens; the scheduler needs it before pods come.
  REQUIRE(bench.service->start());
  bench.extender_at(bench.service->extender_port());
  CHECK(bench.pod_becomes([](const Pod& pod) { return pod.phase == "Running"; }));
  CHECK(bench.pods.get().node_name == NodeName("n1"));
}

}  // namespace
}  // namespace dray::service::embedded_scheduler_test
