#include "net/connection.h"

#include <array>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "tests/unit/net/support.h"

namespace dray::net::connection_test {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using testing::Loop;
using testing::RawServer;

/// A connection to a server that sends and reads what the test says.
struct Pair {
  Pair()
      : connection(std::make_shared<Connection>(Connection::Socket(asio::make_strand(loop.io)))) {
    REQUIRE(on_strand(connection->connect("127.0.0.1", server.port())));
    other = std::make_unique<asio::ip::tcp::socket>(server.accept());
  }
  ~Pair() {
    on_strand(closed(connection));
    loop.stop();
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  template <class T>
  T on_strand(asio::awaitable<T> task) {
    return asio::co_spawn(connection->executor(), std::move(task), asio::use_future).get();
  }
  Result<std::string> read() {
    std::array<char, 64> into{};
    const auto got = on_strand(connection->read_some(into));
    if (!got) return std::unexpected(got.error());
    return std::string(into.data(), *got);
  }
  bool is_quiet() { return on_strand(quiet(connection)); }

  static asio::awaitable<bool> quiet(std::shared_ptr<Connection> connection) {
    co_return connection->is_quiet();
  }
  bool peer_has_closed() { return on_strand(peer_closed(connection)); }

  static asio::awaitable<bool> peer_closed(std::shared_ptr<Connection> connection) {
    co_return connection->peer_has_closed();
  }
  static asio::awaitable<bool> closed(std::shared_ptr<Connection> connection) {
    connection->close();
    co_return connection->is_open();
  }
  static asio::awaitable<bool> expires(std::shared_ptr<Connection> connection,
                                       Connection::Clock::time_point when) {
    connection->expires_at(when);
    co_return true;
  }

  RawServer server;
  Loop loop;
  std::shared_ptr<Connection> connection;
  std::unique_ptr<asio::ip::tcp::socket> other;
};

}  // namespace

TEST_CASE("what is written arrives whole, what comes is read, and an end is no bytes") {
  Pair pair;
  CHECK(pair.on_strand(pair.connection->write("head ", "body")));
  CHECK(RawServer::read_until(*pair.other, "body") == "head body");
  RawServer::send(*pair.other, "answer");
  CHECK(pair.read() == "answer");
  pair.other->close();
  CHECK(pair.read() == "");
}

TEST_CASE("a connection is quiet until something comes, an end too") {
  const bool ends = GENERATE(false, true);
  Pair pair;
  CHECK(pair.is_quiet());
  if (ends) {
    pair.other->close();
  } else {
    RawServer::send(*pair.other, "x");
  }
  CHECK_FALSE(pair.is_quiet());
}

TEST_CASE("an end is seen behind bytes that nobody has read") {
  Pair pair;
  RawServer::send(*pair.other, "next");
  CHECK_FALSE(pair.peer_has_closed());
  pair.other->close();
  CHECK(pair.peer_has_closed());
  CHECK(pair.on_strand(Pair::closed(pair.connection)) == false);
  CHECK(pair.peer_has_closed());
}

TEST_CASE("a deadline that passes closes the connection") {
  Pair pair;
  pair.on_strand(Pair::expires(pair.connection, Connection::Clock::now() + 20ms));
  const auto read = pair.read();
  REQUIRE_FALSE(read);
  CHECK(read.error() == Error{ErrorCode::unavailable, "read: timed out"});
  CHECK_FALSE(pair.on_strand(pair.connection->write("x", "")));
}

TEST_CASE("a deadline may be put off, and taken away") {
  Pair pair;
  pair.on_strand(Pair::expires(pair.connection, Connection::Clock::now() + 1h));
  pair.on_strand(Pair::expires(pair.connection, Connection::Clock::time_point::max()));
  RawServer::send(*pair.other, "x");
  CHECK(pair.read() == "x");
}

TEST_CASE("closing ends what is under way, from any thread") {
  Pair pair;
  std::array<char, 8> into{};
  auto reading = asio::co_spawn(pair.connection->executor(), pair.connection->read_some(into),
                                asio::use_future);
  pair.connection->close_soon();
  CHECK_FALSE(reading.get());
  CHECK_FALSE(pair.on_strand(Pair::closed(pair.connection)));
}

TEST_CASE("the other side is known by its address, and without a certificate by no name") {
  Pair pair;
  CHECK(pair.connection->peer() == "127.0.0.1:" + std::to_string(pair.server.port()));
  CHECK(pair.connection->peer_name().empty());
}

}  // namespace dray::net::connection_test
