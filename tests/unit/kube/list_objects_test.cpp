#include "kube/list_objects.h"

#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::kube::list_objects_test {
namespace {

using net::HttpRequest;
using net::HttpResponse;

/// Answers by request target, each target's in order, the last one again and again; else 404.
struct Script {
  std::mutex mutex;
  std::map<std::string, std::vector<HttpResponse>> answers;
  std::vector<std::string> asked;

  HttpResponse answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex);
    asked.push_back(request.target);
    const auto found = answers.find(request.target);
    if (found == answers.end()) {
      return net::json_response(404, R"({"kind":"Status","code":404,"message":"no such page"})");
    }
    auto answer = found->second.front();
    if (found->second.size() > 1) found->second.erase(found->second.begin());
    return answer;
  }
};

boost::asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Script> script,
                                                 HttpRequest request) {
  co_return script->answer(request);
}

HttpResponse list(const std::string& names, const std::string& next = "") {
  std::string items;
  for (const char name : names) {
    if (!items.empty()) items += ',';
    items += R"({"metadata":{"name":")" + std::string(1, name) + R"(","uid":"u"}})";
  }
  return net::json_response(
      200, R"({"kind":"NodeList","apiVersion":"v1","metadata":{"continue":")" + next +
               R"("},"items":[)" + items + "]}");
}
HttpResponse status(int code, const std::string& message) {
  return net::json_response(code, R"({"kind":"Status","message":")" + message + "\"}");
}

struct Server {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  net::testing::Loop loop;
  net::HttpServer server{loop.io, {}, [script = script](HttpRequest request) {
                           return answer_from(script, std::move(request));
                         }};
  ClusterConfig config;

  Server() { config.server = {false, "127.0.0.1", server.listen().value(), ""}; }

  Result<std::string> names(std::span<const Kind> kinds) {
    const auto listed = list_objects(config, kinds);
    if (!listed) return std::unexpected(listed.error());
    std::string all;
    for (const auto& object : listed->objects) all += meta_of(object).name;
    return all;
  }
};

constexpr std::array nodes{Kind::node};
const std::string first = "/api/v1/nodes?limit=500";
const std::string second = first + "&continue=more";

}  // namespace

TEST_CASE("a kind is listed chunk by chunk") {
  Server server;
  server.script->answers[first] = {list("ab", "more")};
  server.script->answers[second] = {list("c")};
  CHECK(server.names(nodes) == "abc");
}

TEST_CASE("a list that expires is begun again, but not for ever") {
  Server server;
  server.script->answers[first] = {list("ab", "more")};
  server.script->answers[second] = {status(410, "too old"), list("c")};
  CHECK(server.names(nodes) == "abc");
  server.script->answers[second] = {status(410, "too old")};
  CHECK(server.names(nodes).error().code == ErrorCode::gone);
}

TEST_CASE("kinds are sought under older versions; rules of taints may be absent") {
  Server server;
  constexpr std::array kinds{Kind::device_taint_rule, Kind::resource_slice};
  server.script->answers["/apis/resource.k8s.io/v1beta2/resourceslices?limit=500"] = {
      net::json_response(200, R"({"kind":"ResourceSliceList","metadata":{},)"
                              R"("apiVersion":"resource.k8s.io/v1beta2","items":[]})")};
  CHECK(server.names(kinds) == "");
  CHECK(server.names(nodes).error().message == "nodes: 404 Not Found: no such page");
}

TEST_CASE("what the server refuses is said with the kind") {
  Server server;
  server.script->answers[first] = {status(403, "nodes is forbidden")};
  const auto refused = server.names(nodes);
  CHECK(refused.error() == Error{ErrorCode::denied, "nodes: 403 Forbidden: nodes is forbidden"});
}

TEST_CASE("a server that is not there is unavailable") {
  Server server;
  server.server.stop_listening();
  CHECK(server.names(nodes).error().code == ErrorCode::unavailable);
}

}  // namespace dray::kube::list_objects_test
