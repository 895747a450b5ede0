#include "kube/write_now.h"

#include <catch2/catch.hpp>
#include <mutex>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::kube::write_now_test {
namespace {

using net::HttpRequest;
using net::HttpResponse;

/// What was asked, in order; a claim that p uses alone.
struct Script {
  std::mutex mutex;
  std::vector<std::string> asked;

  HttpResponse answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex);
    asked.push_back(request.method + " " + request.target);
    if (!request.target.contains("/resourceclaims/c")) {
      return net::json_response(404, R"({"kind":"Status","code":404,"message":"no such thing"})");
    }
    return net::json_response(
        200,
        R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c",)"
        R"("namespace":"n","uid":"u","resourceVersion":"7"},"spec":{},"status":{"allocation":{},)"
        R"("reservedFor":[{"resource":"pods","name":"p","uid":"up"}]}})");
  }
};

boost::asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Script> script,
                                                 HttpRequest request) {
  co_return script->answer(request);
}

TEST_CASE("writes are carried out one after another, each to its end") {
  auto script = std::make_shared<Script>();
  net::testing::Loop loop;
  net::HttpServer server(loop.io, {}, [script](HttpRequest request) {
    return answer_from(script, std::move(request));
  });
  ClusterConfig config;
  config.server = {false, "127.0.0.1", server.listen().value(), ""};
  {
    auto api = WriteNow::make(config);
    REQUIRE(api);
    const auto missing = (*api)->write(engine::ReadPod{{"n", "p"}});
    REQUIRE(!missing);
    CHECK(missing.error().code == ErrorCode::not_found);
    CHECK((*api)->write(
        engine::ReleaseClaim{.claim = {"n", "c"}, .uid = Uid("u"), .consumer = Uid("up")}));
  }
  const std::string claim = "/apis/resource.k8s.io/v1/namespaces/n/resourceclaims/c";
  REQUIRE(script->asked.size() == 3);
  CHECK(script->asked[0] == "GET /api/v1/namespaces/n/pods/p");
  CHECK(script->asked[1] == "GET " + claim);
  CHECK(script->asked[2].starts_with("PATCH " + claim + "/status"));
}

TEST_CASE("where nobody answers there is an error") {
  ClusterConfig config;
  {
    net::testing::Loop loop;
    net::HttpServer gone(loop.io, {}, [](HttpRequest) -> boost::asio::awaitable<HttpResponse> {
      co_return HttpResponse{};
    });
    config.server = {false, "127.0.0.1", gone.listen().value(), ""};
  }
  auto api = WriteNow::make(config);
  REQUIRE(api);
  const auto outcome = (*api)->write(engine::ReadPod{{"n", "p"}});
  REQUIRE(!outcome);
  CHECK(outcome.error().code == ErrorCode::unavailable);
}

}  // namespace
}  // namespace dray::kube::write_now_test
