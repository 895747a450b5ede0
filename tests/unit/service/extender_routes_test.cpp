#include "service/extender_routes.h"

#include <catch2/catch.hpp>
#include <future>
#include <memory>
#include <utility>

#include "net/http_client.h"
#include "net/http_server.h"
#include "service/embedded_api.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"
#include "wire/extender_codec.h"

namespace dray::service::extender_routes_test {
namespace {

using Catch::Contains;
using dray::testing::make_claim;
using dray::testing::make_class;
using dray::testing::make_gpus;
using dray::testing::make_node;
using dray::testing::make_pod;
using net::HttpResponse;

net::HttpServerOptions small_bodies() {
  net::HttpServerOptions options;
  options.limits.body_bytes = 65536;
  return options;
}

/// A cluster in memory with two nodes of one device each and a pod that wants one, an engine that
/// leads, and the extender's routes behind a port.
struct Bench {
  explicit Bench(const PartitionOptions& part = {}, RequestQueueOptions waiting = {})
      : partition(part), queue(loop.io, waiting) {
    fence.open_for_good();
    for (const auto* node : {"n0", "n1"}) {
      api.load(make_node(node));
      api.load(make_gpus(node, 1));
    }
    api.load(make_class());
    api.load(make_claim("c", 1));
    api.load(make_pod("p", "c"));
    port = server.listen().value();
  }
  ~Bench() {
    api.stop();
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// Until the pod's gate is off: dray has a node for it then.
  void lead() {
    api.watch([this](kube::WatchEvent event) {
      std::visit([this](auto& each) { strand.post(std::move(each)); }, event);
    });
    strand.post(engine::LeadershipChanged{true, 1});
    REQUIRE(testing::eventually([&] { return pod().scheduling_gates.empty(); }));
  }
  Pod pod() {
    return std::get<Pod>(loop.run(api.write(engine::ReadPod{{"default", "p"}}, {})).value());
  }
  HttpResponse send(net::HttpRequest request) {
    net::HttpClientOptions options;
    options.base = {false, "127.0.0.1", port, ""};
    const auto client = net::HttpClient::make(loop.io, options).value();
    return loop.run(client->send(std::move(request), testing::patience)).value();
  }
  HttpResponse post(const std::string& verb, std::string body,
                    const std::string& type = "application/json") {
    net::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/" + verb;
    if (!type.empty()) request.headers.push_back({"Content-Type", type});
    request.body = std::move(body);
    return send(std::move(request));
  }
  extender::FilterRequest filter_request() {
    extender::FilterRequest request;
    request.pod = pod();
    request.node_names = {NodeName("n0"), NodeName("n1")};
    return request;
  }
  bool counted(const std::string& verb, const std::string& result, int times) {
    const auto line = "dray_extender_requests_total{result=\"" + result + "\",verb=\"" + verb +
                      "\"} " + std::to_string(times) + "\n";
    return metrics.page({}).find(line) != std::string::npos;
  }

  Clock clock;
  Fence fence;
  metrics::Metrics metrics{"x"};
  std::shared_ptr<planner::Planner> planner = std::make_shared<planner::Planner>();
  net::testing::Loop loop;
  EmbeddedApi api{loop.io, clock, {}};
  EngineStrand strand{
      loop.io,
      {},
      {api,
       clock,
       fence,
       metrics,
       [planner = planner](const planner::PlanInput& in) { return planner->plan(in); },
       {}}};
  Partition partition;
  RequestQueue queue;
  net::HttpServer server{loop.io, small_bodies(),
                         extender_routes(strand, metrics, partition, queue)};
  std::uint16_t port = 0;
};

}  // namespace

TEST_CASE("filter answers the reserved node; prioritize ranks it first") {
  Bench bench;
  bench.lead();
  const auto request = bench.filter_request();
  const auto filtered = bench.post("filter", wire::encode(request));
  CHECK(filtered.status == 200);
  CHECK(filtered.header("Content-Type") == "application/json");
  const auto answer = wire::decode_filter_response(filtered.body).value();
  CHECK(answer.error.empty());
  REQUIRE(answer.node_names.size() == 1);
  CHECK(bench.counted("filter", "ok", 1));

  const auto scored = bench.post("prioritize", wire::encode(request));
  CHECK(scored.status == 200);
  const auto scores = wire::decode_prioritize_response(scored.body).value();
  for (const auto& [node, score] : scores) {
    CHECK(score == (node == answer.node_names[0] ? 10 : 0));
  }
  CHECK(bench.counted("prioritize", "ok", 1));
  CHECK_THAT(
      bench.metrics.page({}),
      Contains("dray_extender_request_duration_seconds_count{result=\"ok\",verb=\"filter\"} 1\n"));
}

TEST_CASE("filter without a node that fits is refused, and counted so") {
  Bench bench;
  bench.lead();
  auto request = bench.filter_request();
  request.pod = make_pod("greedy", "c2", false);
  const auto filtered = bench.post("filter", wire::encode(request));
  CHECK(filtered.status == 200);
  const auto answer = wire::decode_filter_response(filtered.body).value();
  CHECK(answer.node_names.empty());
  CHECK(answer.error.empty());
  CHECK(bench.counted("filter", "refused", 1));
}

TEST_CASE("filter offers no node of another partition, not even to a pod that dray lets pass") {
  Bench bench({.nodes = "pool=blue", .drivers = {}});
  REQUIRE(bench.partition.see(cluster::ObjectChanged{make_node("n0", {{"pool", "blue"}})}));
  bench.lead();
  auto request = bench.filter_request();
  request.pod = make_pod("no-devices", "", false);
  const auto filtered = bench.post("filter", wire::encode(request));
  const auto answer = wire::decode_filter_response(filtered.body).value();
  CHECK(answer.node_names == std::vector{NodeName("n0")});
  CHECK(answer.failed_unresolvable.at(std::string(text(Reason::node_unknown))) ==
        std::vector{NodeName("n1")});
}

TEST_CASE("bind writes the allocation and the binding, then answers without an error") {
  Bench bench;
  bench.lead();
  const auto filtered = bench.post("filter", wire::encode(bench.filter_request()));
  const auto node = wire::decode_filter_response(filtered.body).value().node_names.at(0);
  const auto bound = bench.post(
      "bind", wire::encode(extender::BindRequest{{"default", "p"}, bench.pod().meta.uid, node}));
  CHECK(bound.status == 200);
  CHECK(wire::decode_bind_response(bound.body).value().error.empty());
  CHECK(bench.pod().node_name == node);
  CHECK(bench.counted("bind", "ok", 1));
  const auto claim = std::get<ResourceClaim>(
      bench.loop.run(bench.api.write(engine::ReadClaim{{"default", "c"}}, {})).value());
  CHECK(claim.allocation);

  const auto again = bench.post(
      "bind", wire::encode(extender::BindRequest{{"default", "stranger"}, Uid("u"), node}));
  CHECK(again.status == 200);
  CHECK_FALSE(wire::decode_bind_response(again.body).value().error.empty());
  CHECK(bench.counted("bind", "error", 1));
}

TEST_CASE("preempt keeps the nodes that dray would accept") {
  Bench bench;
  bench.lead();
  const auto filtered = bench.post("filter", wire::encode(bench.filter_request()));
  const auto node = wire::decode_filter_response(filtered.body).value().node_names.at(0);
  const auto other = node == NodeName("n0") ? NodeName("n1") : NodeName("n0");
  extender::PreemptRequest request{
      bench.pod(), {{NodeName("n0"), {{Uid("v")}, 0}}, {NodeName("n1"), {{Uid("w")}, 0}}}};
  const auto kept = bench.post("preempt", wire::encode(request));
  CHECK(kept.status == 200);
  const auto victims = wire::decode_preempt_response(kept.body).value().victims;
  CHECK(victims.contains(node));
  CHECK_FALSE(victims.contains(other));
  CHECK(bench.counted("preempt", "ok", 1));
  request.victims.erase(node);
  CHECK(wire::decode_preempt_response(bench.post("preempt", wire::encode(request)).body)
            .value()
            .victims.empty());
  CHECK(bench.counted("preempt", "refused", 1));
}

TEST_CASE("a body that cannot be read is an error in the answer, or 400 where it has no place") {
  Bench bench;
  const auto filtered = bench.post("filter", "{\"Pod\":");
  CHECK(filtered.status == 200);
  CHECK_THAT(wire::decode_filter_response(filtered.body).value().error,
             Catch::StartsWith("dray: filter request: "));
  const auto bound = bench.post("bind", "nothing");
  CHECK(bound.status == 200);
  CHECK_THAT(wire::decode_bind_response(bound.body).value().error,
             Catch::StartsWith("dray: bind request: "));
  for (const std::string verb : {"prioritize", "preempt"}) {
    const auto refused = bench.post(verb, "[1");
    CHECK(refused.status == 400);
    CHECK_THAT(refused.body, Catch::StartsWith("dray: " + verb + " request: "));
  }
  for (const auto* verb : {"filter", "bind", "prioritize", "preempt"})
    CHECK(bench.counted(verb, "error", 1));
}

TEST_CASE("what is no call of the extender is refused, and not counted") {
  Bench bench;
  CHECK(bench.post("filters", "{}").status == 404);
  CHECK(bench.post("", "{}").status == 404);
  net::HttpRequest bare;
  bare.method = "POST";
  bare.target = "/filter";
  CHECK(bench.send(bare).status == 404);
  CHECK_THAT(bench.send(bare).body, Contains("/v1/filter, /v1/prioritize, /v1/preempt, /v1/bind"));
  bare.target = "/v1/filter";
  bare.method = "GET";
  const auto got = bench.send(bare);
  CHECK(got.status == 405);
  CHECK(got.header("Allow") == "POST");
  CHECK(bench.post("filter", "{}", "text/plain").status == 415);
  CHECK(bench.post("filter", "{}", "application/json-patch+json").status == 415);
  CHECK_THAT(bench.metrics.page({}), !Contains("dray_extender_requests_total{"));
}

TEST_CASE("a body without a type, or with a charset, is taken for JSON") {
  Bench bench;
  CHECK(bench.post("bind", "{", "").status == 200);
  CHECK(bench.post("bind", "{", "application/json; charset=utf-8").status == 200);
  CHECK(bench.post("bind", "{", "Application/JSON").status == 200);
}

TEST_CASE("a body over the limit is refused before it is read") {
  Bench bench;
  CHECK(bench.post("filter", std::string(65537, ' ')).status == 413);
  CHECK(bench.post("filter", std::string(65536, ' ')).status == 200);
}

namespace {

/// Keeps the engine's strand busy until it is told to go on.
class BusyStrand {
 public:
  explicit BusyStrand(Bench& bench)
      : looked_(bench.loop.start(bench.strand.look([this](engine::Engine&, Time) {
          begun_.set_value();
          go_on_.get_future().wait();
        }))) {
    begun_.get_future().wait();
  }
  void go_on() {
    go_on_.set_value();
    looked_.get();
  }

 private:
  std::promise<void> begun_;
  std::promise<void> go_on_;
  std::future<bool> looked_;
};

/// A filter request as kube-scheduler sends it, on a connection of its own.
std::unique_ptr<net::testing::RawClient> ask_filter(const Bench& bench, const std::string& body) {
  auto client = std::make_unique<net::testing::RawClient>(bench.port);
  client->send("POST /v1/filter HTTP/1.1\r\nHost: dray\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
  return client;
}

bool queued(const Bench& bench, std::size_t requests) {
  return testing::eventually([&] { return bench.queue.size() == requests; });
}

bool shows(Bench& bench, const std::string& line) {
  return testing::eventually(
      [&] { return bench.metrics.page({}).find(line + "\n") != std::string::npos; });
}

}  // namespace

TEST_CASE("a request whose caller has closed the connection costs the engine no step") {
  Bench bench({}, {.at_a_time = 1, .waiting = 8, .wait_time = testing::patience});
  bench.lead();
  const auto body = wire::encode(bench.filter_request());
  BusyStrand busy(bench);
  auto first = ask_filter(bench, body);
  REQUIRE(testing::eventually([&] { return bench.queue.working() == 1; }));
  auto gone = ask_filter(bench, body);
  REQUIRE(queued(bench, 2));
  auto last = ask_filter(bench, body);
  REQUIRE(queued(bench, 3));
  gone->close();
  busy.go_on();
  CHECK_THAT(first->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200 "));
  CHECK_THAT(last->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200 "));
  CHECK(shows(bench, "dray_extender_shed_total{reason=\"left\",verb=\"filter\"} 1"));
  CHECK(shows(bench, "dray_engine_step_duration_seconds_count{cause=\"filter\"} 2"));
  CHECK(bench.counted("filter", "ok", 2));
}

TEST_CASE("where too many requests wait others are refused at once, and the port goes on") {
  Bench bench({}, {.at_a_time = 1, .waiting = 1, .wait_time = testing::patience});
  bench.lead();
  const auto body = wire::encode(bench.filter_request());
  BusyStrand busy(bench);
  auto worked_on = ask_filter(bench, body);
  REQUIRE(queued(bench, 1));
  auto waits = ask_filter(bench, body);
  REQUIRE(queued(bench, 2));
  // The strand is busy all the while.
  auto refused = ask_filter(bench, body);
  const auto head = refused->read_until("\r\n\r\n");
  CHECK_THAT(head, Catch::StartsWith("HTTP/1.1 503 "));
  CHECK_THAT(head, Contains("Retry-After: 1\r\n"));
  CHECK(shows(bench, "dray_extender_shed_total{reason=\"full\",verb=\"filter\"} 1"));
  busy.go_on();
  CHECK_THAT(worked_on->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200 "));
  CHECK_THAT(waits->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200 "));
  CHECK(bench.post("filter", body).status == 200);
}

TEST_CASE("a request whose turn does not come in time is refused, and costs the engine no step") {
  Bench bench({}, {.at_a_time = 1, .waiting = 8, .wait_time = std::chrono::milliseconds(5)});
  bench.lead();
  const auto body = wire::encode(bench.filter_request());
  BusyStrand busy(bench);
  auto worked_on = ask_filter(bench, body);
  REQUIRE(queued(bench, 1));
  auto late = ask_filter(bench, body);
  CHECK_THAT(late->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 503 "));
  busy.go_on();
  CHECK_THAT(worked_on->read_until("\r\n\r\n"), Catch::StartsWith("HTTP/1.1 200 "));
  CHECK(shows(bench, "dray_extender_shed_total{reason=\"late\",verb=\"filter\"} 1"));
  CHECK(shows(bench, "dray_engine_step_duration_seconds_count{cause=\"filter\"} 1"));
}

}  // namespace dray::service::extender_routes_test
