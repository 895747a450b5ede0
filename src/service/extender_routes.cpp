#include "service/extender_routes.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "service/tracer.h"
#include "wire/extender_codec.h"

namespace dray::service {
namespace {

namespace asio = boost::asio;
using net::HttpRequest;
using net::HttpResponse;

/// Who answers.
struct Answering {
  EngineStrand& engine;
  metrics::Metrics& metrics;
  const Partition& partition;
  RequestQueue& queue;
  Tracer* tracer;  ///< null: nobody wants spans
  BodyType body_type;
};

/// The span of a call; nothing is noted where nobody wants it.
class Traced {
 public:
  Traced(const Answering& by, const HttpRequest& request, const PodKey& pod, const Uid& uid)
      : tracer_(by.tracer) {
    if (tracer_ == nullptr) return;
    span_ = tracer_->begin_call(std::string(request.path().substr(4)), uid,
                                request.header("traceparent"));
    note("k8s.namespace.name", pod.namespace_name);
    note("k8s.pod.name", pod.name);
    note("k8s.pod.uid", uid.get());
  }
  void note(std::string key, std::variant<std::string, std::int64_t> value) {
    if (span_) span_->attributes.emplace_back(std::move(key), std::move(value));
  }
  void end(std::string error = {}) {
    if (!span_) return;
    span_->error = std::move(error);
    tracer_->end(*std::move(span_));
  }

 private:
  Tracer* tracer_;
  std::optional<wire::Span> span_;
};

/// What a verb came to, for metrics.
struct Verdict {
  HttpResponse response;
  std::string_view result;
};

asio::awaitable<Verdict> filter(Answering by, HttpRequest request, RequestQueue::Turn turn) {
  static_cast<void>(turn);  // until the answer is made
  auto asked = wire::decode_filter_request(request.body);
  if (!asked) {
    extender::FilterResponse fault;
    fault.error = "dray: filter request: " + asked.error().message;
    co_return Verdict{net::json_response(200, wire::encode(fault, {})), "error"};
  }
  const auto question = std::make_shared<const extender::FilterRequest>(std::move(*asked));
  Traced span(by, request, question->pod.key(), question->pod.meta.uid);
  auto answer = co_await by.engine.filter(question);
  by.partition.keep_own(answer);
  if (!answer.node_names.empty()) span.note("k8s.node.name", answer.node_names.front().get());
  span.note("dray.nodes", static_cast<std::int64_t>(answer.node_names.size()));
  span.end(answer.error);
  const auto* result = !answer.error.empty()       ? "error"
                       : answer.node_names.empty() ? "refused"
                                                   : "ok";
  co_return Verdict{net::json_response(200, wire::encode(answer, *question)), result};
}

asio::awaitable<Verdict> prioritize(Answering by, HttpRequest request, RequestQueue::Turn turn) {
  static_cast<void>(turn);  // until the answer is made
  auto asked = wire::decode_filter_request(request.body);
  if (!asked) {
    co_return Verdict{
        net::text_response(400, "dray: prioritize request: " + asked.error().message + "\n"),
        "error"};
  }
  Traced span(by, request, asked->pod.key(), asked->pod.meta.uid);
  const auto answer = co_await by.engine.prioritize(std::move(*asked));
  span.end();
  co_return Verdict{net::json_response(200, wire::encode(answer)), "ok"};
}

asio::awaitable<Verdict> preempt(Answering by, HttpRequest request, RequestQueue::Turn turn) {
  static_cast<void>(turn);  // until the answer is made
  auto asked = wire::decode_preempt_request(request.body);
  if (!asked) {
    co_return Verdict{
        net::text_response(400, "dray: preempt request: " + asked.error().message + "\n"), "error"};
  }
  Traced span(by, request, asked->pod.key(), asked->pod.meta.uid);
  const auto answer = co_await by.engine.preempt(std::move(*asked));
  span.note("dray.nodes", static_cast<std::int64_t>(answer.victims.size()));
  span.end();
  co_return Verdict{net::json_response(200, wire::encode(answer)),
                    answer.victims.empty() ? "refused" : "ok"};
}

asio::awaitable<Verdict> bind(Answering by, HttpRequest request, RequestQueue::Turn turn) {
  auto asked = wire::decode_bind_request(request.body);
  if (!asked) {
    const extender::BindResponse fault{"dray: bind request: " + asked.error().message};
    co_return Verdict{net::json_response(200, wire::encode(fault)), "error"};
  }
  Traced span(by, request, asked->pod, asked->uid);
  span.note("k8s.node.name", asked->node.get());
  const auto answer = co_await by.engine.bind(std::move(*asked), std::move(turn));
  span.end(answer.error);
  co_return Verdict{net::json_response(200, wire::encode(answer)),
                    answer.error.empty() ? "ok" : "error"};
}

struct Route {
  std::string_view verb;
  asio::awaitable<Verdict> (*run)(Answering, HttpRequest, RequestQueue::Turn);
};
constexpr std::array routes{Route{"filter", filter}, Route{"prioritize", prioritize},
                            Route{"preempt", preempt}, Route{"bind", bind}};

const Route* find_route(std::string_view path) {
  if (!path.starts_with("/v1/")) return nullptr;
  const auto* route = std::ranges::find(routes, path.substr(4), &Route::verb);
  return route == routes.end() ? nullptr : route;
}

/// A page of another site can send any type but JSON, or none, without asking first.
bool has_body_type(const HttpRequest& request, BodyType wanted) {
  const auto type = request.header("Content-Type");
  if (type.empty()) return wanted == BodyType::any;
  return net::equals_ignoring_case(type.substr(0, type.find(';')), "application/json");
}

HttpResponse overloaded() {
  auto response = net::text_response(503, "dray has more requests than it can answer\n");
  response.headers.push_back({"Retry-After", "1"});
  return response;
}

asio::awaitable<HttpResponse> answer(Answering by, HttpRequest request) {
  const auto start = std::chrono::steady_clock::now();
  const auto* route = find_route(request.path());
  if (route == nullptr) {
    co_return net::text_response(
        404,
        "no such path; the extender serves /v1/filter, /v1/prioritize, /v1/preempt, /v1/bind\n");
  }
  if (request.method != "POST") {
    auto response = net::text_response(405, "use POST\n");
    response.headers.push_back({"Allow", "POST"});
    co_return response;
  }
  if (!has_body_type(request, by.body_type)) {
    co_return net::text_response(415, "the body must be application/json\n");
  }
  auto turn = co_await by.queue.enter(request.has_left);
  if (!turn) {
    by.metrics.count("dray_extender_shed_total", {route->verb, name(turn.error())});
    co_return overloaded();
  }
  auto verdict = co_await route->run(by, std::move(request), *std::move(turn));
  by.metrics.count("dray_extender_requests_total", {route->verb, verdict.result});
  by.metrics.observe("dray_extender_request_duration_seconds", {route->verb, verdict.result},
                     std::chrono::steady_clock::now() - start);
  co_return std::move(verdict.response);
}

}  // namespace

net::HttpHandler extender_routes(EngineStrand& engine, metrics::Metrics& metrics,
                                 const Partition& partition, RequestQueue& queue, Tracer* tracer,
                                 BodyType type) {
  return [by = Answering{engine, metrics, partition, queue, tracer, type}](HttpRequest request) {
    return answer(by, std::move(request));
  };
}

}  // namespace dray::service
