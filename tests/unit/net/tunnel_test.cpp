#include "net/tunnel.h"

#include <catch2/catch.hpp>

#include "net/http_client.h"
#include "tests/unit/net/echo.h"
#include "tests/unit/net/support.h"

namespace dray::net::tunnel_test {
namespace {

using namespace std::chrono_literals;
using testing::Loop;
using testing::RawServer;
using testing::request;

constexpr auto established = "HTTP/1.1 200 Connection established\r\n\r\n";

/// A client of a server that only its proxy can reach.
struct Behind {
  RawServer proxy;
  Loop loop;
  HttpClientOptions options;

  explicit Behind(bool tls = false) {
    options.base = {tls, "api.example", 6443, "/base"};
    options.proxy = Proxy{"127.0.0.1", proxy.port(), "Basic bWU6c2VjcmV0"};
  }
  std::future<Result<HttpResponse>> ask() {
    client = HttpClient::make(loop.io, options).value();
    return loop.start(client->send(request("GET", "/pods"), 20s));
  }
  std::unique_ptr<HttpClient> client;
};

}  // namespace

TEST_CASE("the proxy is asked for the server, who is then asked as if there were none") {
  Behind behind;
  auto asked = behind.ask();
  auto socket = behind.proxy.accept();
  CHECK(RawServer::read_until(socket, "\r\n\r\n") ==
        "CONNECT api.example:6443 HTTP/1.1\r\nHost: api.example:6443\r\n"
        "Proxy-Authorization: Basic bWU6c2VjcmV0\r\n\r\n");
  RawServer::send(socket, established);
  const auto head = RawServer::read_until(socket, "\r\n\r\n");
  CHECK(head.starts_with("GET /base/pods HTTP/1.1\r\nHost: api.example:6443\r\n"));
  CHECK(!head.contains("Proxy-"));
  RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
  const auto answer = asked.get();
  REQUIRE(answer);
  CHECK(answer->body == "ok");

  // A connection that is kept is the server's.
  auto again = behind.loop.start(behind.client->send(request("GET", "/nodes"), 20s));
  CHECK(RawServer::read_until(socket, "\r\n\r\n").starts_with("GET /base/nodes "));
  RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  CHECK(again.get());
}

TEST_CASE("TLS is with the server, through the proxy") {
  Behind behind(true);
  auto asked = behind.ask();
  auto socket = behind.proxy.accept();
  CHECK(RawServer::read_until(socket, "\r\n\r\n").starts_with("CONNECT api.example:6443 "));
  RawServer::send(socket, established);
  CHECK(RawServer::read_until(socket, "\x16") == "\x16");  // a handshake begins
  socket.close();
  const auto answer = asked.get();
  REQUIRE(!answer);
  CHECK(answer.error().message.starts_with("tls handshake"));
}

TEST_CASE("an address of six groups stands in brackets") {
  Behind behind;
  behind.options.base.host = "fd00::1";
  auto asked = behind.ask();
  auto socket = behind.proxy.accept();
  CHECK(
      RawServer::read_until(socket, "\r\n\r\n").starts_with("CONNECT [fd00::1]:6443 HTTP/1.1\r\n"));
  socket.close();
  CHECK(!asked.get());
}

TEST_CASE("a proxy that refuses is named") {
  const auto [answer, want] = GENERATE(table<std::string, std::string>(
      {{"HTTP/1.1 407 Who\r\nContent-Length: 5\r\n\r\nhello",
        "answers 407 Proxy Authentication Required"},
       {"HTTP/1.1 502 No\r\n\r\n", "answers 502 "},
       {std::string(established) + "220 mail ready\r\n", "says more than it should"}}));
  Behind behind;
  auto asked = behind.ask();
  auto socket = behind.proxy.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  RawServer::send(socket, answer);
  const auto got = asked.get();
  REQUIRE(!got);
  CHECK(got.error().code == ErrorCode::unavailable);
  CHECK(got.error().message.starts_with("the proxy 127.0.0.1:"));
  CHECK(got.error().message.contains(want));
}

}  // namespace dray::net::tunnel_test
