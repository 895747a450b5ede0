#include "dashboard/dashboard.h"

#include <catch2/catch.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "net/http_client.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::dashboard::dashboard_test {
namespace {

using namespace std::chrono_literals;
using namespace dray::testing;
using service::testing::FakeCluster;
using service::testing::Watched;

/// Explanations that end only when they are told to.
struct Slow {
  std::optional<planner::Explanation> operator()(const planner::Question&,
                                                 const std::stop_token& stop) {
    begun->change([](int& count) { ++count; });
    std::mutex mutex;
    std::condition_variable_any told;
    std::unique_lock lock(mutex);
    told.wait(lock, stop, [] { return false; });
    stopped->change([](int& count) { ++count; });
    return std::nullopt;
  }
  std::shared_ptr<Watched<int>> begun = std::make_shared<Watched<int>>();
  std::shared_ptr<Watched<int>> stopped = std::make_shared<Watched<int>>();
};

/// A dashboard on a port of its own, for a cluster in which one pod waits.
struct Bench {
  Bench() {
    DashboardOptions options;
    options.server.address = "127.0.0.1";
    options.server.port = 0;
    options.board.explain = slow;
    dashboard.emplace(thread, std::move(options), Sources{strand, cluster, metrics, readiness});
    port = dashboard->start().value();
    for (KubeObject object :
         {KubeObject(make_class()), KubeObject(make_node("n0")), KubeObject(make_gpus("n0", 2)),
          KubeObject(make_claim("c", 3, "p")), KubeObject(with_claim(make_pod("p"), "c"))}) {
      strand.post(cluster::ObjectChanged{std::move(object)});
    }
    strand.post(engine::Synced{});
  }
  ~Bench() {
    dashboard.reset();
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Asks why the pod waits, and reads the head of the answer.
  std::shared_ptr<net::HttpStream> ask() {
    if (!client) {
      net::HttpClientOptions options;
      options.base = {false, "127.0.0.1", port, ""};
      client = net::HttpClient::make(loop.io, std::move(options)).value();
    }
    net::HttpRequest request;
    request.method = "GET";
    request.target = "/v1/dashboard/explain?pod=default/p";
    return loop.run(client->open(std::move(request), 10s)).value();
  }

  Slow slow;
  service::Clock clock;
  service::Fence fence;
  metrics::Metrics metrics{"1.2.3"};
  service::Readiness readiness;
  net::testing::Loop loop{1};
  FakeCluster cluster{loop.io};
  service::EngineStrand strand{loop.io, {}, {cluster, clock, fence, metrics, {}, {}}};
  std::uint16_t port = 0;
  std::unique_ptr<net::HttpClient> client;
  net::OwnThread thread;
  std::optional<Dashboard> dashboard;
};

}  // namespace

TEST_CASE("a caller who closes the connection ends the explanation") {
  Bench bench;
  const auto stream = bench.ask();
  CHECK(stream->head().status == 200);
  CHECK(bench.slow.begun->wait([](int count) { return count == 1; }));
  stream->cancel();
  CHECK(bench.slow.stopped->wait([](int count) { return count == 1; }));
}

TEST_CASE("the dashboard drains and ends while explanations are under way") {
  Bench bench;
  const auto first = bench.ask();
  const auto second = bench.ask();
  CHECK(bench.slow.begun->wait([](int count) { return count == 1; }));
  bench.loop.run(bench.dashboard->drain());
  CHECK(bench.slow.stopped->wait([](int count) { return count == 1; }));
  bench.dashboard.reset();
  // The one behind it never began.
  CHECK(bench.slow.begun->get() == 1);
}

TEST_CASE("a dashboard that is not drained ends all the same") {
  Bench bench;
  const auto stream = bench.ask();
  CHECK(bench.slow.begun->wait([](int count) { return count == 1; }));
  bench.dashboard.reset();
  CHECK(bench.slow.stopped->get() == 1);
}

TEST_CASE("loopback addresses are those that this host alone reaches") {
  CHECK(is_loopback("127.0.0.1"));
  CHECK(is_loopback("::1"));
  CHECK(is_loopback("localhost"));
  CHECK_FALSE(is_loopback("0.0.0.0"));
  CHECK_FALSE(is_loopback("10.0.0.7"));
}

}  // namespace dray::dashboard::dashboard_test
