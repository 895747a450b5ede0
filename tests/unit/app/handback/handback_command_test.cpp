#include <CLI/CLI.hpp>
#include <catch2/catch.hpp>
#include <string>

#include "app/common/command.h"
#include "tests/unit/kube/script.h"

namespace dray::app::handback_command_test {
namespace {

using kube::testing::Script;

std::string gated(const std::string& name, const std::string& uid) {
  return R"({"metadata":{"namespace":"default","name":")" + name + R"(","uid":")" + uid +
         R"(","resourceVersion":"5"},"spec":{"schedulerName":"dray-scheduler",)"
         R"("schedulingGates":[{"name":"dray.dev/admission"}]}})";
}

net::HttpResponse pods(const std::string& items) {
  return net::json_response(200, kube::testing::list_json(items, "9"));
}

/// An API server that plays a script, and `dray handback` of it.
struct Bench {
  std::shared_ptr<Script> script = std::make_shared<Script>();
  net::testing::Loop loop;
  net::HttpServer server{loop.io, {}, [script = script](net::HttpRequest request) {
                           return kube::testing::answer_from(script, std::move(request));
                         }};
  net::testing::TempFolder folder;

  ~Bench() { loop.stop(); }
  Bench() = default;
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Result<int> run() {
    const auto path =
        folder.write("config",
                     "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
                     "users: [{name: u, user: {}}]\n"
                     "clusters: [{name: c, cluster: {server: 'http://127.0.0.1:" +
                         std::to_string(server.listen().value()) + "'}}]\n");
    CLI::App app;
    const auto command = add_handback(app);
    app.parse("handback --kubeconfig " + path);
    return command->run();
  }
  std::size_t lifts(const std::string& pod) {
    return script->requests("PATCH", path_of(pod)).size();
  }
  static std::string path_of(const std::string& pod) {
    return "/api/v1/namespaces/default/pods/" + pod;
  }
};

}  // namespace

TEST_CASE(
    "a pod that changes while it is handed back is tried again, and does not stop the others") {
  Bench bench;
  auto& answers = bench.script->answers;
  answers["GET /api/v1/pods"] = {pods(gated("p0", "old") + "," + gated("p1", "u1")),
                                 pods(gated("p0", "new")), pods("")};
  answers["PATCH " + Bench::path_of("p0")] = {
      net::json_response(409, kube::testing::status_json(409)), net::json_response(200, "{}")};
  answers["PATCH " + Bench::path_of("p1")] = {net::json_response(200, "{}")};
  CHECK(bench.run() == Command::done);
  CHECK(bench.lifts("p0") == 2);
  CHECK(bench.lifts("p1") == 1);
  CHECK(bench.script->requests("PATCH", Bench::path_of("p0"))[1].body.contains("new"));
}

TEST_CASE("an API server that gives no answer ends handback at once") {
  Bench bench;
  auto& answers = bench.script->answers;
  answers["GET /api/v1/pods"] = {pods(gated("p0", "u0") + "," + gated("p1", "u1"))};
  answers["PATCH " + Bench::path_of("p0")] = {
      net::json_response(503, kube::testing::status_json(503))};
  const auto ended = bench.run();
  REQUIRE_FALSE(ended);
  CHECK(ended.error().message.contains("lift Pod default/p0"));
  CHECK(bench.lifts("p1") == 0);
}

}  // namespace dray::app::handback_command_test
