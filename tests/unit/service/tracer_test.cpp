#include "service/tracer.h"

#include <catch2/catch.hpp>
#include <regex>
#include <set>

#include "net/http_server.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"

namespace dray::service::tracer_test {
namespace {

using namespace std::chrono_literals;

constexpr const char* uid = "5a64c1f2-9d3b-4c55-8a3e-7c0f2b1d9e10";
constexpr const char* trace = "5a64c1f29d3b4c558a3e7c0f2b1d9e10";
constexpr const char* parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0";

struct Seen {
  std::vector<std::string> bodies;
  std::set<std::string> types;
  std::vector<int> answers;  ///< to come; then 200
};
using SharedSeen = std::shared_ptr<testing::Watched<Seen>>;

boost::asio::awaitable<net::HttpResponse> take(SharedSeen seen, net::HttpRequest request) {
  int status = 200;
  seen->change([&](Seen& all) {
    all.types.emplace(request.header("Content-Type"));
    all.bodies.push_back(request.path() == "/v1/traces" ? request.body : "elsewhere");
    if (all.answers.empty()) return;
    status = all.answers.front();
    all.answers.erase(all.answers.begin());
  });
  co_return net::json_response(status, "{}");
}

/// A collector, and a tracer that sends to it at once.
struct Collector {
  Collector() {
    options.endpoint = {false, "127.0.0.1", server.listen().value(), "/v1/traces"};
    options.source = {"1.2.3", "dray-0"};
    options.every = 1ms;
    options.first_pause = 1ms;
  }
  ~Collector() { loop.stop(); }
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  bool gets(std::size_t requests) {
    return seen->wait([&](const Seen& all) { return all.bodies.size() >= requests; });
  }
  std::string all() {
    std::string text;
    for (const auto& body : seen->get().bodies) text += body;
    return text;
  }
  bool counts(const std::string& result, int spans) {
    const auto line =
        "dray_trace_spans_total{result=\"" + result + "\"} " + std::to_string(spans) + "\n";
    return testing::eventually([&] { return metrics.page({}).contains(line); });
  }

  SharedSeen seen = std::make_shared<testing::Watched<Seen>>();
  net::testing::Loop loop{1};
  net::HttpServer server{loop.io, {}, [seen = seen](net::HttpRequest request) {
                           return take(seen, std::move(request));
                         }};
  metrics::Metrics metrics{"x"};
  TracerOptions options;
};

}  // namespace

TEST_CASE("a pod's trace is its uid; another id makes one of the right length") {
  CHECK(trace_id_of(uid) == trace);
  for (const auto* other : {"uid-p", "", "00000000-0000-0000-0000-000000000000",
                            "5A64C1F2-9D3B-4C55-8A3E-7C0F2B1D9E10"}) {
    INFO(other);
    CHECK(std::regex_match(trace_id_of(other), std::regex("[0-9a-f]{32}")));
    CHECK(trace_id_of(other) != std::string(32, '0'));
  }
  CHECK(trace_id_of("uid-p") != trace_id_of("uid-q"));
}

TEST_CASE("a traceparent is taken as W3C has it, and nothing else is") {
  const auto read = parse_traceparent(std::string(parent) + "1");
  REQUIRE(read);
  CHECK(*read == TraceParent{"0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", true});
  CHECK_FALSE(parse_traceparent(std::string(parent) + "0")->sampled);
  CHECK(parse_traceparent(std::string(parent) + "b")->sampled);
  for (const auto* text : {"", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
                           "00-00000000000000000000000000000000-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
                           "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-zz"}) {
    INFO(text);
    CHECK_FALSE(parse_traceparent(text));
  }
}

TEST_CASE("a call and the writes below it reach the collector as one trace") {
  Collector collector;
  Tracer tracer(collector.options, collector.metrics);
  auto call = tracer.begin_call("bind", Uid(uid), "");
  REQUIRE(call);
  auto write = tracer.begin("BindPod", Uid(uid));
  REQUIRE(write);
  CHECK(call->trace_id == trace);
  CHECK(call->parent_id.empty());
  CHECK(write->trace_id == trace);
  CHECK(write->parent_id == call->span_id);
  CHECK(tracer.trace_of(Uid(uid)) == trace);
  CHECK(std::regex_match(call->span_id, std::regex("[0-9a-f]{16}")));
  CHECK(call->span_id != write->span_id);
  // The next call stands beside the first.
  const auto again = tracer.begin_call("bind", Uid(uid), "");
  CHECK(again->parent_id.empty());
  tracer.end(*write);
  tracer.end(*call);
  REQUIRE(collector.counts("sent", 2));
  const auto text = collector.all();
  CHECK(text.contains(R"("name":"bind","kind":2)"));
  CHECK(text.contains(R"("name":"BindPod")"));
  CHECK(text.contains(R"({"key":"service.name","value":{"stringValue":"dray"}})"));
  CHECK(collector.seen->get().types == std::set<std::string>{"application/json"});
}

TEST_CASE("a caller's trace goes on, and his sampling holds") {
  Collector collector;
  collector.options.sampling = 0;
  Tracer tracer(collector.options, collector.metrics);
  CHECK_FALSE(tracer.begin_call("filter", Uid("other"), ""));
  CHECK_FALSE(tracer.begin("plan"));
  const auto call = tracer.begin_call("filter", Uid(uid), std::string(parent) + "1");
  REQUIRE(call);
  CHECK(call->trace_id == "0af7651916cd43dd8448eb211c80319c");
  CHECK(call->parent_id == "b7ad6b7169203331");
  CHECK(tracer.begin("LiftGate", Uid(uid))->parent_id == call->span_id);
  CHECK(tracer.trace_of(Uid(uid)) == call->trace_id);
  CHECK(tracer.trace_of(Uid("other")).empty());
  CHECK_FALSE(tracer.begin_call("filter", Uid(uid), std::string(parent) + "0"));
}

TEST_CASE("a part of the traces is sampled, each wholly or not") {
  Collector collector;
  collector.options.sampling = 0.25;
  Tracer tracer(collector.options, collector.metrics);
  int sampled = 0;
  for (int i = 0; i < 2000; ++i) {
    const Uid pod("pod-" + std::to_string(i));
    const bool is = tracer.begin("x", pod).has_value();
    CHECK(is == tracer.begin("y", pod).has_value());
    sampled += is ? 1 : 0;
  }
  CHECK(sampled > 400);
  CHECK(sampled < 600);
}

TEST_CASE("a collector that is not there yet is asked again; one that refuses is not") {
  Collector collector;
  collector.seen->change([](Seen& all) { all.answers = {503, 429, 200, 400}; });
  Tracer tracer(collector.options, collector.metrics);
  tracer.end(*tracer.begin("first"));
  CHECK(collector.counts("sent", 1));
  REQUIRE(collector.gets(3));
  CHECK(collector.seen->get().bodies[0] == collector.seen->get().bodies[2]);
  tracer.end(*tracer.begin("second"));
  CHECK(collector.counts("refused", 1));
  CHECK(collector.seen->get().bodies.size() == 4);
}

TEST_CASE("what the queue does not hold is dropped and counted; nobody waits") {
  Collector collector;
  collector.options.most_waiting = 3;
  collector.options.every = 1h;
  collector.options.endpoint.port = 1;  // nobody listens
  collector.options.attempts = 1;
  {
    Tracer tracer(collector.options, collector.metrics);
    // The first round finds nothing, and the next one is far.
    std::this_thread::yield();
    for (int i = 0; i < 20; ++i) tracer.end(*tracer.begin("x"));
  }
  const auto page = collector.metrics.page({});
  std::smatch found;
  REQUIRE(std::regex_search(page, found,
                            std::regex(R"x(dray_trace_spans_total\{result="dropped"\} (\d+))x")));
  // 17 or, where the round took some first, fewer by the queue; and those that nobody took.
  CHECK(std::stoi(found[1]) == 20);
}

TEST_CASE("what waits is sent at the end") {
  Collector collector;
  collector.options.every = 1h;
  {
    Tracer tracer(collector.options, collector.metrics);
    for (int i = 0; i < 600; ++i) tracer.end(*tracer.begin("x"));
  }
  CHECK(collector.counts("sent", 600));
}

TEST_CASE("calls of many pods are not kept for ever") {
  Collector collector;
  collector.options.most_pods = 2;
  Tracer tracer(collector.options, collector.metrics);
  for (const auto* pod : {"a", "b", "c"}) {
    CHECK(tracer.begin_call("filter", Uid(pod), ""));
  }
  CHECK(tracer.begin("x", Uid("a"))->parent_id.empty());
  CHECK_FALSE(tracer.begin("x", Uid("c"))->parent_id.empty());
}

}  // namespace dray::service::tracer_test
