#include "net/http_server.h"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>
#include <future>

#include "tests/unit/net/support.h"

namespace dray::net::http_server_test {
namespace {

using namespace std::chrono_literals;
using testing::Loop;
using testing::RawClient;
namespace asio = boost::asio;

/// Holds requests to /hold until opened.
struct Door {
  std::promise<void> arrived;
  std::promise<void> open;
  std::shared_future<void> opened = open.get_future().share();
};

asio::awaitable<HttpResponse> answer(HttpRequest request, std::shared_ptr<Door> door) {
  if (request.path() == "/hold") {
    door->arrived.set_value();
    asio::steady_timer poll(co_await asio::this_coro::executor);
    while (door->opened.wait_for(0s) != std::future_status::ready) {
      poll.expires_after(1ms);
      co_await poll.async_wait(asio::use_awaitable);
    }
  }
  if (request.path() == "/throw") throw std::runtime_error("broken");
  if (request.path() == "/name") co_return text_response(200, request.client_name);
  co_return text_response(200, request.method + " " + request.target + " " + request.body);
}

HttpHandler echo(std::shared_ptr<Door> door = nullptr) {
  return [door](HttpRequest request) { return answer(std::move(request), door); };
}

std::string get(const std::string& path, const std::string& more = "Connection: close\r\n") {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\n" + more + "\r\n";
}

}  // namespace

TEST_CASE("a server answers with a length and keeps the connection") {
  Loop loop;
  HttpServer server(loop.io, {}, echo());
  RawClient client(server.listen().value());
  client.send(get("/a", ""));
  const auto head = client.read_until("\r\n\r\n");
  CHECK(head.starts_with("HTTP/1.1 200 OK\r\n"));
  CHECK(head.find("Content-Length: 7\r\n") != std::string::npos);
  CHECK(head.find("Connection: close") == std::string::npos);
  CHECK(client.read_until("/a ") == "GET /a ");
  client.send(get("/b"));
  const auto rest = client.read_all();
  CHECK(rest.find("Connection: close\r\n") != std::string::npos);
  CHECK(rest.ends_with("\r\n\r\nGET /b "));
}

TEST_CASE("pipelined requests are answered in order") {
  Loop loop;
  HttpServer server(loop.io, {}, echo());
  RawClient client(server.listen().value());
  client.send(get("/1", "") + "POST /2 HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc" +
              get("/3"));
  const auto all = client.read_all();
  const auto first = all.find("GET /1 ");
  const auto second = all.find("POST /2 abc");
  const auto third = all.find("GET /3 ");
  CHECK(first < second);
  CHECK(second < third);
  CHECK(third != std::string::npos);
}

TEST_CASE("HEAD gets the length without the body, HTTP/1.0 the end after it") {
  Loop loop;
  HttpServer server(loop.io, {}, echo());
  const auto port = server.listen().value();
  RawClient head(port);
  head.send("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const auto answer_to_head = head.read_all();
  CHECK(answer_to_head.find("Content-Length: 8\r\n") != std::string::npos);
  CHECK(answer_to_head.ends_with("\r\n\r\n"));
  RawClient old(port);
  old.send("GET /a HTTP/1.0\r\n\r\n");
  CHECK(old.read_all().ends_with("GET /a "));
}

TEST_CASE("hostile input gets its status and the end of the connection") {
  struct Row {
    const char* name;
    std::string text;
    const char* status;
  };
  HttpServerOptions options;
  options.limits = {.header_bytes = 1024, .body_bytes = 100};
  const auto row = GENERATE_COPY(
      Row{"a body over the limit, none of it sent",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 101\r\n\r\n", "413 Payload Too Large"},
      Row{"a body over the limit, much of it sent",
          "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n" +
              std::string(1000000, 'x'),
          "413 Payload Too Large"},
      Row{"an expectation that will not be met",
          "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n",
          "413 Payload Too Large"},
      Row{"endless headers", "GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(5000, 'a'),
          "431 Request Header Fields Too Large"},
      Row{"noise", "\x01\x02\x03\r\n\r\n", "400 Bad Request"},
      Row{"a handler that throws", get("/throw"), "500 Internal Server Error"});
  DYNAMIC_SECTION(row.name) {
    Loop loop;
    HttpServer server(loop.io, options, echo());
    RawClient client(server.listen().value());
    client.send(row.text);
    CHECK(client.read_all().starts_with(std::string("HTTP/1.1 ") + row.status));
  }
}

TEST_CASE("100-continue is said when the body is welcome") {
  Loop loop;
  HttpServer server(loop.io, {}, echo());
  RawClient client(server.listen().value());
  client.send(
      "POST /a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n"
      "Connection: close\r\n\r\n");
  CHECK(client.read_until("\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("ab");
  CHECK(client.read_all().ends_with("POST /a ab"));
}

TEST_CASE("who is slow is cut off") {
  struct Row {
    const char* name;
    const char* text;
  };
  const auto row =
      GENERATE(Row{"no request", ""}, Row{"half a header", "GET / HTTP/1.1\r\nHo"},
               Row{"half a body", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab"});
  DYNAMIC_SECTION(row.name) {
    HttpServerOptions options;
    options.idle_timeout = options.header_timeout = options.body_timeout = 30ms;
    Loop loop;
    HttpServer server(loop.io, options, echo());
    RawClient client(server.listen().value());
    client.send(row.text);
    CHECK(client.read_all().empty());
  }
}

TEST_CASE("a request that is cut in the middle is no request") {
  auto calls = std::make_shared<std::atomic<int>>(0);
  Loop loop;
  HttpServer server(loop.io, {}, [calls](HttpRequest request) {
    ++*calls;
    return answer(std::move(request), nullptr);
  });
  RawClient client(server.listen().value());
  client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nab");
  client.end();
  CHECK(client.read_all().empty());
  CHECK(*calls == 0);
}

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
