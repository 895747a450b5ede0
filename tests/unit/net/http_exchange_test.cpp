#include "net/http_exchange.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::net::http_exchange_test {
namespace {

using namespace std::string_literals;

HttpRequest of(const std::string& method, const std::string& body = "") {
  HttpRequest request;
  request.method = method;
  request.target = "/a?b=c";
  request.body = body;
  return request;
}

std::string head(const HttpRequest& request) {
  return request_head(request, {false, "10.0.0.1", 6443, "/base"}).value();
}

}  // namespace

TEST_CASE("a head has the base path, the host with its port, and the headers given") {
  auto request = of("GET");
  request.headers = {{"Accept", "application/json"}, {"User-Agent", "dray"}};
  CHECK(head(request) ==
        "GET /base/a?b=c HTTP/1.1\r\nHost: 10.0.0.1:6443\r\nAccept: application/json\r\n"
        "User-Agent: dray\r\n\r\n");
  CHECK(request_head(of("GET"), {true, "fd00::1", 443, ""}) ==
        "GET /a?b=c HTTP/1.1\r\nHost: [fd00::1]\r\n\r\n");
}

TEST_CASE("what would end its line in a head is not sent, nor told") {
  const Url base{false, "10.0.0.1", 6443, ""};
  for (const auto& end : {"\r\n"s, "\n"s, "\r"s, "\0"s}) {
    auto request = of("GET");
    request.headers = {{"Authorization", "Bearer s3cret" + end + "Host: other"}};
    const auto head = request_head(request, base);
    REQUIRE_FALSE(head);
    CHECK(head.error().message == "not sent: its header Authorization is more than one line");
  }
  auto request = of("GET");
  request.headers = {{"A\r\nB", "c"}};
  CHECK_FALSE(request_head(request, base));
  request = of("GET");
  request.target += "\r\nHost: other";
  CHECK_FALSE(request_head(request, base));
}

TEST_CASE("a length is sent with what carries a body, also an empty one") {
  for (const std::string method : {"POST", "PUT", "PATCH"}) {
    CHECK(head(of(method)).ends_with("\r\nContent-Length: 0\r\n\r\n"));
    CHECK(head(of(method, "abc")).ends_with("\r\nContent-Length: 3\r\n\r\n"));
  }
  CHECK(head(of("GET")).find("Content-Length") == std::string::npos);
  CHECK(head(of("DELETE")).find("Content-Length") == std::string::npos);
  CHECK(head(of("DELETE", "{}")).ends_with("\r\nContent-Length: 2\r\n\r\n"));
}

TEST_CASE("only what has no effect may be repeated") {
  for (const auto* method : {"GET", "HEAD"}) CHECK(may_repeat(of(method)));
  for (const auto* method : {"POST", "PUT", "PATCH", "DELETE"}) CHECK_FALSE(may_repeat(of(method)));
}

}  // namespace dray::net::http_exchange_test
