#include <boost/asio/ip/address.hpp>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/connection.h"
#include "net/http_server.h"
#include "tests/unit/net/answers.h"
#include "tests/unit/net/support.h"

// What one address, and what all requests together, may take of a server.

namespace dray::net::http_server_bounds_test {

using testing::Door;
using testing::echo;
using testing::get;
using testing::Loop;
using testing::make_certificate;
using testing::RawClient;
using testing::TempFolder;

namespace {

constexpr auto other_address = "127.0.0.2";

std::string post(const std::string& path, std::size_t bytes) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " + std::to_string(bytes) +
         "\r\n\r\n" + std::string(bytes, 'x');
}

std::vector<std::unique_ptr<RawClient>> silent_clients(std::uint16_t port, int count) {
  std::vector<std::unique_ptr<RawClient>> all;
  for (int i = 0; i < count; ++i) all.push_back(std::make_unique<RawClient>(port));
  return all;
}

}  // namespace

TEST_CASE("one address takes half of the connections, and others get the rest") {
  HttpServerOptions options;
  options.max_connections = 4;
  Loop loop;
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  // Answered once each, so that both are known to be there, and kept.
  const auto first = silent_clients(port, 2);
  for (const auto& client : first) {
    client->send(get("/1", ""));
    CHECK(client->read_until("/1 ").ends_with("GET /1 "));
  }
  RawClient third(port);
  third.send(get("/3"));
  CHECK(third.read_all().empty());
  RawClient other(port, other_address);
  other.send(get("/4"));
  CHECK(other.read_all().ends_with("GET /4 "));
  // Room again.
  first.front()->close();
  std::string answer;
  while (answer.empty()) {
    RawClient next(port);
    next.send(get("/5"));
    answer = next.read_all();
  }
  CHECK(answer.ends_with("GET /5 "));
}

TEST_CASE("where the oldest gives way, it is one of the address that opens many") {
  HttpServerOptions options;
  options.max_connections = 4;
  options.oldest_gives_way = true;
  Loop loop(1);
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  RawClient other(port, other_address);
  other.send(get("/1", ""));
  CHECK(other.read_until("/1 ").ends_with("GET /1 "));
  const auto many = silent_clients(port, 40);
  for (std::size_t i = 0; i + 2 < many.size(); ++i) CHECK(many[i]->read_all().empty());
  CHECK(other.is_open());
  other.send(get("/2"));
  CHECK(other.read_all().ends_with("GET /2 "));
}

TEST_CASE("an address that opens many handshakes ends its own, and not those of others") {
  const TempFolder folder;
  const auto pair = make_certificate({"server", "IP:127.0.0.1"});
  HttpServerOptions options;
  options.tls = ServerTlsFiles{.certificate = folder.write("crt", pair.certificate),
                               .key = folder.write("key", pair.key),
                               .client_ca = ""};
  options.max_handshakes = 4;
  options.handshake_timeout = std::chrono::hours(1);
  Loop loop(1);
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  RawClient other(port, other_address);
  while (server.connections() == 0) std::this_thread::yield();
  const auto many = silent_clients(port, 40);
  for (std::size_t i = 0; i + 2 < many.size(); ++i) CHECK(many[i]->read_all().empty());
  CHECK(other.is_open());
  CHECK(server.connections() == 3);
}

TEST_CASE("an address is that of a host: a network of 64 bits where it may choose from one") {
  struct Row {
    const char* address;
    const char* network;
  };
  const auto row = GENERATE(Row{"192.0.2.1", "192.0.2.1"}, Row{"::ffff:192.0.2.1", "192.0.2.1"},
                            Row{"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
                            Row{"2001:db8:1:2::9", "2001:db8:1:2::"},
                            Row{"2001:db8:1:3::9", "2001:db8:1:3::"}, Row{"::1", "::"});
  CHECK(network_of(boost::asio::ip::make_address(row.address)) == row.network);
}

TEST_CASE("bodies together are bounded; small ones are served all the same") {
  HttpServerOptions options;
  options.max_body_bytes = 400'000;
  Loop loop;
  const auto door = std::make_shared<Door>();
  HttpServer server(loop.io, options, echo(door));
  const auto port = server.listen().value();
  RawClient held(port);
  held.send(post("/hold", 300'000));
  door->arrived.get_future().wait();
  RawClient large(port);
  large.send(post("/large", 300'000));
  const auto refused = large.read_all();
  CHECK(refused.starts_with("HTTP/1.1 503 "));
  CHECK(refused.contains("\r\nRetry-After: 1\r\n"));
  RawClient small(port);
  small.send(post("/small", 60'000));
  CHECK(small.read_all().starts_with("HTTP/1.1 200 "));
  door->open.set_value();
  CHECK(held.read_all().starts_with("HTTP/1.1 200 "));
  RawClient again(port);
  again.send(post("/large", 300'000));
  CHECK(again.read_all().starts_with("HTTP/1.1 200 "));
}

}  // namespace dray::net::http_server_bounds_test
