#include "app/simulate/ask_server.h"

#include <catch2/catch.hpp>
#include <string>

#include "net/http_server.h"
#include "tests/unit/net/support.h"

namespace dray::app::ask_server_test {
namespace {

using net::testing::TempFolder;

/// Answers as dray does, to who shows the token `t0ken`.
struct Dashboard {
  net::testing::Loop loop;
  TempFolder folder;
  std::string ca;
  net::HttpServer server;
  std::uint16_t port;
  std::string seen;  ///< the last Authorization

  explicit Dashboard(bool tls = true)
      : server(loop.io, options(tls),
               [this](net::HttpRequest request) { return answer(std::move(request)); }),
        port(server.listen().value()) {}
  ~Dashboard() { loop.stop(); }

  net::HttpServerOptions options(bool tls) {
    net::HttpServerOptions made;
    if (!tls) return made;
    const auto own = net::testing::make_certificate(
        {.common_name = "dray", .subject_alt_name = "IP:127.0.0.1", .authority = true});
    ca = folder.write("ca.crt", own.certificate);
    made.tls = net::ServerTlsFiles{
        .certificate = ca, .key = folder.write("tls.key", own.key), .client_ca = ""};
    return made;
  }
  boost::asio::awaitable<net::HttpResponse> answer(net::HttpRequest request) {
    seen = request.header("Authorization");
    if (seen != "Bearer t0ken") co_return net::text_response(401, "show a token\n");
    co_return net::json_response(200, "{\"runs\":[]}\n");
  }

  SimulateFlags flags(const std::string& scheme = "https://127.0.0.1:") {
    SimulateFlags made;
    made.server = scheme + std::to_string(port);
    made.policies = {"none"};
    made.ca_file = scheme.starts_with("https") ? ca : "";
    made.output = "json";
    return made;
  }
};

std::string said(const SimulateFlags& flags) {
  const auto asked = ask_server(flags);
  return asked ? "" : asked.error().message;
}

}  // namespace

TEST_CASE("a server that wants a token gets the one of the file, over TLS that is checked") {
  Dashboard dashboard;
  auto flags = dashboard.flags();
  flags.token_file = dashboard.folder.write("token", "t0ken\n");
  CHECK(said(flags).empty());
  CHECK(dashboard.seen == "Bearer t0ken");
  flags.ca_file.clear();
  CHECK(ask_server(flags).error().code == ErrorCode::unavailable);
}

TEST_CASE("the token of a kubeconfig's user is another way, and one without is told what to do") {
  Dashboard dashboard;
  const auto config = [&](const std::string& user) {
    return dashboard.folder.write(
        "config",
        "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
        "clusters: [{name: c, cluster: {server: \"https://127.0.0.1:1\"}}]\n"
        "contexts: [{name: c, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {" +
            user + "}}]\n");
  };
  auto flags = dashboard.flags();
  flags.kubeconfig = config("token: t0ken");
  CHECK(said(flags).empty());
  flags.kubeconfig = config("");
  CHECK(said(flags).contains("its user has no token"));
}

TEST_CASE("without a token the refusal says how to name who asks; with status 3") {
  Dashboard dashboard;
  const auto asked = ask_server(dashboard.flags());
  REQUIRE(!asked);
  CHECK(asked.error().code == ErrorCode::denied);
  CHECK(asked.error().message.ends_with(
      ": show a token; name who asks with --token-file FILE or --kubeconfig FILE"));
}

TEST_CASE("a token does not leave this host in the clear; a file with none is told") {
  Dashboard dashboard(false);
  auto flags = dashboard.flags("http://127.0.0.1:");
  flags.token_file = dashboard.folder.write("token", "t0ken");
  CHECK(said(flags).empty());
  flags.token_file = dashboard.folder.write("none", "\n");
  CHECK(said(flags).ends_with(": expected one token"));
  flags.token_file = "/no/such";
  CHECK(said(flags).starts_with("--token-file: /no/such: cannot be read"));
  flags.server = "http://dray.example:8080";
  CHECK(said(flags).contains("a token goes over https"));
}

}  // namespace dray::app::ask_server_test
