#include "app/doctor/live_reader.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::app::live_reader_test {
namespace {

using net::HttpRequest;
using net::HttpResponse;

constexpr Time here = Time(std::chrono::hours(500'000));

Time clock_here() {
  return here;
}

/// An API server of fixed pages. Every right is given but those whose review has `refused` in it.
struct Pages {
  std::mutex mutex;
  std::map<std::string, HttpResponse> pages;
  std::string user = "admin";
  std::string refused = "nothing";
  std::vector<std::string> asked;

  HttpResponse answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex);
    asked.push_back(request.target);
    if (request.target.ends_with("selfsubjectreviews")) {
      return net::json_response(201, R"({"status":{"userInfo":{"username":")" + user + R"("}}})");
    }
    if (request.target.ends_with("accessreviews")) {
      const bool allowed = !request.body.contains(refused);
      return net::json_response(
          201, std::string(R"({"status":{"allowed":)") + (allowed ? "true" : "false") + "}}");
    }
    const auto found = pages.find(request.target);
    if (found != pages.end()) return found->second;
    return net::json_response(404, R"({"kind":"Status","code":404,"message":"no such thing"})");
  }
};

boost::asio::awaitable<HttpResponse> answer_from(std::shared_ptr<Pages> pages,
                                                 HttpRequest request) {
  co_return pages->answer(request);
}

struct Cluster {
  std::shared_ptr<Pages> pages = std::make_shared<Pages>();
  net::testing::Loop loop;
  net::HttpServer server{loop.io, {}, [pages = pages](HttpRequest request) {
                           return answer_from(pages, std::move(request));
                         }};
  std::unique_ptr<kube::AskNow> api;

  Cluster() {
    kube::ClusterConfig config;
    config.server = {false, "127.0.0.1", server.listen().value(), ""};
    auto made = kube::AskNow::make(config);
    REQUIRE(made);
    api = *std::move(made);
    page("/version", R"({"gitVersion":"v1.37.0"})");
  }

  void page(const std::string& target, const std::string& json, int status = 200) {
    pages->pages[target] = net::json_response(status, json);
  }
  LiveFacts read() {
    auto facts = read_live_facts(*api, installed_objects(), clock_here);
    INFO((facts ? "" : facts.error().message));
    REQUIRE(facts);
    return *std::move(facts);
  }
};

constexpr auto deployment = "/apis/apps/v1/namespaces/dray-system/deployments/dray-scheduler";

}  // namespace

TEST_CASE("the version and both clocks") {
  Cluster cluster;
  const auto facts = cluster.read();
  CHECK(facts.versions.api_server == "v1.37.0");
  CHECK(facts.clocks.here == here);
  CHECK(facts.clocks.api_server);
}

TEST_CASE("what is installed, and what may not be seen") {
  Cluster cluster;
  const std::string exclusion = "/api/v1/namespaces/dray-system/configmaps/dray-exclusion";
  const std::string gate =
      "/apis/admissionregistration.k8s.io/v1/mutatingadmissionpolicies/dray-gate";
  cluster.page(exclusion, R"({"data":{"drivers":"d.example"}})");
  cluster.page(gate, R"({"kind":"Status","code":403,"message":"not yours"})", 403);
  const auto facts = cluster.read();
  CHECK(exclusive_drivers(facts.installed) == std::vector<std::string>{"d.example"});
  CHECK(facts.installed.found.size() == 1);
  CHECK(facts.installed.unknown.contains(gate));
  CHECK(std::ranges::any_of(
      facts.notes, [&](const std::string& note) { return note.starts_with(gate + ": 403 "); }));
}

TEST_CASE("rights are asked for dray's account, or for ourselves where we are dray") {
  Cluster cluster;
  cluster.pages->refused = R"("subresource":"eviction")";
  const bool dray = GENERATE(false, true);
  if (dray) cluster.pages->user = "system:serviceaccount:dray-system:dray";
  const auto facts = cluster.read();
  REQUIRE(facts.missing_rights.size() == 1);
  CHECK(facts.missing_rights[0].to_string() == "create pods/eviction");
  const std::string path = "/apis/authorization.k8s.io/v1/";
  CHECK(std::ranges::count(cluster.pages->asked, path + "selfsubjectaccessreviews") ==
        (dray ? static_cast<std::ptrdiff_t>(needed_rights(installed_objects()).size()) : 0));
}

TEST_CASE("of a partition it reads that one's objects, and who is beside it") {
  Cluster cluster;
  const Installation blue{.namespace_name = "dray-blue", .partition = "blue"};
  cluster.page("/api/v1/namespaces/dray-blue/configmaps/dray-exclusion",
               R"({"data":{"drivers":"b.example","schedulers":"dray-scheduler-blue"}})");
  cluster.page("/api/v1/namespaces/dray-system/configmaps/dray-exclusion",
               R"({"data":{"schedulers":"dray-scheduler\nmine"}})");
  cluster.page("/api/v1/namespaces/dray-blue/configmaps/dray-policy",
               R"({"data":{"policy.yaml":"kind: Policy"}})");
  const auto facts = read_live_facts(*cluster.api, installed_objects(blue), clock_here, blue);
  REQUIRE(facts);
  CHECK(exclusive_drivers(facts->installed) == std::vector<std::string>{"b.example"});
  CHECK(facts->policy_file == "kind: Policy");

  std::vector<Lease> leases(4);
  leases[0].meta.namespace_name = "dray-blue";
  leases[0].meta.name = "dray";
  leases[1].meta.namespace_name = "dray-system";
  leases[1].meta.name = "dray";
  leases[2].meta.namespace_name = "kube-node-lease";
  leases[2].meta.name = "n0";
  leases[3].meta.namespace_name = "left-behind";
  leases[3].meta.name = "dray";
  const auto others = read_others(*cluster.api, leases, blue);
  REQUIRE(others.size() == 1);
  CHECK(others[0].where.account() == "system:serviceaccount:dray-system:dray");
  CHECK(others[0].schedulers == std::vector<std::string>{"dray-scheduler", "mine"});
}

TEST_CASE("kubelets of all chunks of the list") {
  Cluster cluster;
  cluster.page(
      "/api/v1/nodes?limit=500",
      R"({"metadata":{"continue":"a b"},"items":[{"metadata":{"name":"n0"},)"
      R"("status":{"nodeInfo":{"kubeletVersion":"v1.37.0"}}},{"metadata":{"name":"x"}}]})");
  cluster.page("/api/v1/nodes?limit=500&continue=a%20b",
               R"({"items":[{"metadata":{"name":"n1"},)"
               R"("status":{"nodeInfo":{"kubeletVersion":"v1.33.0"}}}]})");
  CHECK(cluster.read().versions.kubelets ==
        std::map<std::string, std::vector<std::string>>{{"v1.33.0", {"n1"}}, {"v1.37.0", {"n0"}}});
}

TEST_CASE("kube-scheduler's configuration, by way of its Deployment") {
  Cluster cluster;
  cluster.page(
      deployment,
      R"({"spec":{"template":{"spec":{"containers":[{"image":"k8s/kube-scheduler:v1.36.1",)"
      R"("command":["kube-scheduler","--config=/etc/x/handback.yaml"]}],)"
      R"("volumes":[{"name":"tls","secret":{}},{"name":"c","configMap":{"name":"m"}}]}}}})");
  cluster.page("/api/v1/namespaces/dray-system/configmaps/m",
               R"({"data":{"handback.yaml":"kind: X\n","scheduler.yaml":"kind: Y\n"}})");
  const auto facts = cluster.read();
  CHECK(facts.versions.scheduler == "v1.36.1");
  CHECK(facts.scheduler.text == "kind: X\n");
  CHECK(facts.scheduler.where == "ConfigMap dray-system/m: handback.yaml");
}

TEST_CASE("gates, the policy file and the controller manager") {
  Cluster cluster;
  cluster.pages->pages["/metrics"] =
      net::text_response(200, "kubernetes_feature_enabled{name=\"DRA\",stage=\"\"} 1\n");
  cluster.page("/api/v1/namespaces/dray-system/configmaps/dray-policy",
               R"({"data":{"policy.yaml":"kind: Policy\n"}})");
  const auto without = cluster.read();
  CHECK(without.gates == alloc::FeatureGates{{"DRA", true}});
  CHECK(without.policy_file == "kind: Policy\n");
  CHECK(std::ranges::any_of(without.notes, [](const std::string& note) {
    return note.starts_with("kube-controller-manager: ");
  }));
  cluster.page(
      "/api/v1/namespaces/kube-system/pods?labelSelector=component%3Dkube-controller-manager",
      R"({"items":[{"metadata":{"name":"kcm"}}]})");
  cluster.page("/api/v1/nodes?limit=500", R"({"items":[]})");
  const auto with = cluster.read();
  CHECK(with.controller_managers.size() == 1);
  CHECK(with.notes.empty());
}

TEST_CASE("an API server that does not know us is no cluster that we can look at") {
  Cluster cluster;
  cluster.page("/version", R"({"kind":"Status","code":401})", 401);
  const auto facts = read_live_facts(*cluster.api, installed_objects(), clock_here);
  REQUIRE(!facts);
  CHECK(facts.error().code == ErrorCode::denied);
}

}  // namespace dray::app::live_reader_test
