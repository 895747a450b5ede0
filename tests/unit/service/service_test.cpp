#include "service/service.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>

#include "dray/base/check.h"
#include "net/http_client.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::service_test {
namespace {
using namespace std::chrono_literals;
using Catch::Contains;
using testing::eventually;
using testing::FakeCluster;

constexpr const char* policy =
    "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a}\n";
constexpr const char* bad_policy =
    "apiVersion: dray.dev/v1alpha1\nkind: Policy\nqueues:\n  - {name: a, weight: 2}\n";

ServiceOptions with_lease(Duration standby_round = 5s) {
  ServiceOptions options;
  options.version = "1.2.3";
  options.drain = 5s;
  options.lease.emplace();
  options.lease->lease = {"dray-system", "dray"};
  options.lease->identity = "us";
  options.lease->renew_every = 5ms;
  options.standby_round = standby_round;
  return options;
}

ServiceOptions alone() {
  auto options = with_lease();
  options.lease.reset();
  return options;
}

/// A service before a cluster that says yes, and a client of its ports.
struct Bench {
  explicit Bench(const ServiceOptions& options = with_lease()) {
    service.emplace(loop.io, options, cluster, clock);
  }
  ~Bench() {
    cluster.let_go("PutLease");
    loop.run(drained());
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// What comes back from a port: `503 text`; empty: nobody listens, or the connection was cut.
  std::string ask(std::uint16_t port, net::HttpRequest request) {
    net::HttpClientOptions options;
    options.base = {false, "127.0.0.1", port, ""};
    const auto client = net::HttpClient::make(loop.io, options).value();
    const auto answer = loop.run(client->send(std::move(request), testing::patience));
    if (!answer) return "";
    return std::to_string(answer->status) + " " + answer->body;
  }
  std::string get(const std::string& target) {
    net::HttpRequest request;
    request.target = target;
    return ask(service->admin_port(), request);
  }
  std::string post_bind() {
    net::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/bind";
    request.headers = {{"Content-Type", "application/json"}};
    request.body = R"({"PodName":"p","PodNamespace":"default","PodUID":"u","Node":"n0"})";
    return ask(service->extender_port(), request);
  }
  bool becomes_ready() {
    return eventually([&] { return get("/readyz") == "200 ok"; });
  }
  void start_and_lead() {
    REQUIRE(service->start());
    cluster.tell(engine::Synced{});
    REQUIRE(becomes_ready());
    REQUIRE(eventually([&] { return post_bind().starts_with("200"); }));
  }
  void break_it() {
    service->engine().post("test", [](engine::Engine&, Time) -> engine::Effects {
      DRAY_CHECK(1 + 1 == 3);
      return {};
    });
  }
  /// A write of the engine's that the cluster does not answer yet.
  void begin_write() {
    cluster.hold("ReadPod");
    service->engine().post("test", [](engine::Engine&, Time) {
      engine::Effects effects;
      effects.emplace_back(
          engine::SendWrite{engine::WriteId(1'000'000), engine::ReadPod{{"default", "p"}}});
      return effects;
    });
    REQUIRE(cluster.seen.wait([](const auto& all) {
      return std::ranges::find(all.asked, "ReadPod") != all.asked.end();
    }));
  }
  boost::asio::awaitable<bool> drained() {
    co_await service->drain();
    co_return true;
  }

  net::testing::TempFolder folder;
  Clock clock;
  net::testing::Loop loop{3};
  FakeCluster cluster{loop.io};
  std::optional<Service> service;
};
}  // namespace

TEST_CASE("a replica that holds the Lease and has listed the cluster is ready and serves") {
  Bench bench;
  REQUIRE(bench.service->start());
  REQUIRE(eventually([&] { return bench.post_bind().starts_with("200"); }));
  // It leads, but has not seen the cluster yet.
  CHECK(bench.get("/livez") == "200 ok");
  const auto early = bench.get("/readyz");
  CHECK_THAT(early, Catch::StartsWith("503 ") &&
                        Contains("[-]sync failed: the cluster has not been listed yet"));
  bench.cluster.tell(engine::Synced{});
  CHECK(bench.becomes_ready());
  CHECK_THAT(bench.get("/metrics"), Contains("\ndray_leader 1\n") &&
                                        Contains("\ndray_synced 1\n") &&
                                        Contains("version=\"1.2.3\""));
}

TEST_CASE("a replica without the Lease is alive, not ready, and does not serve kube-scheduler") {
  Bench bench;
  bench.cluster.seen.change([](auto& all) {
    all.lease.meta.resource_version = ResourceVersion("7");
    all.lease.holder = "them";
    all.lease.duration_seconds = 3600;
  });
  REQUIRE(bench.service->start());
  bench.cluster.tell(engine::Synced{});
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("ReadLease") >= 3; }));
  REQUIRE(eventually(
      [&] { return bench.get("/metrics").find("\ndray_synced 1\n") != std::string::npos; }));
  CHECK(bench.get("/livez") == "200 ok");
  CHECK_THAT(
      bench.get("/readyz"),
      Catch::StartsWith("503 ") && Contains("[-]leader failed: another replica holds the Lease"));
  CHECK(bench.post_bind().empty());
  CHECK(bench.cluster.seen.get().refreshed == 0);
  CHECK(bench.service->readiness().leadership->holder() == "them");
}

TEST_CASE("a replica says that it stands by once it has listed the cluster") {
  Bench bench(with_lease(5ms));
  const auto named = [&] { return bench.service->readiness().standbys->seen().names; };
  bench.cluster.seen.change([](auto& all) {
    all.lease.meta.resource_version = ResourceVersion("7");
    all.lease.holder = "them";
    all.lease.duration_seconds = 3600;
  });
  REQUIRE(bench.service->start());
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.count("ReadLease") >= 3; }));
  CHECK(named().empty());
  bench.cluster.tell(engine::Synced{});
  REQUIRE(eventually([&] { return named() == std::vector<std::string>{"us"}; }));
  bench.break_it();
  CHECK(eventually([&] { return named().empty(); }));
}

TEST_CASE("a leader does not stand by, and sees who does") {
  Bench bench(with_lease(5ms));
  bench.cluster.seen.change([](auto& all) {
    auto& lease = all.standbys["dray-standby-1"];
    lease.holder = "other";
    lease.duration_seconds = 3600;
  });
  bench.start_and_lead();
  const auto& readiness = bench.service->readiness();
  CHECK(eventually(
      [&] { return readiness.standbys->seen().names == std::vector<std::string>{"other"}; }));
  CHECK(readiness.leadership->holder() == "us");
}

TEST_CASE("a new leader lists the claims afresh, again if need be, before it serves") {
  Bench bench;
  bench.cluster.seen.change([](auto& all) { all.refresh_fails = 1; });
  bench.start_and_lead();
  CHECK(bench.cluster.seen.get().refreshed == 2);
}

TEST_CASE("after another term claims are listed once nothing of it may land any more") {
  Bench bench;
  bench.cluster.seen.change([](auto& all) {
    all.lease.meta.resource_version = ResourceVersion("100");
    all.lease.transitions = 1;
  });
  bench.start_and_lead();
  const auto seen = bench.cluster.seen.get();
  CHECK(seen.refreshed_at >= seen.lease.acquired.value() + engine::fence_lag(2));
}

TEST_CASE("losing the Lease closes the extender's port and cuts writes off") {
  Bench bench;
  bench.start_and_lead();
  CHECK(bench.cluster.seen.get().abandoned == 0);
  bench.cluster.seen.change([](auto& all) {
    all.lease.holder = "them";
    all.lease.duration_seconds = 3600;
    all.lease.meta.resource_version = ResourceVersion("100");
  });
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.abandoned == 1; }));
  CHECK(eventually([&] { return bench.post_bind().empty(); }));
  CHECK_THAT(bench.get("/readyz"), Contains("[-]leader failed"));
  // And back.
  bench.cluster.seen.change([](auto& all) {
    all.lease.holder = "";
    all.lease.meta.resource_version = ResourceVersion("200");
  });
  CHECK(bench.becomes_ready());
  CHECK(eventually([&] { return bench.post_bind().starts_with("200"); }));
}

TEST_CASE("a replica that needs no Lease leads from the start") {
  Bench bench(alone());
  REQUIRE(bench.service->start());
  bench.cluster.tell(engine::Synced{});
  CHECK(bench.becomes_ready());
  CHECK(bench.post_bind().starts_with("200"));
  CHECK(bench.cluster.seen.get().asked.empty());
}

TEST_CASE("after a broken invariant dray is alive and unready, and another replica may lead") {
  Bench bench;
  bench.start_and_lead();
  bench.break_it();
  REQUIRE(bench.cluster.seen.wait(
      [](const auto& all) { return all.lease.holder.empty() && all.abandoned >= 1; }));
  const auto ready = bench.get("/readyz");
  CHECK_THAT(ready, Catch::StartsWith("503 ") &&
                        Contains("[-]invariants failed: dray found a fault of its own: ") &&
                        Contains("service_test.cpp:") && Contains(": 1 + 1 == 3\n"));
  CHECK_THAT(ready, Contains("[-]leader failed"));
  CHECK(bench.get("/livez") == "200 ok");
  CHECK_THAT(bench.get("/metrics"),
             Contains("\ndray_broken_invariants_total 1\n") && Contains("\ndray_leader 0\n"));
  CHECK(bench.post_bind().empty());
  // Nothing is written any more, and the Lease stays free.
  const auto asked = bench.cluster.seen.get().asked.size();
  bench.service->engine().post(engine::LeadershipChanged{true, 9});
  CHECK(bench.get("/livez") == "200 ok");
  CHECK(bench.cluster.seen.get().asked.size() == asked);
  CHECK(bench.cluster.seen.get().lease.holder.empty());
}

TEST_CASE("after a broken invariant the Lease is held until the writes under way have ended") {
  Bench bench;
  bench.start_and_lead();
  bench.begin_write();
  bench.break_it();
  REQUIRE(
      eventually([&] { return bench.get("/readyz").find("[-]invariants") != std::string::npos; }));
  const auto renewals = bench.cluster.seen.get().count("PutLease");
  REQUIRE(bench.cluster.seen.wait([&](const auto& all) {
    return all.lease.holder.empty() || all.count("PutLease") >= renewals + 3;
  }));
  CHECK(bench.cluster.seen.get().lease.holder == "us");
  CHECK(bench.service->readiness().lease_epoch == 0);
  bench.cluster.let_go("ReadPod");
  CHECK(bench.cluster.seen.wait([](const auto& all) { return all.lease.holder.empty(); }));
}

TEST_CASE("a broken invariant of a replica that needs no Lease closes its port too") {
  Bench bench(alone());
  REQUIRE(bench.service->start());
  bench.break_it();
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.abandoned == 1; }));
  CHECK(bench.post_bind().empty());
  CHECK(bench.get("/livez") == "200 ok");
  CHECK_THAT(bench.get("/readyz"), Contains("[-]invariants failed"));
}

TEST_CASE("an invariant that breaks while dray takes over leaves the extender closed") {
  Bench bench;
  bench.break_it();
  REQUIRE(bench.service->start());
  REQUIRE(
      eventually([&] { return bench.get("/readyz").find("[-]invariants") != std::string::npos; }));
  CHECK(bench.post_bind().empty());
}

TEST_CASE("a leader whose port cannot be opened gives the Lease up, says why, and tries again") {
  auto options = with_lease();
  options.rest = 20ms;
  Bench bench(options);
  bench.cluster.hold("PutLease");
  REQUIRE(bench.service->start());
  bench.cluster.tell(engine::Synced{});
  net::HttpServerOptions same;
  same.port = bench.service->extender_port();
  net::HttpServer other(bench.loop.io, same,
                        [](net::HttpRequest) -> boost::asio::awaitable<net::HttpResponse> {
                          co_return net::text_response(418, "another");
                        });
  REQUIRE(other.listen());
  bench.cluster.let_go("PutLease");
  REQUIRE(bench.cluster.seen.wait(
      [](const auto& all) { return all.lease.transitions >= 2 && all.count("PutLease") >= 4; }));
  const auto says_why = [&] {
    return bench.get("/readyz").find("[-]extender failed") != std::string::npos;
  };
  CHECK(eventually(says_why));
  other.stop_listening();
  CHECK(bench.becomes_ready());
  CHECK(eventually([&] { return bench.post_bind().starts_with("200"); }));
}

TEST_CASE("draining turns unready, gives the Lease back and stops the watch") {
  Bench bench;
  bench.start_and_lead();
  bench.loop.run(bench.drained());
  const auto seen = bench.cluster.seen.get();
  CHECK(seen.lease.holder.empty());
  CHECK(seen.stopped);
  CHECK(bench.post_bind().empty());
  CHECK(bench.get("/livez").empty());
}

TEST_CASE("draining holds the Lease until the writes that are under way have ended") {
  Bench bench;
  bench.start_and_lead();
  bench.begin_write();
  auto draining = bench.loop.start(bench.drained());
  REQUIRE(eventually([&] { return bench.get("/readyz").starts_with("503"); }));
  const auto renewals = bench.cluster.seen.get().count("PutLease");
  REQUIRE(bench.cluster.seen.wait([&](const auto& all) {
    return all.lease.holder.empty() || all.count("PutLease") >= renewals + 3;
  }));
  CHECK(bench.cluster.seen.get().lease.holder == "us");
  bench.cluster.let_go("ReadPod");
  draining.get();
  const auto seen = bench.cluster.seen.get();
  CHECK(seen.count("ReadPod") == 1);
  CHECK(seen.not_permitted == 0);
  CHECK(seen.lease.holder.empty());
}

TEST_CASE("a write that never ends does not keep dray from ending, and is not sent later") {
  auto options = with_lease();
  options.drain = 20ms;
  Bench bench(options);
  bench.start_and_lead();
  bench.begin_write();
  bench.loop.run(bench.drained());
  CHECK(bench.cluster.seen.get().lease.holder.empty());
  bench.cluster.let_go("ReadPod");
  REQUIRE(bench.cluster.seen.wait([](const auto& all) { return all.not_permitted == 1; }));
  CHECK(bench.cluster.seen.get().count("ReadPod") == 0);
}

TEST_CASE("a policy file with an error keeps dray from starting, and later changes nothing") {
  Bench first;
  auto options = alone();
  options.policy_file = first.folder.write("policy.yaml", bad_policy);
  Bench bench(options);
  const auto refused = bench.service->start();
  REQUIRE_FALSE(refused);
  CHECK_THAT(refused.error().message, Contains("policy.yaml:4:") && Contains("weight"));

  first.folder.write("policy.yaml", policy);
  Bench good(options);
  REQUIRE(good.service->start());
  CHECK_THAT(good.get("/metrics"), Contains("\ndray_policy_in_force 1\n"));
  first.folder.write("policy.yaml", bad_policy);
  good.service->reload_policy();
  const auto shows = [&](const std::string& line) {
    return eventually([&] { return good.get("/metrics").find(line) != std::string::npos; });
  };
  CHECK(shows("\ndray_policy_in_force 0\n"));
  CHECK(shows("\ndray_policy_generation 1\n"));
  CHECK(shows("\ndray_policy_loads_total{result=\"refused\"} 1\n"));
  CHECK_THAT(good.get("/metrics"), Contains("dray_policy_problem{reason=\"") && Contains("weight"));
  first.folder.write("policy.yaml", policy);
  good.service->reload_policy();
  CHECK(shows("\ndray_policy_in_force 1\n"));
}

TEST_CASE("an address that cannot be listened on is an error at the start") {
  const auto which = GENERATE(std::string("admin"), std::string("extender"));
  auto options = with_lease();
  (which == "admin" ? options.admin : options.extender).address = "203.0.113.1";
  Bench bench(options);
  const auto started = bench.service->start();
  REQUIRE_FALSE(started);
  CHECK_THAT(started.error().message, Catch::StartsWith(which + " address: listen"));
  CHECK(bench.cluster.seen.get().asked.empty());
}

}  // namespace dray::service::service_test
