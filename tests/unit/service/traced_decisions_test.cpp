// What a collector gets of a decision: calls, plans and writes through the real routes and strand.
#include <catch2/catch.hpp>
#include <map>
#include <regex>
#include <set>

#include "net/http_server.h"
#include "service/embedded_api.h"
#include "service/extender_routes.h"
#include "service/tracer.h"
#include "tests/objects/gpus.h"
#include "tests/unit/net/support.h"
#include "tests/unit/service/support.h"
#include "wire/extender_codec.h"
#include "wire/json/json_reader.h"

namespace dray::service::traced_decisions_test {
namespace {

using namespace std::chrono_literals;

/// A span as a collector reads it.
struct Read {
  std::string trace, span, parent, name, start, end;
  std::map<std::string, std::string> attributes;
};

std::vector<Read> read_spans(const std::string& body) {
  std::vector<Read> all;
  wire::Document document(body);
  const auto attributes = [](Read& span, const wire::Reader& list) {
    list.items([&](const wire::Reader& item) {
      std::string key, value;
      item.fields([&](auto& io) {
        io.field("key", key);
        io.object("value", [&](auto& of) {
          of.field("stringValue", value);
          of.field("intValue", value);
        });
      });
      span.attributes[key] = value;
    });
  };
  const auto read_span = [&](const wire::Reader& item) {
    auto& span = all.emplace_back();
    item.fields([&](auto& io) {
      io.field("traceId", span.trace);
      io.field("spanId", span.span);
      io.field("parentSpanId", span.parent);
      io.field("name", span.name);
      io.field("startTimeUnixNano", span.start);
      io.field("endTimeUnixNano", span.end);
      if (io.member().key() == "attributes") attributes(span, io.member());
    });
  };
  const auto below = [](const wire::Reader& at, std::string_view key, auto&& each) {
    at.members([&](const wire::Reader& member) {
      if (member.key() == key) member.items(each);
    });
  };
  document.visit([&](const wire::Reader& root) {
    below(root, "resourceSpans", [&](const wire::Reader& resource) {
      below(resource, "scopeSpans",
            [&](const wire::Reader& scope) { below(scope, "spans", read_span); });
    });
  });
  REQUIRE_FALSE(document.problem());
  return all;
}

using SharedBodies = std::shared_ptr<testing::Watched<std::vector<std::string>>>;

boost::asio::awaitable<net::HttpResponse> collect(SharedBodies bodies, net::HttpRequest request) {
  bodies->change([&](auto& all) { all.push_back(std::move(request.body)); });
  co_return net::json_response(200, "{}");
}

/// Notes the trace that each kind of write comes with.
struct NotingApi : EmbeddedApi {
  using EmbeddedApi::EmbeddedApi;

  boost::asio::awaitable<engine::WriteOutcome> write(engine::Write write,
                                                     kube::WriteTerms terms) override {
    traces.change([&](auto& all) { all[std::string(engine::name(write))] = terms.trace; });
    return EmbeddedApi::write(std::move(write), std::move(terms));
  }
  testing::Watched<std::map<std::string, std::string>> traces;
};

/// A cluster in memory, an engine that leads, the extender's routes, and a collector.
struct Bench {
  Bench() {
    fence.open_for_good();
    api.load(testing_node());
    api.load(dray::testing::make_gpus("n0", 1));
    api.load(dray::testing::make_class());
    api.load(dray::testing::make_claim("c", 1));
    api.load(dray::testing::make_pod("p", "c"));
    api.watch([this](kube::WatchEvent event) {
      std::visit([this](auto& each) { strand.post(std::move(each)); }, event);
    });
    strand.post(engine::LeadershipChanged{true, 1});
    REQUIRE(testing::eventually([&] { return pod().scheduling_gates.empty(); }));
  }
  ~Bench() {
    api.stop();
    loop.stop();
  }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static Node testing_node() { return dray::testing::make_node("n0"); }
  TracerOptions tracing() {
    TracerOptions options;
    options.endpoint = {false, "127.0.0.1", collector.listen().value(), "/v1/traces"};
    options.every = 1ms;
    return options;
  }
  Pod pod() {
    return std::get<Pod>(loop.run(api.write(engine::ReadPod{{"default", "p"}}, {})).value());
  }
  void post(const std::string& verb, std::string body, const std::string& traceparent) {
    net::HttpRequest request;
    request.method = "POST";
    request.target = "/v1/" + verb;
    if (!traceparent.empty()) request.headers = {{"traceparent", traceparent}};
    request.body = std::move(body);
    const auto answer = loop.run(routes(std::move(request)));
    CHECK(answer.status == 200);
  }
  void schedule(const std::string& traceparent) {
    extender::FilterRequest request;
    request.pod = pod();
    request.node_names = {NodeName("n0")};
    post("filter", wire::encode(request), traceparent);
    post("prioritize", wire::encode(request), traceparent);
    post(
        "bind",
        wire::encode(extender::BindRequest{{"default", "p"}, request.pod.meta.uid, NodeName("n0")}),
        traceparent);
  }
  /// Those that came until one of this name has.
  std::map<std::string, Read> spans_until(const std::string& name) {
    std::map<std::string, Read> found;
    CHECK(bodies->wait([&](const auto& all) {
      found.clear();
      for (const auto& body : all) {
        for (auto& span : read_spans(body)) {
          auto key = span.name;
          found[key] = std::move(span);
        }
      }
      return found.contains(name);
    }));
    return found;
  }

  Clock clock;
  Fence fence;
  metrics::Metrics metrics{"x"};
  SharedBodies bodies = std::make_shared<testing::Watched<std::vector<std::string>>>();
  net::testing::Loop loop;
  net::HttpServer collector{loop.io, {}, [bodies = bodies](net::HttpRequest request) {
                              return collect(bodies, std::move(request));
                            }};
  Tracer tracer{tracing(), metrics};
  NotingApi api{loop.io, clock, {}};
  std::shared_ptr<planner::Planner> planner = std::make_shared<planner::Planner>();
  EngineStrand strand{
      loop.io,
      {},
      {api,
       clock,
       fence,
       metrics,
       [planner = planner](const planner::PlanInput& in) { return planner->plan(in); },
       {},
       "",
       &tracer}};
  Partition partition;
  RequestQueue queue{loop.io, {}};
  net::HttpHandler routes = extender_routes(strand, metrics, partition, queue, &tracer);
};

}  // namespace

TEST_CASE("plan, calls and writes of a pod are one trace, that of its uid") {
  Bench bench;
  const auto trace = trace_id_of(bench.pod().meta.uid.get());
  bench.schedule("");
  const auto spans = bench.spans_until("bind");
  for (const auto* name :
       {"plan", "LiftGate", "filter", "prioritize", "bind", "AllocateClaim", "BindPod"}) {
    INFO(name);
    REQUIRE(spans.contains(name));
    const auto& span = spans.at(name);
    CHECK(span.trace == trace);
    CHECK(std::regex_match(span.span, std::regex("[0-9a-f]{16}")));
    CHECK(std::regex_match(span.start, std::regex("[0-9]{19}")));
    CHECK(span.start <= span.end);
  }
  CHECK(spans.at("BindPod").parent == spans.at("bind").span);
  CHECK(spans.at("AllocateClaim").parent == spans.at("bind").span);
  CHECK(spans.at("bind").parent.empty());
  CHECK(spans.at("bind").attributes.at("k8s.pod.name") == "p");
  CHECK(spans.at("bind").attributes.at("k8s.node.name") == "n0");
  CHECK(spans.at("BindPod").attributes.at("dray.object") == "default/p");
  // What an Event of the pod would be annotated with.
  CHECK(bench.api.traces.get().at("BindPod") == trace);
  REQUIRE(spans.contains("plan of all"));
  CHECK(spans.at("plan of all").trace != trace);
}

TEST_CASE("kube-scheduler's own trace goes on through the writes of a bind") {
  Bench bench;
  bench.schedule("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
  const auto spans = bench.spans_until("bind");
  for (const auto* name : {"filter", "bind"}) {
    CHECK(spans.at(name).trace == "0af7651916cd43dd8448eb211c80319c");
    CHECK(spans.at(name).parent == "b7ad6b7169203331");
  }
  REQUIRE(spans.contains("BindPod"));
  CHECK(spans.at("BindPod").trace == "0af7651916cd43dd8448eb211c80319c");
  CHECK(spans.at("BindPod").parent == spans.at("bind").span);
}

}  // namespace dray::service::traced_decisions_test
