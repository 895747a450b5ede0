#include "dashboard/simulations.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/objects/gpus.h"
#include "tests/unit/dashboard/heard.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::dashboard::simulations_test {
namespace {

using Catch::Contains;
using namespace dray::testing;
using service::testing::eventually;
using service::testing::FakeCluster;

/// A pod that asks for one of the node's two GPUs.
std::string wants_one(const std::string& name, const std::string& more = "") {
  return R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": ")" + name + R"(")" + more +
         R"(}, "spec": {"schedulerName": "dray-scheduler", "containers": [{"name": "main"}],)"
         R"( "resourceClaims": [{"name": "gpu", "resourceClaimTemplateName": "one"}]}})";
}
std::string asks(const std::string& items, const std::string& more = "") {
  return R"({"workload": {"kind": "List", "items": [)" + items + "]}" + more + "}";
}
const std::string ends_soon = R"(, "annotations": {"sim.dray.dev/run-seconds": "60"})";

struct Bench {
  explicit Bench(SimulationLimits limits = {},
                 std::function<std::uint64_t()> memory = resident_bytes) {
    simulations.emplace(loop.io, SimulationsOptions{limits, {}, {}, std::move(memory)}, cluster,
                        readiness);
    cluster.seen.change([](auto& seen) {
      seen.objects = {make_class(), make_node("n0"), make_gpus("n0", 2),
                      make_template("one", {request("gpu", exactly(1, "gpu"))})};
    });
  }
  ~Bench() {
    loop.stop();
    simulations->end();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  net::HttpResponse ask(std::string body, net::HttpHeaders more = {}) {
    net::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/simulate";
    request.headers = {{"Host", "localhost:8080"},
                       {"Content-Type", "application/json; charset=utf-8"}};
    for (auto& header : more)
      std::erase_if(request.headers, [&](const auto& had) { return had.name == header.name; });
    request.headers.insert(request.headers.end(), more.begin(), more.end());
    request.body = std::move(body);
    return simulations->answer(request);
  }
  /// All lines of an answer.
  std::string hear(net::HttpResponse response) {
    REQUIRE(response.status == 200);
    REQUIRE(response.stream);
    const auto listener = std::make_shared<Listener>();
    done(response.stream(listener));
    return listener->text.get();
  }
  void done(boost::asio::awaitable<void> stream) {
    boost::asio::co_spawn(loop.io, std::move(stream), boost::asio::use_future).get();
  }

  service::Readiness readiness;
  net::testing::Loop loop{1};
  FakeCluster cluster{loop.io};
  std::optional<Simulations> simulations;
};

}  // namespace

TEST_CASE("pods are played on the cluster as it is, and each is told of") {
  Bench bench;
  const auto answer = bench.hear(bench.ask(asks(wants_one("a", ends_soon) + "," + wants_one("b") +
                                                "," + wants_one("c") + "," + wants_one("d"))));
  CHECK_THAT(answer, Contains(R"("policy":"in force")") && Contains(R"("bound":3)"));
  CHECK_THAT(answer, Contains(R"("name":"d","queue":"default","created":0,"reason":")"));
  CHECK(bench.cluster.seen.get().asked.empty());
  CHECK(answer.ends_with("}\n"));
}

TEST_CASE("a policy shows what it changes at once, and how what waits would fare under both") {
  Bench bench;
  bench.cluster.seen.change([](auto& seen) {
    auto waits = with_template(make_pod("waits"), "one");
    waits.meta.uid = Uid("waits-uid");
    seen.objects.push_back(waits);
  });
  const auto answer = bench.hear(bench.ask(
      R"({"policies": [{"name": "closed", "policy": "apiVersion: dray.dev/v1alpha1\nkind: Policy\nresources: {gpu: [{deviceClass: gpu, amount: 1}]}\nqueues: [{name: default, limit: {gpu: 0}}]\n"}]})"));
  CHECK_THAT(
      answer,
      Contains(
          R"({"effect":{"policy":"closed","atOnce":{"jobs":[{"change":"newly-waiting","job":"default/waits")"));
  CHECK_THAT(answer,
             Contains(R"({"runs":[{"policy":"in force")") && Contains(R"({"policy":"closed")"));
}

TEST_CASE("one that is refused is told why, and what it may do") {
  Bench bench;
  CHECK(bench.ask("{}").status == 400);
  CHECK(bench.ask(asks(wants_one("a")), {{"Content-Type", "text/plain"}}).status == 415);
  CHECK(bench.ask(asks(wants_one("a")), {{"Origin", "http://evil.example"}}).status == 403);
  CHECK(bench.ask(asks(wants_one("a")), {{"Origin", "null"}}).status == 403);
  CHECK(bench.ask(asks(wants_one("a")), {{"Sec-Fetch-Site", "cross-site"}}).status == 403);
  CHECK(bench
            .ask(asks(wants_one("a")),
                 {{"Origin", "http://localhost:8080"}, {"Sec-Fetch-Site", "same-origin"}})
            .status == 200);
  SimulationLimits none;
  none.at_a_time = 0;
  Bench off(none);
  CHECK(off.ask(asks(wants_one("a"))).status == 403);
}

TEST_CASE("while as many run as may, others are told to come again; then they may") {
  Bench bench;
  bench.cluster.seen.change([](auto& seen) { seen.hold_lists = true; });
  auto first = bench.ask(asks(wants_one("a")));
  CHECK(first.status == 200);
  const auto second = bench.ask(asks(wants_one("a")));
  CHECK(second.status == 429);
  CHECK(second.header("Retry-After") == "5");
  bench.cluster.seen.change([](auto& seen) { seen.hold_lists = false; });
  CHECK_THAT(bench.hear(std::move(first)), Contains(R"({"runs":)"));
  CHECK(eventually([&] { return bench.ask(asks(wants_one("a"))).status == 200; }));
}

TEST_CASE("a run ends when whoever asked is gone, also before it heard anything") {
  Bench bench;
  bench.cluster.seen.change([](auto& seen) { seen.hold_lists = true; });
  SECTION("he listens, and goes") {
    auto response = bench.ask(asks(wants_one("a")));
    REQUIRE(response.status == 200);
    const auto listener = std::make_shared<Listener>();
    listener->gone = true;
    bench.done(response.stream(listener));
  }
  SECTION("he never listens") {
    REQUIRE(bench.ask(asks(wants_one("a"))).status == 200);
  }
  CHECK(eventually([&] { return bench.ask(asks(wants_one("a"))).status == 200; }));
}

TEST_CASE("a run that takes too long, too much memory or too much of a cluster says so") {
  SimulationLimits limits;
  const std::string long_one = asks(wants_one("a"), R"(, "until": "7d")");
  SECTION("memory") {
    limits.memory_bytes = std::uint64_t{3} << 20;
    std::uint64_t held = 0;
    Bench bench(limits, [&held] { return held += std::uint64_t{2} << 20; });
    CHECK_THAT(
        bench.hear(bench.ask(long_one)),
        Contains(
            R"({"error":{"code":"unsupported","message":"ended: it needs more than the 3 MiB that)"));
  }
  SECTION("time of computing") {
    limits.time = std::chrono::milliseconds(0);
    Bench bench(limits);
    CHECK_THAT(
        bench.hear(bench.ask(long_one)),
        Contains(R"({"error":{"code":"unsupported","message":"ended after 0 s of computing)"));
  }
  SECTION("objects") {
    limits.cluster_objects = 2;
    Bench bench(limits);
    CHECK_THAT(
        bench.hear(bench.ask(long_one)),
        Contains(
            R"({"error":{"code":"unsupported","message":"the cluster has 4 objects, and more than 2)"));
  }
}

}  // namespace dray::dashboard::simulations_test
