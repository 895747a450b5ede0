#include "kube/feature_gates.h"

#include <catch2/catch.hpp>

#include "net/http_server.h"
#include "tests/unit/kube/script.h"

namespace dray::kube::feature_gates_test {
namespace {

using net::HttpRequest;
using net::HttpResponse;
using net::testing::Loop;

alloc::FeatureGates gates_of(std::initializer_list<std::string_view> lines) {
  alloc::FeatureGates gates;
  for (const auto line : lines) take_gate(line, gates);
  return gates;
}

/// A server whose /metrics is this.
struct Server {
  explicit Server(HttpResponse page) { script->answers["GET /metrics"] = {std::move(page)}; }

  Result<alloc::FeatureGates> read() {
    net::HttpClientOptions options;
    options.base = {false, "127.0.0.1", server.listen().value(), ""};
    ClusterConfig config;
    config.token = "t0";
    const std::shared_ptr client = net::HttpClient::make(loop.io, options).value();
    return loop.run(read_feature_gates(client, std::make_shared<TokenSource>(config)));
  }

  std::shared_ptr<testing::Script> script = std::make_shared<testing::Script>();
  Loop loop;
  net::HttpServer server{loop.io, {}, [script = script](HttpRequest request) {
                           return testing::answer_from(script, std::move(request));
                         }};
};

}  // namespace

TEST_CASE("a gate's line says its name and whether it is on; all else is none") {
  CHECK(gates_of({R"(kubernetes_feature_enabled{name="DRAA",stage="ALPHA"} 1)",
                  R"(kubernetes_feature_enabled{name="DRAB",stage=""} 0)",
                  R"(kubernetes_feature_enabled{stage="BETA",name="C"} 1)"}) ==
        alloc::FeatureGates{{"DRAA", true}, {"DRAB", false}, {"C", true}});
  CHECK(
      gates_of({"# TYPE kubernetes_feature_enabled gauge", "", R"(kubernetes_features{name="X"} 1)",
                R"(kubernetes_feature_enabled{name="X)", R"(kubernetes_feature_enabled{name="X"})",
                R"(kubernetes_feature_enabled{stage="BETA"} 1)"})
          .empty());
}

TEST_CASE("the gates are read off the API server's metrics, as dray's account") {
  Server server(net::text_response(200,
                                   "# HELP x y\nx 1\n"
                                   "kubernetes_feature_enabled{name=\"DRAA\",stage=\"ALPHA\"} 1\n"
                                   "kubernetes_feature_enabled{name=\"B\",stage=\"\"} 0\n"));
  const auto gates = server.read();
  REQUIRE(gates);
  CHECK(*gates == alloc::FeatureGates{{"DRAA", true}, {"B", false}});
  const auto asked = server.script->requests("GET", "/metrics");
  REQUIRE(asked.size() == 1);
  CHECK(asked.front().header("Authorization") == "Bearer t0");
}

TEST_CASE("a page that must not be read, or has no gates, is an error") {
  struct Row {
    const char* name;
    HttpResponse page;
    ErrorCode code;
    std::string message;
  };
  const auto row =
      GENERATE(Row{"no leave", net::json_response(403, testing::status_json(403)),
                   ErrorCode::denied, "GET /metrics of the API server: 403 Forbidden: scripted"},
               Row{"no gates", net::text_response(200, "x 1\n"), ErrorCode::not_found,
                   "/metrics of the API server has no gates"});
  DYNAMIC_SECTION(row.name) {
    const auto gates = Server(row.page).read();
    REQUIRE_FALSE(gates);
    CHECK(gates.error().code == row.code);
    CHECK(gates.error().message == row.message);
  }
}

}  // namespace dray::kube::feature_gates_test
