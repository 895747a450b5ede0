#include "net/http_client.h"

#include <sys/socket.h>
#include <sys/time.h>

#include <catch2/catch.hpp>

#include "tests/unit/net/echo.h"
#include "tests/unit/net/support.h"

namespace dray::net::http_client_test {
namespace {

using namespace std::chrono_literals;
using testing::Echo;
using testing::Loop;
using testing::RawServer;
using testing::request;

std::unique_ptr<HttpClient> client_of(Loop& loop, const RawServer& server) {
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", server.port(), ""};
  return HttpClient::make(loop.io, options).value();
}

constexpr auto empty_ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

}  // namespace

TEST_CASE("requests share kept-alive connections") {
  Echo echo;
  const auto client = echo.client();
  for (int i = 0; i < 20; ++i) {
    const auto response = echo.loop.run(client->send(request("POST", "/a", "b"), 5s));
    REQUIRE(response);
    CHECK(response->status == 200);
    CHECK(response->body == "|POST/ab");
  }
  CHECK(echo.seen->peers.size() == 1);
}

TEST_CASE("no more connections are open than allowed") {
  Echo echo;
  HttpClientOptions options;
  options.max_connections = 3;
  const auto client = echo.client(options);
  std::vector<std::future<Result<HttpResponse>>> pending;
  for (int i = 0; i < 200; ++i) {
    pending.push_back(echo.loop.start(client->send(request("GET", "/" + std::to_string(i)), 20s)));
  }
  for (int i = 0; i < 200; ++i) {
    const auto response = pending[static_cast<std::size_t>(i)].get();
    REQUIRE(response);
    CHECK(response->body == "|GET/" + std::to_string(i));
  }
  CHECK(echo.seen->peers.size() <= 3);
}

TEST_CASE("a base path and headers are sent") {
  RawServer server;
  Loop loop;
  HttpClientOptions options;
  options.base = {false, "localhost", server.port(), "/proxy"};
  const auto client = HttpClient::make(loop.io, options).value();
  auto asked = request("PUT", "/x", "ab");
  asked.headers = {{"Authorization", "Bearer t"}};
  auto pending = loop.start(client->send(asked, 5s));
  auto socket = server.accept();
  const auto text = RawServer::read_until(socket, "\r\n\r\nab");
  CHECK(text == "PUT /proxy/x HTTP/1.1\r\nHost: localhost:" + std::to_string(server.port()) +
                    "\r\nAuthorization: Bearer t\r\nContent-Length: 2\r\n\r\nab");
  RawServer::send(
      socket, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 409 Conflict\r\nContent-Length: 1\r\n\r\nx");
  const auto response = pending.get();
  REQUIRE(response);
  CHECK(response->status == 409);
  CHECK(response->body == "x");
}

TEST_CASE("a connection that the server closed while idle is not used") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  const auto* const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  {
    auto pending = loop.start(client->send(request("POST", "/1"), 5s));
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, ok);
    REQUIRE(pending.get());
    // Closed here; loopback delivers the end before close() returns.
  }
  auto pending = loop.start(client->send(request("POST", "/2"), 5s));
  auto socket = server.accept();
  CHECK(RawServer::read_until(socket, "\r\n\r\n").starts_with("POST /2 "));
  RawServer::send(socket, ok);
  CHECK(pending.get());
}

TEST_CASE("only what has no effect is sent again when a kept connection dies under it") {
  const auto method =
      GENERATE(std::string("GET"), std::string("PUT"), std::string("POST"), std::string("PATCH"));
  DYNAMIC_SECTION(method) {
    RawServer server;
    Loop loop;
    const auto client = client_of(loop, server);
    auto first = loop.start(client->send(request("GET", "/1"), 5s));
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    REQUIRE(first.get());
    auto second = loop.start(client->send(request(method, "/2"), 5s));
    RawServer::read_until(socket, "\r\n\r\n");
    socket.close();
    if (method == "GET") {
      auto again = server.accept();
      CHECK(RawServer::read_until(again, "\r\n\r\n").starts_with("GET /2 "));
      RawServer::send(again, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
      CHECK(second.get());
    } else {
      const auto result = second.get();
      REQUIRE_FALSE(result);
      CHECK(result.error().code == ErrorCode::unavailable);
    }
  }
}

TEST_CASE("an answer that is cut is an error, for GET too") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  auto pending = loop.start(client->send(request("GET", "/"), 5s));
  {
    auto socket = server.accept();
    RawServer::read_until(socket, "\r\n\r\n");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
  }
  const auto result = pending.get();
  REQUIRE_FALSE(result);
  CHECK(result.error().message == "connection ended within a response");
}

TEST_CASE("a deadline ends every kind of waiting") {
  RawServer server;
  Loop loop;
  SECTION("for an answer") {
    const auto client = client_of(loop, server);
    const auto result = loop.run(client->send(request("GET", "/"), 30ms));
    REQUIRE_FALSE(result);
    CHECK(result.error() == Error{ErrorCode::unavailable, "read: timed out"});
  }
  SECTION("for a connection to become free") {
    HttpClientOptions options;
    options.base = {false, "127.0.0.1", server.port(), ""};
    options.max_connections = 1;
    const auto client = HttpClient::make(loop.io, options).value();
    auto first = loop.start(client->send(request("GET", "/1"), 5s));
    auto socket = server.accept();
    const auto result = loop.run(client->send(request("GET", "/2"), 30ms));
    REQUIRE_FALSE(result);
    CHECK(result.error().message == "no connection was free in time");
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    CHECK(first.get());
  }
}

TEST_CASE("nobody listening is unavailable") {
  Loop loop;
  std::uint16_t port = 0;
  {
    const RawServer gone;
    port = gone.port();
  }
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", port, ""};
  const auto client = HttpClient::make(loop.io, options).value();
  const auto result = loop.run(client->send(request("GET", "/"), 5s));
  REQUIRE_FALSE(result);
  CHECK(result.error() == Error{ErrorCode::unavailable, "connect: Connection refused"});
}

TEST_CASE("close_all fails what is under way and the client goes on") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  auto pending = loop.start(client->send(request("POST", "/1"), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  client->close_all();
  CHECK_FALSE(pending.get());
  auto next = loop.start(client->send(request("POST", "/2"), 5s));
  auto again = server.accept();
  RawServer::read_until(again, "\r\n\r\n");
  RawServer::send(again, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  CHECK(next.get());
}

TEST_CASE("a connection with more on it than the answer is not used again") {
  // What is left over would be taken for the answer to the next request.
  const auto* const wrong = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nwrong";
  const bool later = GENERATE(false, true);
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  auto first = loop.start(client->send(request("GET", "/1"), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  RawServer::send(socket, later ? std::string(empty_ok) : empty_ok + std::string(wrong));
  REQUIRE(first.get());
  if (later) RawServer::send(socket, wrong);
  auto second = loop.start(client->send(request("POST", "/2"), 5s));
  auto fresh = server.accept();
  CHECK(RawServer::read_until(fresh, "\r\n\r\n").starts_with("POST /2 "));
  RawServer::send(fresh, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nright");
  CHECK(second.get().value().body == "right");
}

TEST_CASE(
    "a connection is not used again after an answer that ends it, or one that came too late") {
  RawServer server;
  Loop loop;
  const auto client = client_of(loop, server);
  const bool late = GENERATE(false, true);
  auto first = loop.start(client->send(request("GET", "/1"), late ? 30ms : 5000ms));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  if (late) {
    CHECK_FALSE(first.get());
  } else {
    RawServer::send(socket, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    CHECK(first.get());
  }
  auto second = loop.start(client->send(request("GET", "/2"), 5s));
  auto fresh = server.accept();
  CHECK(RawServer::read_until(fresh, "\r\n\r\n").starts_with("GET /2 "));
  RawServer::send(fresh, empty_ok);
  CHECK(second.get());
}

TEST_CASE("an idle connection is given up after its time") {
  Echo echo;
  HttpClientOptions options;
  options.idle_timeout = 0ms;
  const auto client = echo.client(options);
  CHECK(echo.loop.run(client->send(request("GET", "/1"), 5s)));
  CHECK(echo.loop.run(client->send(request("GET", "/2"), 5s)));
  CHECK(echo.seen->peers.size() == 2);
}

TEST_CASE("what a burst opened is closed after its time, also while one connection is enough") {
  RawServer server;
  Loop loop;
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", server.port(), ""};
  options.idle_timeout = 0ms;
  const auto client = HttpClient::make(loop.io, options).value();
  auto first = loop.start(client->send(request("GET", "/1"), 5s));
  auto unused = server.accept();
  auto second = loop.start(client->send(request("GET", "/2"), 5s));
  auto used = server.accept();
  RawServer::send(unused, empty_ok);
  CHECK(first.get());
  RawServer::send(used, empty_ok);
  CHECK(second.get());
  const timeval patience{.tv_sec = 5, .tv_usec = 0};
  REQUIRE(::setsockopt(unused.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience,
                       sizeof(patience)) == 0);
  std::string seen(4096, '\0');
  auto left = ::recv(unused.native_handle(), seen.data(), seen.size(), 0);  // its request
  while (left > 0) left = ::recv(unused.native_handle(), seen.data(), seen.size(), 0);
  CHECK(left == 0);  // the end, and not only nothing for so long
}

TEST_CASE("a request that may not go any more is not sent, and one that waited is asked late") {
  Echo echo;
  const auto client = echo.client();
  auto refused = request("POST", "/1");
  int asked = 0;
  refused.may_go = [&asked] { return ++asked > 1; };
  const auto response = echo.loop.run(client->send(refused, 5s));
  REQUIRE_FALSE(response);
  CHECK(response.error() == Error{ErrorCode::unavailable, "not sent: it may not go any more"});
  CHECK(echo.seen->peers.empty());
  CHECK(echo.loop.run(client->send(refused, 5s)));
  CHECK(asked == 2);
}

TEST_CASE("an answer over the limits is an error") {
  RawServer server;
  Loop loop;
  HttpClientOptions options;
  options.base = {false, "127.0.0.1", server.port(), ""};
  options.limits = {.header_bytes = 1024, .body_bytes = 10};
  const auto client = HttpClient::make(loop.io, options).value();
  const auto text =
      GENERATE(std::string("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901"),
               "HTTP/1.1 200 OK\r\nA: " + std::string(2000, 'a') + "\r\n\r\n");
  auto pending = loop.start(client->send(request("GET", "/"), 5s));
  auto socket = server.accept();
  RawServer::read_until(socket, "\r\n\r\n");
  RawServer::send(socket, text);
  CHECK_FALSE(pending.get());
}

}  // namespace dray::net::http_client_test
