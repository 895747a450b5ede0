#include "kube/ask_now.h"

#include <catch2/catch.hpp>
#include <mutex>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::kube::ask_now_test {
namespace {

using net::HttpRequest;
using net::HttpResponse;

struct Asked {
  std::mutex mutex;
  std::vector<std::string> lines;
  std::vector<std::string> users;

  HttpResponse answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex);
    users.emplace_back(request.header("Impersonate-User"));
    lines.push_back(request.method + " " + request.target + " " +
                    std::string(request.header("Content-Type")) + " " + request.body);
    if (request.target == "/metrics") {
      return net::text_response(200, "kubernetes_feature_enabled{name=\"DRA\",stage=\"\"} 1\n");
    }
    if (request.target == "/there") return net::json_response(201, R"({"kind":"Thing"})");
    return net::json_response(404, R"({"kind":"Status","code":404,"message":"no such thing"})");
  }
};

boost::asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Asked> asked,
                                                 HttpRequest request) {
  co_return asked->answer(request);
}

TEST_CASE("each request has its answer, whatever the status, with the server's clock") {
  auto asked = std::make_shared<Asked>();
  net::testing::Loop loop;
  net::HttpServer server(
      loop.io, {}, [asked](HttpRequest request) { return answer_from(asked, std::move(request)); });
  ClusterConfig config;
  config.server = {false, "127.0.0.1", server.listen().value(), ""};
  const auto api = AskNow::make(config);
  REQUIRE(api);
  const auto missing = (*api)->send("GET", "/gone");
  REQUIRE(missing);
  CHECK(missing->status == 404);
  CHECK(missing->date.ends_with(" GMT"));
  const auto error = (*api)->ask("DELETE", "/gone");
  REQUIRE(!error);
  CHECK(error.error().code == ErrorCode::not_found);
  CHECK(error.error().message.contains("no such thing"));
  CHECK((*api)->ask("PATCH", "/there", "{}", "application/merge-patch+json") ==
        R"({"kind":"Thing"})");
  CHECK((*api)->feature_gates() == alloc::FeatureGates{{"DRA", true}});
  CHECK(asked->lines[2] == "PATCH /there application/merge-patch+json {}");
  (*api)->act_as("system:serviceaccount:a:b");
  static_cast<void>((*api)->send("GET", "/there"));
  (*api)->act_as("");
  static_cast<void>((*api)->send("GET", "/there"));
  CHECK(asked->users == std::vector<std::string>{"", "", "", "", "system:serviceaccount:a:b", ""});
}

TEST_CASE("without a server the error says that there is none") {
  ClusterConfig config;
  config.server = {false, "127.0.0.1", 1, ""};
  const auto api = AskNow::make(config);
  REQUIRE(api);
  const auto answer = (*api)->send("GET", "/there");
  REQUIRE(!answer);
  CHECK(answer.error().code == ErrorCode::unavailable);
}

}  // namespace
}  // namespace dray::kube::ask_now_test
