#include "net/http_server.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <future>

#include "tests/unit/net/answers.h"
#include "tests/unit/net/support.h"

namespace dray::net::http_server_test {

using namespace std::chrono_literals;
using testing::Door;
using testing::echo;
using testing::get;
using testing::Loop;
using testing::RawClient;
namespace asio = boost::asio;

TEST_CASE("hundreds of requests can be held at once") {
  constexpr int count = 300;
  Loop loop;
  auto arrived = std::make_shared<std::atomic<int>>(0);
  auto all_here =
      std::make_shared<asio::steady_timer>(loop.io, std::chrono::steady_clock::time_point::max());
  auto strand = std::make_shared<std::mutex>();
  struct Hold {
    static asio::awaitable<HttpResponse> until_all(std::shared_ptr<std::atomic<int>> here) {
      ++*here;
      asio::steady_timer poll(co_await asio::this_coro::executor);
      while (here->load() < count) {
        poll.expires_after(2ms);
        co_await poll.async_wait(asio::use_awaitable);
      }
      co_return text_response(200, "all here");
    }
  };
  HttpServer server(loop.io, {}, [arrived](HttpRequest) { return Hold::until_all(arrived); });
  const auto port = server.listen().value();
  std::vector<std::unique_ptr<RawClient>> clients;
  for (int i = 0; i < count; ++i) {
    clients.push_back(std::make_unique<RawClient>(port));
    clients.back()->send(get("/"));
  }
  int answered = 0;
  for (const auto& client : clients) answered += client->read_all().ends_with("all here") ? 1 : 0;
  CHECK(answered == count);
}

TEST_CASE("connections beyond the limit wait until one ends") {
  HttpServerOptions options;
  options.max_connections = 1;
  Loop loop;
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  RawClient first(port);
  first.send(get("/1", ""));
  CHECK(first.read_until("/1 ").ends_with("GET /1 "));
  RawClient second(port);
  second.send(get("/2"));
  CHECK(server.connections() == 1);
  first.close();
  CHECK(second.read_all().ends_with("GET /2 "));
}

TEST_CASE("where the oldest gives way, many connections keep nobody out") {
  HttpServerOptions options;
  options.max_connections = 2;
  options.oldest_gives_way = true;
  Loop loop;
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  std::vector<std::unique_ptr<RawClient>> silent;
  for (int i = 0; i < 20; ++i) silent.push_back(std::make_unique<RawClient>(port));
  RawClient probe(port);
  probe.send(get("/livez"));
  CHECK(probe.read_all().ends_with("GET /livez "));
  CHECK(server.connections() <= 2);
  CHECK(silent.front()->read_all().empty());
}

TEST_CASE("a port that has names answers to these only") {
  HttpServerOptions options;
  options.hosts = {"localhost"};
  Loop loop;
  HttpServer server(loop.io, options, echo());
  const auto port = server.listen().value();
  RawClient own(port);
  own.send("GET /a HTTP/1.1\r\nHost: localhost:1\r\nConnection: close\r\n\r\n");
  CHECK(own.read_all().starts_with("HTTP/1.1 200"));
  RawClient foreign(port);
  foreign.send("GET /a HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n");
  CHECK(foreign.read_all().starts_with("HTTP/1.1 403"));
}

TEST_CASE("draining lets a request finish and takes no new one") {
  Loop loop;
  const auto door = std::make_shared<Door>();
  HttpServer server(loop.io, {}, echo(door));
  const auto port = server.listen().value();
  RawClient idle(port);
  idle.send(get("/a", ""));
  CHECK(idle.read_until("/a ").ends_with("GET /a "));
  RawClient busy(port);
  busy.send(get("/hold", ""));
  door->arrived.get_future().wait();
  auto drained = loop.start(server.drain(10s));
  CHECK(idle.read_all().empty());
  CHECK_THROWS(RawClient(port));
  door->open.set_value();
  const auto last = busy.read_all();
  CHECK(last.find("Connection: close\r\n") != std::string::npos);
  CHECK(last.ends_with("GET /hold "));
  CHECK(drained.get() == 0);
}

TEST_CASE("draining is bounded") {
  Loop loop;
  const auto door = std::make_shared<Door>();
  HttpServer server(loop.io, {}, echo(door));
  RawClient busy(server.listen().value());
  busy.send(get("/hold"));
  door->arrived.get_future().wait();
  CHECK(loop.run(server.drain(20ms)) == 1);
  CHECK(busy.read_all().empty());
  door->open.set_value();
}

TEST_CASE("close_all cuts off what is under way and the server goes on") {
  Loop loop;
  const auto door = std::make_shared<Door>();
  HttpServer server(loop.io, {}, echo(door));
  const auto port = server.listen().value();
  RawClient held(port);
  held.send(get("/hold"));
  door->arrived.get_future().wait();
  server.close_all();
  CHECK(held.read_all().empty());
  door->open.set_value();
  RawClient next(port);
  next.send(get("/a"));
  CHECK(next.read_all().ends_with("GET /a "));
}

TEST_CASE("a server may stop listening and begin again on its port") {
  Loop loop;
  HttpServer server(loop.io, {}, echo());
  const auto port = server.listen().value();
  CHECK(server.listen().value() == port);
  server.stop_listening();
  server.close_all();
  CHECK(server.listen().value() == port);
  RawClient next(port);
  next.send(get("/a"));
  CHECK(next.read_all().ends_with("GET /a "));
}

TEST_CASE("a port in use and a bad address are errors") {
  Loop loop;
  HttpServer first(loop.io, {}, echo());
  HttpServerOptions options;
  options.port = first.listen().value();
  HttpServer second(loop.io, options, echo());
  REQUIRE_FALSE(second.listen());
  CHECK(second.listen().error().code == ErrorCode::unavailable);
  options.address = "nowhere";
  HttpServer third(loop.io, options, echo());
  CHECK(third.listen().error().code == ErrorCode::invalid);
}

}  // namespace dray::net::http_server_test
