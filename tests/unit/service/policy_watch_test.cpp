#include "service/policy_watch.h"

#include <catch2/catch.hpp>

#include "service/admin_routes.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::policy_watch_test {
namespace {

using namespace dray::testing;
using Catch::Contains;

struct Bench {
  ~Bench() { loop.stop(); }
  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void tell(KubeObject object) { strand.post(cluster::ObjectChanged{std::move(object)}); }
  std::string get(const std::string& target) {
    net::HttpRequest request;
    request.method = "GET";
    request.target = target;
    return loop.run(handler(std::move(request))).body;
  }

  Clock clock;
  Fence fence;
  metrics::Metrics metrics{"1.2.3"};
  Readiness readiness;
  net::testing::Loop loop;
  testing::FakeCluster cluster{loop.io};
  EngineStrand strand{loop.io, {}, {cluster, clock, fence, metrics, {}, {}}};
  net::HttpHandler handler = admin_routes(strand, cluster, metrics, readiness);
};

std::shared_ptr<const policy::PolicyConfig> counting(const std::string& device_class) {
  auto config = std::make_shared<policy::PolicyConfig>();
  policy::CountingRule rule;
  rule.device_class = ClassName(device_class);
  config->resources = {{.name = "gpu", .rules = {rule}}};
  config->queues.emplace_back().name = policy::QueueName("all");
  return config;
}

TEST_CASE("what the policy names and the cluster lacks is shown, and makes nothing unready") {
  Bench bench;
  PolicyWatch watch(bench.loop.io, bench.strand);
  bench.readiness.policy_watch = &watch;
  bench.tell(make_class());
  bench.tell(make_node("n0"));
  bench.strand.post(engine::PolicyChanged{counting("gpus")});
  bench.strand.post(engine::Synced{});
  bench.strand.post(engine::LeadershipChanged{true, 1});
  CHECK(watch.warnings().empty());
  CHECK_THAT(bench.get("/readyz?verbose"), Contains("\n[+]policy ok\n"));
  watch.start();
  REQUIRE(testing::eventually([&] { return !watch.warnings().empty(); }));
  CHECK_THAT(watch.warnings().front(), Contains("there is no DeviceClass gpus; did you mean gpu?"));
  CHECK_THAT(bench.get("/readyz?verbose"),
             Contains("\n[+]policy ok: resources.gpu[0].deviceClass: counts nothing"));
  CHECK(bench.get("/readyz") == "ok");
  CHECK_THAT(bench.get("/metrics"),
             Contains("\ndray_policy_warning{warning=\"resources.gpu[0].deviceClass: "));
  watch.stop();
}

TEST_CASE("a policy that fits the cluster has no warnings") {
  Bench bench;
  PolicyWatch watch(bench.loop.io, bench.strand);
  bench.readiness.policy_watch = &watch;
  bench.tell(make_class());
  bench.tell(make_node("n0"));
  bench.strand.post(engine::PolicyChanged{counting("gpu")});
  bench.strand.post(engine::Synced{});
  watch.start();
  CHECK_THAT(bench.get("/metrics"), !Contains("\ndray_policy_warning{"));
  CHECK(watch.warnings().empty());
}

}  // namespace
}  // namespace dray::service::policy_watch_test
