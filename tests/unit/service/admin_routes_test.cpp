#include "service/admin_routes.h"

#include <catch2/catch.hpp>

#include "tests/objects/devices.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::admin_routes_test {
namespace {

using Catch::Contains;
using testing::FakeCluster;

struct Bench {
  ~Bench() { loop.stop(); }
  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  net::HttpResponse ask(const std::string& method, const std::string& target) {
    net::HttpRequest request;
    request.method = method;
    request.target = target;
    return loop.run(handler(std::move(request)));
  }
  net::HttpResponse get(const std::string& target) { return ask("GET", target); }
  void make_ready() {
    strand.post(engine::Synced{});
    strand.post(engine::LeadershipChanged{true, 1});
  }

  Clock clock;
  Fence fence;
  metrics::Metrics metrics{"1.2.3"};
  Readiness readiness;
  net::testing::Loop loop;
  FakeCluster cluster{loop.io};
  EngineStrand strand{loop.io, {}, {cluster, clock, fence, metrics, {}, {}}};
  net::HttpHandler handler = admin_routes(strand, cluster, metrics, readiness);
};

void publish(Published<std::string>& slot, const std::string& text) {
  slot.store(std::make_shared<const std::string>(text));
}

TEST_CASE("ready is: listed, leading, no trouble, not draining, no fault") {
  Bench bench;
  CHECK(bench.get("/readyz").status == 503);
  bench.make_ready();
  const auto ready = bench.get("/readyz");
  CHECK(ready.status == 200);
  CHECK(ready.body == "ok");
}

TEST_CASE("a failure of TLS that outlasts the Lease is reported by /livez, a shorter one is not") {
  Bench bench;
  bench.readiness.tls_patience = std::chrono::seconds(15);
  const auto fail_for = [&](double seconds) {
    bench.cluster.seen.change([&](auto& all) {
      all.tls = kube::TlsTrouble{std::chrono::duration<double>(seconds), "unknown authority"};
    });
  };
  CHECK(bench.get("/livez").status == 200);
  fail_for(14.9);
  CHECK(bench.get("/livez").status == 200);
  CHECK_THAT(bench.get("/livez?verbose").body, Contains("[+]apiserver-tls ok: unknown authority"));
  fail_for(15.1);
  CHECK(bench.get("/livez").status == 503);
  CHECK(bench.get("/livez").body ==
        "[+]strand ok\n[-]apiserver-tls failed: no connection to the API server for 15 s: unknown "
        "authority\nlivez check failed\n");
  publish(bench.readiness.broken, "no device twice");
  CHECK(bench.get("/livez").status == 200);
}

TEST_CASE("each thing that is missing is enough to be unready, and is named") {
  struct Row {
    std::string name;
    void (*spoil)(Bench&);
    std::string line;
  };
  const auto row = GENERATE(
      Row{"not listed", [](Bench& b) { b.strand.post(engine::LeadershipChanged{true, 1}); },
          "[-]sync failed: the cluster has not been listed yet\n"},
      Row{"not leading", [](Bench& b) { b.strand.post(engine::Synced{}); },
          "[-]leader failed: another replica holds the Lease\n"},
      Row{"draining",
          [](Bench& b) {
            b.make_ready();
            b.readiness.draining = true;
          },
          "[-]shutdown failed: the process is draining\n"},
      Row{"a watch fails",
          [](Bench& b) {
            b.make_ready();
            b.cluster.seen.change([](auto& all) { all.trouble = "pods: refused"; });
          },
          "[-]watch failed: pods: refused\n"},
      Row{"a broken invariant",
          [](Bench& b) {
            b.make_ready();
            publish(b.readiness.broken, "a.cpp:7: x > 0");
          },
          "[-]invariants failed: dray found a fault of its own: a.cpp:7: x > 0\n"});
  DYNAMIC_SECTION(row.name) {
    Bench bench;
    row.spoil(bench);
    const auto ready = bench.get("/readyz");
    CHECK(ready.status == 503);
    CHECK_THAT(ready.body, Contains(row.line) && Catch::EndsWith("readyz check failed\n"));
    CHECK(std::ranges::count(ready.body, '-') >= 1);
    CHECK(bench.get("/livez").status == 200);
  }
}

TEST_CASE("?verbose lists every check, in the API server's form") {
  Bench bench;
  bench.make_ready();
  CHECK(bench.get("/readyz?verbose").body ==
        "[+]shutdown ok\n[+]invariants ok\n[+]sync ok\n[+]watch ok\n[+]extender ok\n[+]leader ok\n"
        "readyz check passed\n");
  CHECK(bench.get("/livez?verbose").body ==
        "[+]strand ok\n[+]apiserver-tls ok\nlivez check passed\n");
  CHECK(bench.get("/livez").body == "ok");
}

TEST_CASE("gates that differ from the API server's are shown, and make nothing unready") {
  Bench bench;
  bench.cluster.seen.change([](auto& all) {
    all.gates = std::optional(alloc::FeatureGates{{"DRADerivedAttributes", true}});
  });
  GateWatch gates(bench.loop.io, bench.cluster, {});
  bench.readiness.gates = &gates;
  bench.make_ready();
  CHECK_THAT(bench.get("/readyz?verbose").body,
             Contains("\n[+]feature-gates ok: not known: not read yet\nreadyz check passed\n"));
  CHECK_THAT(bench.get("/metrics").body, !Contains("dray_feature_gate_difference{"));
  gates.start();
  REQUIRE(testing::eventually([&] { return !gates.report().differences.empty(); }));
  CHECK_THAT(bench.get("/readyz?verbose").body,
             Contains("\n[+]feature-gates ok: DRADerivedAttributes is on in the API server"));
  CHECK(bench.get("/readyz").body == "ok");
  CHECK_THAT(
      bench.get("/metrics").body,
      Contains("\ndray_feature_gate_difference{gate=\"DRADerivedAttributes\",on_in=\"cluster\"}"
               " 1\n"));
  bench.loop.stop();
}

TEST_CASE("/metrics is Prometheus' text format") {
  Bench bench;
  bench.make_ready();
  const auto page = bench.get("/metrics");
  CHECK(page.status == 200);
  CHECK(page.header("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK_THAT(page.body, Contains("\ndray_synced 1\n") && Contains("\ndray_leader 1\n") &&
                            Contains("\ndray_policy_in_force 1\n"));
}

TEST_CASE("/metrics shows watches, devices, the Lease and the policy's generation") {
  Bench bench;
  bench.make_ready();
  bench.cluster.seen.change([](auto& all) {
    all.watches.push_back({Kind::pod, 2, 1, std::chrono::seconds(3), std::chrono::seconds(4)});
  });
  bench.readiness.lease_epoch = 5;
  bench.readiness.policy_generation = 6;
  bench.strand.post(cluster::ObjectChanged{dray::testing::make_gpus("n0", 8)});
  const auto page = bench.get("/metrics").body;
  for (const auto* line :
       {"dray_watch_lists_total{kind=\"pods\"} 2", "dray_watch_silence_seconds{kind=\"pods\"} 3",
        "dray_watch_corrections_total{kind=\"pods\"} 1",
        "dray_watch_failing_seconds{kind=\"pods\"} 4", "dray_lease_epoch 5",
        "dray_policy_generation 6",
        "dray_driver_devices{driver=\"gpu.example.com\",state=\"free\"} 8"}) {
    CHECK_THAT(page, Contains("\n" + std::string(line) + "\n"));
  }
  CHECK_THAT(page, !Contains("\ndray_recorder_recording "));
}

TEST_CASE("a policy file that is not in force shows in the metrics until it is") {
  Bench bench;
  publish(bench.readiness.policy_problem, "7:12: no such key");
  CHECK_THAT(bench.get("/metrics").body,
             Contains("dray_policy_problem{reason=\"7:12: no such key\"} 1\n"));
  publish(bench.readiness.policy_problem, "");
  CHECK_THAT(bench.get("/metrics").body, Contains("\ndray_policy_in_force 1\n"));
}

TEST_CASE("what is not asked for rightly is refused") {
  Bench bench;
  CHECK(bench.ask("POST", "/livez").status == 405);
  CHECK(bench.ask("HEAD", "/livez").status == 200);
  CHECK(bench.get("/").status == 404);
  CHECK(bench.get("/livez/").status == 404);
  CHECK_THAT(bench.get("/healthz").body, Contains("/livez, /readyz and /metrics"));
}

}  // namespace
}  // namespace dray::service::admin_routes_test
