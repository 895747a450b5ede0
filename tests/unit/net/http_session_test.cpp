#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>

#include "tests/unit/net/answers.h"
#include "tests/unit/net/support.h"

// What one connection to a server is answered.

namespace dray::net::http_session_test {

using namespace std::chrono_literals;
using testing::answer;
using testing::echo;
using testing::get;
using testing::Loop;
using testing::RawClient;

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

}  // namespace dray::net::http_session_test
