#include "dashboard/cluster_access.h"

#include <catch2/catch.hpp>
#include <mutex>
#include <set>

#include "net/http_server.h"
#include "tests/unit/engine/fixture.h"
#include "tests/unit/net/support.h"

namespace dray::dashboard::cluster_access_test {
namespace {

using namespace std::chrono_literals;
using namespace dray::testing;
using Catch::Contains;
using Names = std::set<std::string, std::less<>>;

/// An API server that knows tokens `NAME-token`, and who may do what: `NAME list pods in
/// NAMESPACE`.
struct Server {
  std::mutex mutex;
  std::set<std::string> users;
  std::set<std::string> rights;
  bool broken = false;
  std::size_t token_reviews = 0;
  std::size_t access_reviews = 0;
  std::vector<std::string> asked_as;  ///< what dray showed of itself

  net::HttpResponse answer(const net::HttpRequest& request) {
    const std::lock_guard lock(mutex);
    asked_as.emplace_back(request.header("Authorization"));
    if (broken) return net::json_response(500, R"({"kind":"Status","message":"broken"})");
    if (request.path().ends_with("/tokenreviews")) {
      ++token_reviews;
      for (const auto& user : users) {
        if (!request.body.contains("\"" + user + "-token\"")) continue;
        return net::json_response(
            201, R"({"kind":"TokenReview","status":{"authenticated":true,"user":{"username":")" +
                     user + R"("}}})");
      }
      return net::json_response(201, R"({"kind":"TokenReview","status":{"error":"unknown"}})");
    }
    ++access_reviews;
    const bool allowed = std::ranges::any_of(
        rights, [&](const std::string& right) { return request.body.contains(right); });
    return net::json_response(201,
                              std::string(R"({"kind":"SubjectAccessReview","status":{"allowed":)") +
                                  (allowed ? "true" : "false") + "}}");
  }
  /// A part of a SubjectAccessReview's body.
  void allow_path(const std::string& user) {
    rights.insert(R"("user":")" + user +
                  R"(","nonResourceAttributes":{"path":"/dashboard","verb":"get"})");
  }
  void allow_list(const std::string& user, const std::string& resource, const std::string& where) {
    const std::string group = resource == "pods" ? "" : R"("group":"resource.k8s.io",)";
    const std::string place = where.empty() ? "" : R"(,"namespace":")" + where + "\"";
    rights.insert(R"("user":")" + user + R"(","resourceAttributes":{"verb":"list",)" + group +
                  R"("resource":")" + resource + "\"" + place + "}");
  }
  std::size_t count(std::size_t Server::* member) {
    const std::lock_guard lock(mutex);
    return this->*member;
  }
};

boost::asio::awaitable<net::HttpResponse> answer_from(std::shared_ptr<Server> server,
                                                      net::HttpRequest request) {
  co_return server->answer(request);
}

/// Claims in the namespaces default, blue and red.
std::shared_ptr<const Picture> picture() {
  engine::Bench bench;
  bench.add_nodes(1, 2);
  for (const auto* name_space : {"default", "blue", "red"}) {
    auto claim = make_claim("c", 1, "p");
    claim.meta.namespace_name = name_space;
    claim.meta.uid = Uid(std::string("uid-of-") + name_space);
    bench.tell(claim);
  }
  auto made = std::make_shared<Picture>();
  made->engine = bench.engine.picture();
  return made;
}

struct World {
  explicit World(AccessOptions options = {}) {
    kube::ClusterConfig config;
    config.server = {false, "127.0.0.1", http.listen().value(), ""};
    config.token = "drays-own";
    access = std::make_shared<ClusterAccess>(
        loop.io, std::shared_ptr(kube::Reviewer::make(loop.io, config).value()), options);
  }
  ~World() { loop.stop(); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  Admission admit(const std::string& token, const std::string& from = "10.0.0.1") {
    return loop.run(access->admit(token, from, shown));
  }

  std::shared_ptr<Server> server = std::make_shared<Server>();
  net::testing::Loop loop{1};
  net::testing::Loop far{1};
  net::HttpServer http{far.io, {}, [server = server](net::HttpRequest request) {
                         return answer_from(server, std::move(request));
                       }};
  std::shared_ptr<const Picture> shown = picture();
  std::shared_ptr<ClusterAccess> access;
};

}  // namespace

TEST_CASE("without a token, with one too long and with one that nobody knows: 401") {
  World world;
  CHECK(world.admit("").status == 401);
  CHECK(world.admit(std::string(20000, 'a')).status == 401);
  CHECK(world.server->count(&Server::token_reviews) == 0);
  const auto unknown = world.admit("mallory-token");
  CHECK(unknown.status == 401);
  CHECK_FALSE(unknown.viewer.everything);
  CHECK(unknown.viewer.namespaces.empty());
}

TEST_CASE("who may get /dashboard, or list all pods and claims, sees everything") {
  World world;
  world.server->users = {"op", "reader", "half"};
  world.server->allow_path("op");
  world.server->allow_list("reader", "pods", "");
  world.server->allow_list("reader", "resourceclaims", "");
  world.server->allow_list("half", "pods", "");
  const auto op = world.admit("op-token");
  CHECK(op.status == 200);
  CHECK(op.viewer.everything);
  CHECK(op.viewer.name == "op");
  CHECK(world.admit("reader-token").viewer.everything);
  CHECK_FALSE(world.admit("half-token").viewer.everything);
  CHECK(world.server->asked_as.front() == "Bearer drays-own");
}

TEST_CASE("a tenant sees the namespaces in which he may list pods and claims") {
  World world;
  world.server->users = {"jane"};
  world.server->allow_list("jane", "pods", "blue");
  world.server->allow_list("jane", "resourceclaims", "blue");
  world.server->allow_list("jane", "pods", "red");
  const auto jane = world.admit("jane-token");
  CHECK(jane.status == 200);
  CHECK_FALSE(jane.viewer.everything);
  CHECK(jane.viewer.namespaces == Names{"blue"});
  CHECK(jane.viewer.unasked == 0);
  CHECK(jane.viewer.sees("blue"));
  CHECK_FALSE(jane.viewer.sees("default"));
}

TEST_CASE("verdicts are kept for a while") {
  World world;
  world.server->users = {"jane"};
  for (int i = 0; i < 5; ++i) CHECK(world.admit("jane-token").status == 200);
  CHECK(world.server->count(&Server::token_reviews) == 1);
  // The path, the pods of all namespaces, and of each of three.
  CHECK(world.server->count(&Server::access_reviews) == 5);
  for (int i = 0; i < 5; ++i) CHECK(world.admit("mallory-token").status == 401);
  CHECK(world.server->count(&Server::token_reviews) == 2);
}

TEST_CASE("many who come with one token at once are asked about once") {
  World world;
  world.server->users = {"op"};
  world.server->allow_path("op");
  std::vector<std::future<Admission>> all;
  for (int i = 0; i < 10; ++i) {
    all.push_back(world.loop.start(world.access->admit("op-token", "10.0.0.1", world.shown)));
  }
  for (auto& each : all) CHECK(each.get().viewer.everything);
  CHECK(world.server->count(&Server::token_reviews) == 1);
}

TEST_CASE("when the verdict is over it is asked for again: a revoked token ends, rights go") {
  AccessOptions options;
  options.known_for = 0ms;
  options.rights_for = 0ms;
  World world(options);
  world.server->users = {"jane", "op"};
  world.server->allow_path("op");
  world.server->allow_list("jane", "pods", "blue");
  world.server->allow_list("jane", "resourceclaims", "blue");
  CHECK(world.admit("op-token").viewer.everything);
  // Its verdict ends with the moment in which it came.
  CHECK(world.admit("jane-token").viewer.namespaces.empty());
  {
    const std::lock_guard lock(world.server->mutex);
    world.server->rights.clear();
  }
  CHECK_FALSE(world.admit("op-token").viewer.everything);
  {
    const std::lock_guard lock(world.server->mutex);
    world.server->users.clear();
  }
  CHECK(world.admit("op-token").status == 401);
}

TEST_CASE("an API server that gives no verdict lets nobody in, and nobody stay") {
  AccessOptions options;
  options.known_for = 0ms;
  World world(options);
  world.server->users = {"op"};
  world.server->allow_path("op");
  CHECK(world.admit("op-token").status == 200);
  {
    const std::lock_guard lock(world.server->mutex);
    world.server->broken = true;
  }
  const auto refused = world.admit("op-token");
  CHECK(refused.status == 503);
  CHECK_FALSE(refused.viewer.everything);
  CHECK(world.admit("new-token").status == 503);
  {
    const std::lock_guard lock(world.server->mutex);
    world.server->broken = false;
  }
  CHECK(world.admit("op-token").status == 200);
}

TEST_CASE("rights that cannot be asked about let nobody in") {
  World world;
  world.server->users = {"jane"};
  CHECK(world.admit("jane-token").status == 200);
  auto other = std::make_shared<Picture>(Picture());
  engine::Bench bench;
  auto claim = make_claim("c", 1, "p");
  claim.meta.namespace_name = "new";
  bench.tell(claim);
  other->engine = bench.engine.picture();
  world.shown = other;
  {
    const std::lock_guard lock(world.server->mutex);
    world.server->broken = true;
  }
  CHECK(world.admit("jane-token").status == 503);
}

TEST_CASE("of many namespaces some are asked about with each look, and none twice") {
  AccessOptions options;
  options.namespaces_a_look = 2;
  World world(options);
  world.server->users = {"jane"};
  for (const auto* each : {"blue", "red"}) {
    world.server->allow_list("jane", "pods", each);
    world.server->allow_list("jane", "resourceclaims", each);
  }
  const auto first = world.admit("jane-token");
  CHECK(first.viewer.unasked == 1);
  CHECK(first.viewer.namespaces == Names{"blue"});  // blue, default, red
  const auto second = world.admit("jane-token");
  CHECK(second.viewer.unasked == 0);
  CHECK(second.viewer.namespaces == Names{"blue", "red"});
}

TEST_CASE("guessing tokens is slowed down, and forgets nobody who is known") {
  AccessOptions options;
  options.most_tokens = 3;
  options.new_tokens = {.at_once = 4, .every = 1h};
  World world(options);
  world.server->users = {"op"};
  world.server->allow_path("op");
  CHECK(world.admit("op-token").status == 200);
  int refused = 0, later = 0;
  for (int i = 0; i < 20; ++i) {
    const auto status = world.admit("guess-" + std::to_string(i)).status;
    refused += status == 401 ? 1 : 0;
    later += status == 503 ? 1 : 0;
  }
  CHECK(refused + later == 20);
  CHECK(refused <= 4);
  CHECK(refused >= 3);
  CHECK(world.admit("op-token").status == 200);
  CHECK(world.server->count(&Server::token_reviews) == static_cast<std::size_t>(refused) + 1);
}

TEST_CASE("a host that guesses tokens keeps nobody of another host out") {
  AccessOptions options;
  options.new_tokens = {.at_once = 4, .every = 1h};
  World world(options);
  world.server->users = {"op"};
  world.server->allow_path("op");
  int status = 0;
  for (int i = 0; i < 20; ++i) status = world.admit("guess-" + std::to_string(i)).status;
  CHECK(status == 503);
  CHECK(world.admit("op-token", "10.0.0.2").status == 200);
}

}  // namespace dray::dashboard::cluster_access_test
