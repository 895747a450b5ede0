#include "service/extender_routes.h"

#include <memory>
#include <string>
#include <utility>

#include "wire/extender_codec.h"

namespace dray::service {
namespace {

namespace asio = boost::asio;
using net::HttpRequest;
using net::HttpResponse;

asio::awaitable<HttpResponse> filter(EngineStrand* engine, HttpRequest request) {
  auto asked = wire::decode_filter_request(request.body);
  if (!asked) {
    extender::FilterResponse fault;
    fault.error = "dray: filter request: " + asked.error().message;
    co_return net::json_response(200, wire::encode(fault, {}));
  }
  const auto question = std::make_shared<const extender::FilterRequest>(std::move(*asked));
  const auto answer = co_await engine->filter(question);
  co_return net::json_response(200, wire::encode(answer, *question));
}

asio::awaitable<HttpResponse> prioritize(EngineStrand* engine, HttpRequest request) {
  auto asked = wire::decode_filter_request(request.body);
  if (!asked) {
    co_return net::text_response(400, "dray: prioritize request: " + asked.error().message + "\n");
  }
  const auto answer = co_await engine->prioritize(std::move(*asked));
  co_return net::json_response(200, wire::encode(answer));
}

asio::awaitable<HttpResponse> preempt(EngineStrand* engine, HttpRequest request) {
  auto asked = wire::decode_preempt_request(request.body);
  if (!asked) {
    co_return net::text_response(400, "dray: preempt request: " + asked.error().message + "\n");
  }
  const auto answer = co_await engine->preempt(std::move(*asked));
  co_return net::json_response(200, wire::encode(answer));
}

asio::awaitable<HttpResponse> bind(EngineStrand* engine, HttpRequest request) {
  auto asked = wire::decode_bind_request(request.body);
  if (!asked) {
    const extender::BindResponse fault{"dray: bind request: " + asked.error().message};
    co_return net::json_response(200, wire::encode(fault));
  }
  const auto answer = co_await engine->bind(std::move(*asked));
  co_return net::json_response(200, wire::encode(answer));
}

using Route = asio::awaitable<HttpResponse> (*)(EngineStrand*, HttpRequest);

Route find_route(std::string_view path) {
  if (path == "/v1/filter") return filter;
  if (path == "/v1/prioritize") return prioritize;
  if (path == "/v1/preempt") return preempt;
  if (path == "/v1/bind") return bind;
  return nullptr;
}

asio::awaitable<HttpResponse> answer(EngineStrand* engine, HttpRequest request) {
  const auto route = find_route(request.path());
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
  const auto type = request.header("Content-Type");
  if (!type.empty() && !type.starts_with("application/json")) {
    co_return net::text_response(415, "the body must be application/json\n");
  }
  co_return co_await route(engine, std::move(request));
}

}  // namespace

net::HttpHandler extender_routes(EngineStrand& engine) {
  return [engine = &engine](HttpRequest request) { return answer(engine, std::move(request)); };
}

}  // namespace dray::service
