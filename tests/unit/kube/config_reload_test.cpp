#include "kube/config_reload.h"

#include <catch2/catch.hpp>
#include <memory>
#include <mutex>
#include <set>
#include <thread>

#include "kube/kube_api.h"
#include "kube/reviewer.h"
#include "net/file.h"
#include "net/http_server.h"
#include "tests/unit/kube/script.h"
#include "tests/unit/net/support.h"

namespace dray::kube::config_reload_test {
namespace {

using namespace std::chrono_literals;
using net::testing::KeyPair;
using net::testing::make_certificate;
using net::testing::TempFolder;
using testing::Loop;

/// Of the test, not of what it tests: nothing takes so long.
constexpr auto patience = 60s;

template <class Holds>
bool eventually(Holds&& holds) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(1ms);
  }
  return true;
}

KeyPair authority(const std::string& name) {
  return make_certificate({.common_name = name, .subject_alt_name = "", .authority = true});
}
KeyPair server_of(const KeyPair& ca) {
  return make_certificate({.common_name = "api", .subject_alt_name = "IP:127.0.0.1"}, &ca);
}
KeyPair client_of(const std::string& name, const KeyPair& ca) {
  return make_certificate({.common_name = name, .subject_alt_name = ""}, &ca);
}

struct Asked {
  std::mutex mutex;
  std::set<std::string> clients;
  std::set<std::string> tokens;

  bool by(const std::string& client) {
    const std::lock_guard lock(mutex);
    return clients.contains(client);
  }
  bool with(const std::string& token) {
    const std::lock_guard lock(mutex);
    return tokens.contains("Bearer " + token);
  }
};

boost::asio::awaitable<net::HttpResponse> note(std::shared_ptr<Asked> asked,
                                               net::HttpRequest request) {
  {
    const std::lock_guard lock(asked->mutex);
    asked->clients.insert(request.client_name);
    asked->tokens.insert(std::string(request.header("Authorization")));
  }
  co_return net::json_response(404, testing::status_json(404));
}

/// An API server with TLS that knows nothing, and a kubeconfig for it whose user has a certificate
/// and a token.
struct World {
  KeyPair old_ca = authority("old ca");
  KeyPair new_ca = authority("new ca");
  TempFolder folder;
  std::shared_ptr<Asked> asked = std::make_shared<Asked>();
  Loop loop;
  std::unique_ptr<net::HttpServer> server;
  std::unique_ptr<KubeApi> api;
  std::mutex mutex;
  std::vector<std::string> notices;

  World() {
    serve_with(old_ca);
    folder.write("clients.crt", old_ca.certificate + new_ca.certificate);
    net::HttpServerOptions options;
    options.tls = net::ServerTlsFiles{folder.path() + "/server.crt", folder.path() + "/server.key",
                                      folder.path() + "/clients.crt"};
    options.tls_reload_every = 1ms;
    server = std::make_unique<net::HttpServer>(
        loop.io, options,
        [asked = asked](net::HttpRequest request) { return note(asked, std::move(request)); });
    trust(old_ca);
    log_in("old", "token-1");
    const auto port = server->listen().value();
    folder.write("config",
                 "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
                 "clusters: [{name: c, cluster: {server: 'https://127.0.0.1:" +
                     std::to_string(port) +
                     "', certificate-authority: ca.crt}}]\n"
                     "users: [{name: u, user: {client-certificate: tls.crt, client-key: tls.key, "
                     "tokenFile: token}}]\n");
  }
  ~World() {
    api.reset();
    loop.stop();
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void serve_with(const KeyPair& ca) {
    const auto pair = server_of(ca);
    folder.write("server.crt", pair.certificate);
    folder.write("server.key", pair.key);
  }
  void trust(const KeyPair& ca) { folder.write("ca.crt", ca.certificate); }
  void log_in(const std::string& name, const std::string& token) {
    const auto pair = client_of(name, old_ca);
    folder.write("tls.crt", pair.certificate);
    folder.write("tls.key", pair.key);
    folder.write("token", token);
  }
  Result<ClusterConfig> config() const { return load_kubeconfig(folder.path() + "/config"); }
  void start() {
    KubeApiOptions options;
    options.config_reload_every = 1ms;
    options.on_notice = [this](const std::string& text) {
      const std::lock_guard lock(mutex);
      notices.push_back(text);
    };
    api = KubeApi::make(loop.io, config().value(), options).value();
  }
  /// Whether the API server answers; each kind of write has a client of its own.
  bool reached(engine::Write write) {
    const auto outcome = loop.run(api->write(std::move(write), {}));
    return !outcome && outcome.error().code == ErrorCode::not_found;
  }
  bool reaches() { return reached(engine::ReadClaim{{"default", "c0"}}); }
  bool renews() { return reached(engine::ReadLease{{"dray", "dray"}}); }
  bool has_notice(const std::string& part) {
    const std::lock_guard lock(mutex);
    return std::ranges::any_of(notices, [&](const auto& text) { return text.contains(part); });
  }
};

}  // namespace

TEST_CASE("the API server's authority is replaced while dray runs") {
  World world;
  world.start();
  REQUIRE(world.reaches());
  REQUIRE(world.renews());
  CHECK_FALSE(world.api->tls_trouble());
  world.serve_with(world.new_ca);
  // Connections that are kept alive go on: cut off, both find a server that they do not know.
  world.server->close_all();
  CHECK(eventually([&] {
    world.server->close_all();
    return !world.reaches() && !world.renews();
  }));
  REQUIRE(world.api->tls_trouble());
  CHECK_THAT(world.api->tls_trouble()->what, Catch::Contains("certificate"));
  const auto lasted = world.api->tls_trouble()->lasting;
  CHECK(eventually([&] { return world.api->tls_trouble()->lasting > lasted; }));
  world.trust(world.new_ca);
  CHECK(eventually([&] { return world.reaches() && world.renews(); }));
  CHECK_FALSE(world.api->tls_trouble());
  CHECK(world.has_notice("new credentials are in use"));
}

TEST_CASE("a client certificate and a token are replaced while dray runs") {
  World world;
  world.start();
  REQUIRE(world.reaches());
  REQUIRE(world.renews());
  CHECK(world.asked->by("old"));
  CHECK(world.asked->with("token-1"));
  world.log_in("new", "token-2");
  CHECK(eventually([&] { return world.reaches() && world.renews() && world.asked->by("new"); }));
}

TEST_CASE("a kubeconfig that is written anew is used, but not for another server") {
  World world;
  world.start();
  REQUIRE(world.reaches());
  const auto text = net::read_file(world.folder.path() + "/config").value();
  auto with_token = text;
  with_token.replace(with_token.find("tokenFile: token"), 16, "token: fixed-one");
  world.folder.write("config", with_token);
  CHECK(eventually([&] { return world.reaches() && world.asked->with("fixed-one"); }));
  auto elsewhere = text;
  elsewhere.replace(elsewhere.find("127.0.0.1"), 9, "192.0.2.7");
  world.folder.write("config", elsewhere);
  CHECK(eventually([&] { return world.has_notice("the server or its proxy is another one"); }));
  CHECK(world.reaches());
}

TEST_CASE("files that cannot be used are reported once, and what was read before stays") {
  World world;
  world.start();
  REQUIRE(world.reaches());
  SECTION("no certificate") {
    world.folder.write("ca.crt", "half a certif");
  }
  SECTION("no kubeconfig") {
    world.folder.write("config", "clusters: [{name");
  }
  CHECK(eventually([&] { return world.has_notice("what was read before stays in use"); }));
  world.server->close_all();
  CHECK(eventually([&] { return world.reaches(); }));
  for (int i = 0; i < 20; ++i) CHECK(world.reaches());
  const std::lock_guard lock(world.mutex);
  CHECK(world.notices.size() == 1);
}

TEST_CASE("who reviews tokens for the dashboard reads the authority again, too") {
  World world;
  ConfigReload::Options often;
  often.every = 1ms;
  const auto reviewer = Reviewer::make(world.loop.io, world.config().value(), 20s, often).value();
  const auto answered = [&] {
    const auto verdict = world.loop.run(reviewer->who("t"));
    return verdict.error().code == ErrorCode::not_found;
  };
  REQUIRE(answered());
  world.serve_with(world.new_ca);
  CHECK(eventually([&] {
    world.server->close_all();
    return !answered();
  }));
  world.trust(world.new_ca);
  CHECK(eventually(answered));
  world.loop.stop();
}

TEST_CASE("reading again keeps no client alive, whose thread may end before") {
  boost::asio::io_context io;
  boost::asio::io_context of_client;
  ClusterConfig config;
  config.read_again = [] { return Result<ClusterConfig>(ClusterConfig()); };
  std::shared_ptr<net::HttpClient> client = net::HttpClient::make(of_client, {}).value();
  const auto reload = std::make_shared<ConfigReload>(
      io, config, ConfigReload::Users{{client}, std::make_shared<TokenSource>(config)},
      ConfigReload::Options());
  reload->start();
  const std::weak_ptr<net::HttpClient> left = client;
  client.reset();
  CHECK(left.expired());
}

TEST_CASE("a pod's own authority is read again") {
  const TempFolder folder;
  folder.write("ca.crt", "one");
  folder.write("token", "t");
  const auto environment = [](const char* name) -> std::optional<std::string> {
    return std::string(name).ends_with("HOST") ? "10.0.0.1" : "443";
  };
  const auto config = in_cluster_config(environment, folder.path()).value();
  folder.write("ca.crt", "two");
  CHECK(config.tls.ca == "one");
  CHECK(config.read_again().value().tls.ca == "two");
}

}  // namespace dray::kube::config_reload_test
