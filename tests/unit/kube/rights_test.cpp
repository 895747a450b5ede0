#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <iterator>
#include <memory>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kube/api_path.h"
#include "kube/reviewer.h"
#include "kube/write_request.h"
#include "net/http_server.h"
#include "tests/unit/net/support.h"

// The rights that are installed are those of the requests that dray makes, no fewer and no more.

namespace dray::kube::rights_test {
namespace {

namespace asio = boost::asio;

/// `patch resource.k8s.io/resourceclaims/status`; `get /metrics` for a path that is no resource.
using Rights = std::set<std::string>;

std::vector<std::string> words_of(std::string_view path) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(path, '/')) words.emplace_back(std::string_view(part));
  return words;
}

/// What the API server asks of RBAC for a request (k8s.io/apiserver, endpoints/request). Names of
/// objects are what stands at their place, empty ones too.
std::string right_of(std::string_view method, std::string_view target) {
  const auto path = target.substr(0, target.find('?'));
  const auto words = words_of(path);  // the first is empty: paths begin with /
  const bool core = words.at(1) == "api";
  if (!core && words.at(1) != "apis") return "get " + std::string(path);
  const std::string group = core ? "" : words.at(2);
  std::size_t at = core ? 3 : 4;
  if (words.at(at) == "namespaces" && words.size() > at + 2) at += 2;
  const bool names_object = words.size() > at + 1;
  std::string verb;
  if (method == "GET") {
    verb = names_object ? "get" : target.contains("watch=1") ? "watch" : "list";
  } else {
    verb = method == "POST"    ? "create"
           : method == "PUT"   ? "update"
           : method == "PATCH" ? "patch"
                               : "delete";
  }
  const auto sub = words.size() > at + 2 ? "/" + words.at(at + 2) : std::string();
  return verb + " " + group + "/" + words.at(at) + sub;
}

std::string right_of(const WriteRequest& request) {
  return right_of(request.http.method, request.http.target);
}

/// Keys have to be there: a path with an empty namespace is one of all namespaces.
template <class T>
T named() {
  T write;
  if constexpr (requires { write.pod; }) write.pod = {"ns", "o"};
  if constexpr (requires { write.claim.namespace_name; }) write.claim = {"ns", "o"};
  if constexpr (requires { write.claim.meta; }) write.claim.meta.namespace_name = "ns";
  if constexpr (requires { write.lease; }) write.lease = {"ns", "o"};
  if constexpr (requires { write.map; }) write.map = {"ns", "o"};
  if constexpr (requires { write.request.namespace_name; }) write.request = {"ns", "o"};
  if constexpr (requires { write.request.meta; }) write.request.meta.namespace_name = "ns";
  return write;
}

/// Of what is asked first for a write, whether its object is new or not.
template <class T>
void add_first(Rights& rights) {
  auto write = named<T>();
  rights.insert(right_of(request_for(write, {})));
  if constexpr (requires { write.expected; }) {
    write.expected = ResourceVersion("7");
    rights.insert(right_of(request_for(write, {})));
  }
}

template <std::size_t... I>
void add_all_first(Rights& rights, std::index_sequence<I...>) {
  (add_first<std::variant_alternative_t<I, engine::Write>>(rights), ...);
}

/// Informer's and Lister's for these kinds.
void add_reads(Rights& rights, std::span<const Kind> kinds) {
  for (const auto kind : kinds) {
    for (const auto version : kind_info(kind).versions) {
      const auto path = collection_path(kind, version);
      rights.insert(right_of("GET", path + "?limit=500"));
      rights.insert(right_of("GET", path + "?watch=1&resourceVersion=1"));
    }
  }
}

/// Of every request that the code can make as dray's account.
Rights used() {
  Rights rights;
  add_all_first(rights, std::make_index_sequence<std::variant_size_v<engine::Write>>());
  // What follows a first request.
  auto release = named<engine::ReleaseClaim>();
  release.consumer = Uid("u");
  ResourceClaim claim;
  release.fence = true;
  rights.insert(right_of(release_request(release, claim, {})));  // undone: a mark of its own
  claim.reserved_for.emplace_back().uid = Uid("u");
  rights.insert(right_of(release_request(release, claim, {})));
  auto nodes = named<engine::RequestNodes>();
  nodes.request.meta.name = "o";
  nodes.request.pod_sets.emplace_back();
  nodes.examples.push_back({.pod = {"ns", "o"}, .uid = Uid("u")});
  rights.insert(right_of(read_request(nodes)));
  rights.insert(right_of(read_example(nodes.examples.front())));
  const auto pod = template_request(
      nodes, 0, nodes.request,
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"o","uid":"u"},"spec":{}})");
  REQUIRE(pod);
  rights.insert(right_of(*pod));
  add_reads(rights, cluster_kinds());
  // read_feature_gates().
  rights.insert(right_of("GET", "/metrics"));
  // The API server's own check of who writes an allocation, with the verb of the request.
  rights.insert("patch resource.k8s.io/resourceclaims/binding");
  return rights;
}

std::vector<std::string> texts(const YAML::Node& list) {
  return list ? list.as<std::vector<std::string>>() : std::vector<std::string>();
}

void add_rules(Rights& rights, const YAML::Node& rules) {
  for (const auto& rule : rules) {
    for (const auto& verb : texts(rule["verbs"])) {
      for (const auto& path : texts(rule["nonResourceURLs"])) rights.insert(verb + " " + path);
      for (const auto& group : texts(rule["apiGroups"])) {
        for (const auto& resource : texts(rule["resources"])) {
          rights.insert(verb + " " + group + "/" + resource);
        }
      }
    }
  }
}

/// Of the roles in a file; those of kube-scheduler's account are others.
void add_roles(Rights& rights, const std::string& file) {
  for (const auto& object : YAML::LoadAllFromFile(file)) {
    const auto kind = object["kind"].as<std::string>();
    if (kind == "ClusterRole" || kind == "Role") add_rules(rights, object["rules"]);
  }
}

Rights installed() {
  Rights rights;
  add_roles(rights, "manifests/rbac.yaml");
  add_roles(rights, "deploy/chart/reader/role.yaml");
  return rights;
}

/// Of the role of this name in a file.
Rights of_role(const std::string& file, const std::string& name) {
  Rights rights;
  for (const auto& object : YAML::LoadAllFromFile(file)) {
    if (object["kind"].as<std::string>() != "ClusterRole") continue;
    if (object["metadata"]["name"].as<std::string>() == name) add_rules(rights, object["rules"]);
  }
  return rights;
}

asio::awaitable<net::HttpResponse> take_down(net::HttpRequest request,
                                             std::shared_ptr<std::vector<std::string>> targets) {
  targets->push_back(request.method + " " + request.target);
  co_return net::json_response(201, "{}");
}

/// The targets of what a Reviewer asks an API server: this one answers, and takes them down.
std::vector<std::string> asked_by_a_reviewer() {
  net::testing::Loop loop;
  const auto targets = std::make_shared<std::vector<std::string>>();
  net::HttpServer server(loop.io, {}, [targets](net::HttpRequest request) {
    return take_down(std::move(request), targets);
  });
  ClusterConfig config;
  config.server = *net::Url::parse("http://127.0.0.1:" + std::to_string(server.listen().value()));
  const auto reviewer =
      Reviewer::make(loop.io, config, std::chrono::seconds(30), ConfigReload::Options()).value();
  static_cast<void>(loop.run(reviewer->who("token")));
  static_cast<void>(loop.run(reviewer->may({}, {})));
  return *targets;
}

std::vector<std::string> without(const Rights& rights, const Rights& others) {
  std::vector<std::string> left;
  std::ranges::set_difference(rights, others, std::back_inserter(left));
  return left;
}

}  // namespace

TEST_CASE("a request's right is that of its method and path") {
  CHECK(right_of("GET", "/api/v1/pods?watch=1&x=2") == "watch /pods");
  CHECK(right_of("GET", "/api/v1/pods?limit=5") == "list /pods");
  CHECK(right_of("GET", "/api/v1/namespaces?limit=5") == "list /namespaces");
  CHECK(right_of("POST", "/api/v1/namespaces/a/pods/b/binding") == "create /pods/binding");
  CHECK(right_of("PUT", "/apis/g.io/v1/namespaces/a/leases/b") == "update g.io/leases");
  CHECK(right_of("DELETE", "/apis/g.io/v1/namespaces/a/leases/b") == "delete g.io/leases");
  CHECK(right_of("GET", "/metrics") == "get /metrics");
}

TEST_CASE("every request that dray makes is allowed") {
  const auto refused = without(used(), installed());
  CAPTURE(refused);
  CHECK(refused.empty());
}

TEST_CASE("no right is installed that no request of dray needs") {
  const auto unused = without(installed(), used());
  CAPTURE(unused);
  CHECK(unused.empty());
}

TEST_CASE("the dashboard's overlay gives dray the right to ask who somebody is, and no other") {
  Rights used_by_it;
  for (const auto& asked : asked_by_a_reviewer()) {
    const auto space = asked.find(' ');
    used_by_it.insert(right_of(asked.substr(0, space), asked.substr(space + 1)));
  }
  CHECK(used_by_it == of_role("overlays/dashboard/dashboard.yaml", "dray-dashboard"));
  CHECK(of_role("overlays/dashboard/dashboard.yaml", "dray-dashboard-operator") ==
        Rights{"get /dashboard"});
}

TEST_CASE("dray record has the right to read what it records, and no other") {
  Rights reads;
  add_reads(reads, cluster_kinds());
  CHECK(of_role("deploy/chart/reader/role.yaml", "dray-reader") == reads);
}

}  // namespace dray::kube::rights_test
