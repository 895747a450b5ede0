#include "kube/token_source.h"

#include <boost/asio/use_future.hpp>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "kube/authorize.h"
#include "tests/unit/kube/exec_plugins.h"
#include "tests/unit/net/support.h"

namespace dray::kube::token_source_test {
namespace {

using namespace std::chrono_literals;
using net::testing::TempFolder;
using testing::credential;
using testing::script;

TEST_CASE("a token file is read again after a while, or when its token was refused") {
  TempFolder folder;
  ClusterConfig config;
  config.token_file = folder.write("token", "t1\n");
  TokenSource source(config);
  const TokenSource::Clock::time_point start{};
  CHECK(source.token(start) == "t1");
  folder.write("token", "t2\n");
  CHECK(source.token(start + 29s) == "t1");
  CHECK(source.token(start + 30s) == "t2");
  folder.write("token", "t3\n");
  source.refused();
  CHECK(source.token(start + 31s) == "t3");
  folder.write("token", "");
  CHECK(source.token(start + 90s) == "t3");
}

/// A plugin that gives t1, t2, t3, by a counter in a file.
struct Counting {
  TempFolder folder;
  ClusterConfig config;

  explicit Counting(const std::string& more = "") {
    folder.write("count", "0");
    const auto file = folder.path() + "/count";
    wire::KubeconfigContext context;
    context.exec = script("n=$(($(cat " + file + ")+1)); echo $n > " + file + "; echo '" +
                          credential(R"("token":"t'$n'")" + more) + "'");
    config.exec = std::make_shared<const ExecLogin>(context, "");
  }
};

TEST_CASE("a token is kept until the API server refuses it, and asked for beside then") {
  Counting plugin;
  TokenSource tokens(plugin.config);
  const auto now = TokenSource::Clock::now();
  CHECK(tokens.token(now) == "t1");
  CHECK(tokens.token(now + 24h) == "t1");
  tokens.refused();
  CHECK(tokens.token(now + 25h) == "t1");
  const auto end = now + 60s;
  while (tokens.token(now + 25h) == "t1" && TokenSource::Clock::now() < end) {
    std::this_thread::yield();
  }
  CHECK(tokens.token(now + 25h) == "t2");
}

TEST_CASE("a token that has expired is waited for") {
  Counting plugin(R"(,"expirationTimestamp":"2001-01-01T00:00:00Z")");
  TokenSource tokens(plugin.config);
  const auto now = TokenSource::Clock::now();
  CHECK(tokens.token(now) == "t1");
  CHECK(tokens.token(now + 9s) == "t1");  // not run more often than that
  CHECK(tokens.token(now + 10s) == "t2");
}

TEST_CASE("the token that a kubeconfig's plugin gave at first is used") {
  Counting plugin;
  plugin.config.given = wire::ExecCredential{.token = "first", .expires = {}};
  TokenSource tokens(plugin.config);
  CHECK(tokens.token(TokenSource::Clock::now()) == "first");
}

/// A plugin that does not answer before the file `go` is there.
struct Waiting {
  TempFolder folder;
  ClusterConfig config;

  Waiting() {
    wire::KubeconfigContext context;
    context.exec =
        script("echo > " + folder.path() + "/begun; while ! [ -e " + folder.path() +
               "/go ]; do sleep 0.01; done; echo '" + credential(R"("token":"t")") + "'");
    config.exec = std::make_shared<const ExecLogin>(context, "");
  }
  void await_begun() const {
    while (!std::filesystem::exists(folder.path() + "/begun")) std::this_thread::yield();
  }
};

TEST_CASE("requests wait for a plugin, and the threads that they run on do not") {
  const Waiting plugin;
  const auto tokens = std::make_shared<TokenSource>(plugin.config);
  net::testing::Loop loop(1);
  const auto end = TokenSource::Clock::now() + 60s;
  auto first = loop.start(authorize(tokens, net::HttpRequest(), end));
  auto second = loop.start(authorize(tokens, net::HttpRequest(), end));
  plugin.await_begun();
  // The one thread has other things to do meanwhile.
  std::promise<void> ran;
  boost::asio::post(loop.io, [&] { ran.set_value(); });
  REQUIRE(ran.get_future().wait_for(20s) == std::future_status::ready);
  CHECK(first.wait_for(0s) == std::future_status::timeout);
  CHECK(tokens->try_token(TokenSource::Clock::now()) == std::nullopt);
  plugin.folder.write("go", "");
  CHECK(first.get().header("Authorization") == "Bearer t");
  CHECK(second.get().header("Authorization") == "Bearer t");
}

TEST_CASE("a request whose time is up goes without a token") {
  const Waiting plugin;
  const auto tokens = std::make_shared<TokenSource>(plugin.config);
  net::testing::Loop loop(1);
  const auto request =
      loop.run(authorize(tokens, net::HttpRequest(), TokenSource::Clock::now() + 5ms));
  CHECK(request.headers.empty());
}

TEST_CASE("a plugin that runs is ended with those who wait for it") {
  const Waiting plugin;
  auto tokens = std::make_unique<TokenSource>(plugin.config);
  CHECK(tokens->try_token(TokenSource::Clock::now()) == std::nullopt);
  plugin.await_begun();
  const auto began = TokenSource::Clock::now();
  tokens.reset();
  CHECK(TokenSource::Clock::now() - began < plugin_time / 2);
}

TEST_CASE("another user's token is asked for when the configuration names another") {
  ClusterConfig config;
  config.token = "fixed";
  TokenSource tokens(config);
  const auto now = TokenSource::Clock::now();
  CHECK(tokens.token(now) == "fixed");
  CHECK_FALSE(tokens.replace(config));
  const TempFolder folder;
  config.token.clear();
  config.token_file = folder.write("token", "of a file");
  CHECK(tokens.replace(config));
  CHECK(tokens.token(now) == "of a file");
  const Counting plugin;
  CHECK(tokens.replace(plugin.config));
  CHECK(tokens.token(now) == "of a file");  // until the plugin has given one
  const auto end = now + 60s;
  while (tokens.token(now) != "t1" && TokenSource::Clock::now() < end) std::this_thread::yield();
  CHECK(tokens.token(now) == "t1");
  CHECK_FALSE(tokens.replace(plugin.config));
}

}  // namespace
}  // namespace dray::kube::token_source_test
