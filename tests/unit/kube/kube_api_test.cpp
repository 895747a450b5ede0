#include "kube/kube_api.h"

#include <catch2/catch.hpp>

#include "tests/unit/kube/script.h"

namespace dray::kube::kube_api_test {
namespace {

using namespace std::chrono_literals;
using namespace testing;

}  // namespace

TEST_CASE("claims can be listed afresh at any time") {
  Cluster cluster;
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  const auto before = cluster.script->requests("GET", claims).size();
  CHECK(cluster.loop.run(cluster.api->refresh_claims(10s)));
  CHECK(cluster.script->requests("GET", claims).size() > before);
}

TEST_CASE("a fresh list of the claims that does not come in time is an error") {
  Cluster cluster;
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  cluster.answers("GET " + std::string(claims), {net::json_response(500, status_json(500))});
  const auto fresh = cluster.loop.run(cluster.api->refresh_claims(50ms));
  REQUIRE_FALSE(fresh);
  CHECK(fresh.error() == Error{ErrorCode::unavailable, "no fresh list came in time"});
}

TEST_CASE("each kind's watch shows its lists, and for how long it has failed") {
  Cluster cluster;
  cluster.start();
  CHECK(cluster.loop.run(cluster.api->watches()).empty());
  cluster.answers("GET " + std::string(pods), {net::json_response(500, status_json(500))});
  cluster.watch();
  while (cluster.api->trouble().empty()) std::this_thread::yield();
  bool listed = false;
  while (!listed) {
    for (const auto& watch : cluster.loop.run(cluster.api->watches())) {
      if (watch.kind == Kind::pod) {
        CHECK(watch.lists == 0);
        CHECK(watch.failing > 0s);
      }
      if (watch.kind == Kind::resource_claim && watch.lists > 0) {
        listed = true;
        CHECK(watch.failing == 0s);
        CHECK(watch.silence < 60s);
      }
    }
  }
}

TEST_CASE("before a watch there are no claims to refresh") {
  Cluster cluster;
  cluster.start();
  CHECK_FALSE(cluster.loop.run(cluster.api->refresh_claims(10s)));
}

TEST_CASE("Synced waits for every kind, and says at once what it waits for") {
  Cluster cluster;
  cluster.options.trouble_after = 1h;
  cluster.answers("GET " + std::string(pods), {net::json_response(500, status_json(500))});
  cluster.watch();
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (cluster.api->trouble().empty() && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  CHECK(cluster.api->trouble() == "pods: 500 Internal Server Error: scripted");
  CHECK(std::ranges::count(cluster.heard->all(), "synced") == 0);
}

TEST_CASE("once listed, a kind is in trouble only after it has failed for a while") {
  const auto patience = GENERATE(0ms, 3'600'000ms);
  Cluster cluster;
  cluster.options.trouble_after = patience;
  cluster.script->streams[pods] = {{{}, false, 500}};
  std::atomic<bool> failed = false;
  cluster.options.on_notice = [&](const std::string& text) {
    if (text.starts_with("pods: ")) failed = true;
  };
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  while (!failed) std::this_thread::yield();
  if (patience == 0ms) {
    while (!cluster.api->trouble().contains("pods: 500 ")) std::this_thread::yield();
  } else {
    CHECK(cluster.api->trouble().empty());
  }
  cluster.loop.stop();
}

TEST_CASE("after stop nothing is told") {
  Cluster cluster;
  cluster.watch();
  REQUIRE(cluster.heard->hears("synced"));
  cluster.api->stop();
  cluster.answers("GET " + std::string(claims), {net::json_response(200, list_json("", "1"))});
  CHECK_FALSE(cluster.loop.run(cluster.api->refresh_claims(50ms)));
  CHECK(cluster.heard->all() == Events{"synced"});
}

TEST_CASE("abandoning writes cuts off what is under way, and later ones go on") {
  net::testing::RawServer server;
  Loop loop;
  ClusterConfig config;
  config.server = {false, "127.0.0.1", server.port(), ""};
  const auto api = KubeApi::make(loop.io, config, {}).value();
  auto pending = loop.start(api->write(engine::ReadClaim{{"default", "c0"}}, {}));
  auto socket = server.accept();
  net::testing::RawServer::read_until(socket, "\r\n\r\n");
  api->abandon_writes();
  const auto outcome = pending.get();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
  auto next = loop.start(api->write(engine::ReadPod{{"default", "p0"}}, {}));
  auto again = server.accept();
  net::testing::RawServer::read_until(again, "\r\n\r\n");
  net::testing::RawServer::send(again, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
  CHECK(next.get().error().code == ErrorCode::not_found);
  loop.stop();
}

TEST_CASE("a renewal of the Lease has its own deadline, shorter than other writes'") {
  net::testing::RawServer server;
  Loop loop;
  ClusterConfig config;
  config.server = {false, "127.0.0.1", server.port(), ""};
  KubeApiOptions options;
  options.write_deadline = 1h;
  options.lease_deadline = 20ms;
  const auto api = KubeApi::make(loop.io, config, options).value();
  auto renewed = loop.start(api->write(engine::ReadLease{{"x", "l"}}, {}));
  auto never_answered = server.accept();
  REQUIRE(renewed.wait_for(20s) == std::future_status::ready);
  CHECK(renewed.get().error().code == ErrorCode::unavailable);
  loop.stop();
}

TEST_CASE("certificates that cannot be used are an error at once") {
  Loop loop;
  ClusterConfig config;
  config.server = {true, "127.0.0.1", 1, ""};
  config.tls.ca = "nonsense";
  const auto api = KubeApi::make(loop.io, config, {});
  REQUIRE_FALSE(api);
  CHECK(api.error().code == ErrorCode::invalid);
}

}  // namespace dray::kube::kube_api_test
