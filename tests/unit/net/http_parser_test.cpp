#include "net/http_parser.h"

#include <catch2/catch.hpp>
#include <limits>
#include <string>
#include <vector>

namespace dray::net::http_parser_test {
namespace {

/// Feeds `text` in pieces of `step` bytes, as a connection would.
template <class Parser>
auto feed_in_steps(Parser& parser, std::string_view text, std::size_t step) {
  std::string inbox;
  auto last = parser.feed("");
  for (std::size_t at = 0; at < text.size() && !parser.done(); at += step) {
    inbox += text.substr(at, step);
    last = parser.feed(inbox);
    if (!last) return last;
    inbox.erase(0, *last);
  }
  return last;
}

struct Row {
  const char* name;
  std::string text;
  int status;
};

const std::string post = "POST / HTTP/1.1\r\nHost: x\r\n";

/// How long the body is, by its coding.
std::vector<Row> unclear_codings() {
  return {Row{"chunked", post + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
          Row{"length, then chunked",
              post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc", 400},
          Row{"chunked, then length",
              post + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\nabc", 411},
          Row{"an unknown coding", post + "Transfer-Encoding: identity\r\n\r\n", 411},
          Row{"obfuscated coding", post + "Transfer-Encoding: xchunked\r\n\r\n", 411},
          Row{"two codings",
              post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 411},
          Row{"a list of codings", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 411},
          Row{"chunked, not last", post + "Transfer-Encoding: chunked, gzip\r\n\r\n", 411},
          Row{"chunked in capitals", post + "TRANSFER-ENCODING: CHUNKED\r\n\r\n", 411},
          Row{"chunked behind a tab", post + "Transfer-Encoding:\tchunked\r\n\r\n", 411},
          Row{"chunked behind a vertical tab", post + "Transfer-Encoding: \vchunked\r\n\r\n", 400},
          Row{"a quoted coding", post + "Transfer-Encoding: \"chunked\"\r\n\r\n", 411},
          Row{"an empty coding", post + "Transfer-Encoding:\r\n\r\n", 411},
          Row{"a coding with a parameter", post + "Transfer-Encoding: chunked;a=b\r\n\r\n", 411},
          Row{"a space before a coding's colon", post + "Transfer-Encoding : chunked\r\n\r\n", 400},
          Row{"a tab before a coding's colon", post + "Transfer-Encoding\t: chunked\r\n\r\n", 400},
          Row{"a coding on a folded line", post + "Transfer-Encoding:\r\n chunked\r\n\r\n", 411},
          Row{"a coding of HTTP/1.0",
              "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 411},
          Row{"a coding and a length of none",
              post + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n", 400}};
}

/// How long the body is, by its length.
std::vector<Row> unclear_lengths() {
  return {
      Row{"two lengths", post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc", 400},
      Row{"the same length twice", post + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
      Row{"a list of lengths", post + "Content-Length: 3, 4\r\n\r\nabc", 400},
      Row{"a negative length", post + "Content-Length: -1\r\n\r\n", 400},
      Row{"a length with a sign", post + "Content-Length: +3\r\n\r\nabc", 400},
      Row{"a hexadecimal length", post + "Content-Length: 0x3\r\n\r\nabc", 400},
      Row{"a length beyond 64 bits", post + "Content-Length: 18446744073709551616\r\n\r\n", 400},
      Row{"a length on a folded line", post + "Content-Length:\r\n 3\r\n\r\nabc", 400},
      Row{"an empty length", post + "Content-Length:\r\n\r\n", 400},
      Row{"a length of spaces", post + "Content-Length:   \r\n\r\n", 400},
      Row{"a length with a comma behind", post + "Content-Length: 3,\r\n\r\nabc", 400},
      Row{"a list of equal lengths", post + "Content-Length: 3, 3\r\n\r\nabc", 400},
      Row{"a length with a space inside", post + "Content-Length: 1 3\r\n\r\nabc", 400},
      Row{"a length with a unit", post + "Content-Length: 3k\r\n\r\nabc", 400},
      Row{"a length with a point", post + "Content-Length: 3.0\r\n\r\nabc", 400},
      Row{"a length with an exponent", post + "Content-Length: 1e1\r\n\r\nabc", 400},
      Row{"a length with an underscore", post + "Content-Length: 1_0\r\n\r\nabc", 400},
      Row{"a quoted length", post + "Content-Length: \"3\"\r\n\r\nabc", 400},
      Row{"two lengths in other letters",
          post + "Content-Length: 3\r\ncontent-length: 5\r\n\r\nabc", 400},
      Row{"a space before a length's colon", post + "Content-Length : 3\r\n\r\nabc", 400},
      Row{"a zero byte in a length", post + std::string("Content-Length: 3\0\r\n\r\n", 22), 400},
      Row{"a header without a colon", post + "Content-Length\r\n\r\n", 400},
      Row{"a bare line feed between headers", post + "A: b\nContent-Length: 3\r\n\r\nabc", 400},
      Row{"a bare line feed at the end", post + "Content-Length: 3\r\n\nabc", 400}};
}

/// Where a header begins and ends, and whom it asks.
std::vector<Row> unclear_headers() {
  return {
      Row{"two hosts", post + "Host: y\r\n\r\n", 400},
      Row{"no host", "GET / HTTP/1.1\r\n\r\n", 400},
      Row{"bare line feeds", "GET / HTTP/1.1\nHost: x\n\n", 505},
      Row{"a space before the colon", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", 400},
      Row{"a zero byte in a header", std::string("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", 28), 400},
      Row{"a space in the target", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 505},
      Row{"no method", " / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      Row{"HTTP/2's preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      Row{"HTTP/0.9", "GET /\r\n\r\n", 400},
      Row{"a folded header", post + "A: b\r\n\tc\r\n\r\n", 400},
      Row{"a fold after the request line", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400},
      Row{"a space before a header", "GET / HTTP/1.1\r\nA: b\r\n Host: x\r\n\r\n", 400},
      Row{"a header without a name", post + ": 3\r\n\r\n", 400},
      Row{"a name with a slash", post + "A/B: c\r\n\r\n", 400},
      Row{"a carriage return in a value", post + "A: b\rc\r\n\r\n", 400},
      Row{"a carriage return in a name", post + "A\rB: c\r\n\r\n", 400},
      Row{"a zero byte in a name", post + std::string("A\0B: c\r\n\r\n", 10), 400},
      Row{"two hosts that are the same", post + "Host: x\r\n\r\n", 400},
      Row{"HTTP/1.2", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", 505},
      Row{"HTTP/11", "GET / HTTP/11\r\nHost: x\r\n\r\n", 505},
      Row{"a version in small letters", "GET / http/1.1\r\nHost: x\r\n\r\n", 505},
      Row{"a version of two words", "GET / HTTP/1.1 x\r\nHost: x\r\n\r\n", 505},
      Row{"a tab in the request line", "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
      Row{"a zero byte in the target", std::string("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", 28), 400},
      Row{"a TLS hello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15),
          400}};
}

}  // namespace

TEST_CASE("a request parses however it is split") {
  const std::string text =
      "POST /v1/filter?x=1 HTTP/1.1\r\nHost: dray:9443\r\nContent-Type: application/json\r\n"
      "Content-Length: 11\r\n\r\nhello world";
  const auto step = GENERATE(1, 2, 3, 5, 7, 64, 1000);
  DYNAMIC_SECTION("steps of " << step) {
    HttpRequestParser parser({});
    REQUIRE(feed_in_steps(parser, text, static_cast<std::size_t>(step)));
    REQUIRE(parser.done());
    CHECK(parser.keep_alive());
    CHECK(parser.content_length() == 11);
    const auto request = parser.take();
    CHECK(request.method == "POST");
    CHECK(request.path() == "/v1/filter");
    CHECK(request.header("content-type") == "application/json");
    CHECK(request.body == "hello world");
  }
}

TEST_CASE("a parser stops where the next request begins") {
  const std::string first = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
  HttpRequestParser parser({});
  const auto used = parser.feed(first + "GET /b HTTP/1.1\r\n");
  REQUIRE(used);
  CHECK(*used == first.size());
  CHECK(parser.done());
  CHECK(parser.feed("GET").value() == 0);
}

TEST_CASE("requests that could mean two things are refused") {
  auto rows = unclear_codings();
  for (auto more : {unclear_lengths(), unclear_headers()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  const auto row = GENERATE_COPY(from_range(rows));
  DYNAMIC_SECTION(row.name) {
    HttpRequestParser parser({});
    const auto used = parser.feed(row.text);
    REQUIRE_FALSE(used);
    CHECK(used.error().status == row.status);
    CHECK_FALSE(used.error().message.empty());
    HttpRequestParser in_pieces({});
    const auto last = feed_in_steps(in_pieces, row.text, 1);
    CHECK((!last || !in_pieces.done()));
  }
}

TEST_CASE("they are refused wherever a request is cut in two") {
  auto rows = unclear_codings();
  for (auto more : {unclear_lengths(), unclear_headers()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  for (const auto& row : rows) {
    for (std::size_t at = 1; at < row.text.size(); ++at) {
      HttpRequestParser parser({});
      auto inbox = row.text.substr(0, at);
      auto used = parser.feed(inbox);
      if (used) {
        inbox.erase(0, *used);
        used = parser.feed(inbox + row.text.substr(at));
      }
      INFO(row.name << ", cut at " << at);
      CHECK((!used || !parser.done()));
    }
  }
}

TEST_CASE("limits hold before a body is read") {
  HttpLimits limits;
  limits.header_bytes = 256;
  limits.body_bytes = 10;
  SECTION("a body that is announced as too long") {
    HttpRequestParser parser(limits);
    const auto used = parser.feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n");
    REQUIRE_FALSE(used);
    CHECK(used.error().status == 413);
  }
  SECTION("a body of just the limit") {
    HttpRequestParser parser(limits);
    REQUIRE(parser.feed("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n0123456789"));
    CHECK(parser.done());
  }
  SECTION("a path with a limit of its own, whatever its query") {
    limits.body_bytes_at = {{"/long", 12}};
    for (const auto* target : {"/long", "/long?x=1"}) {
      HttpRequestParser parser(limits);
      const auto head = std::string("POST ") + target + " HTTP/1.1\r\nHost: x\r\nContent-Length: ";
      REQUIRE(parser.feed(head + "12\r\n\r\n0123456789ab"));
      CHECK(parser.done());
      const auto used = HttpRequestParser(limits).feed(head + "13\r\n\r\n");
      REQUIRE_FALSE(used);
      CHECK(used.error().message == "body: more than 12 bytes");
    }
    CHECK_FALSE(HttpRequestParser(limits).feed(
        "POST /longer HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\n"));
  }
  SECTION("headers without end") {
    HttpRequestParser parser(limits);
    const auto used = parser.feed("GET / HTTP/1.1\r\nHost: x\r\nA: " + std::string(300, 'a'));
    REQUIRE_FALSE(used);
    CHECK(used.error().status == 431);
  }
}

TEST_CASE("a response parses however it is split") {
  struct Row {
    const char* name;
    std::string text;
    std::string body;
    bool ends = false;
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const auto row = GENERATE_COPY(
      Row{"with a length", ok + "Content-Length: 3\r\n\r\nabc", "abc"},
      Row{"without a body", ok + "Content-Length: 0\r\n\r\n", ""},
      Row{"chunked", ok + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n002;x=y\r\nbc\r\n0\r\n\r\n",
          "abc"},
      Row{"chunked and empty", ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", ""},
      Row{"chunked with a trailer",
          ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n", "abc"},
      Row{"until the end", ok + "\r\nabc", "abc", true},
      Row{"no content", "HTTP/1.1 204 No Content\r\n\r\n", ""});
  const auto step = GENERATE(1, 2, 3, 4, 5, 6, 7, 1000);
  DYNAMIC_SECTION(row.name << ", steps of " << step) {
    HttpResponseParser parser({}, false);
    const auto fed = feed_in_steps(parser, row.text, static_cast<std::size_t>(step));
    REQUIRE(fed);
    CHECK(parser.done() != row.ends);
    if (row.ends) REQUIRE(parser.feed_end());
    CHECK(parser.done());
    CHECK(parser.response().body == row.body);
    CHECK(parser.response().header("X").empty());
    CHECK(parser.keep_alive() != row.ends);
  }
}

TEST_CASE("a broken response is an error, never a short body") {
  struct Row {
    const char* name;
    std::string text;
  };
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  const auto row = GENERATE_COPY(
      Row{"nothing", ""}, Row{"half a head", "HTTP/1.1 200"},
      Row{"half a body", ok + "Content-Length: 3\r\n\r\nab"},
      Row{"no last chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"},
      Row{"half a chunk", ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nab"},
      Row{"a bad chunk size", ok + "Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n\r\n"},
      Row{"no HTTP", "SSH-2.0-OpenSSH_9.2\r\n\r\n"});
  DYNAMIC_SECTION(row.name) {
    HttpResponseParser parser({}, false);
    const auto fed = parser.feed(row.text);
    CHECK((!fed || !parser.feed_end()));
  }
}

TEST_CASE("the answer to HEAD has no body") {
  HttpResponseParser parser({}, true);
  REQUIRE(parser.feed("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"));
  CHECK(parser.done());
}

TEST_CASE("a body may be taken while it arrives") {
  HttpResponseParser parser({64U * 1024U, std::numeric_limits<std::uint64_t>::max()}, false);
  const std::string text = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\na\n\r\n";
  const auto used = parser.feed(text);
  REQUIRE(used);
  CHECK(std::exchange(parser.response().body, {}) == "a\n");
  REQUIRE(parser.feed(text.substr(*used) + "2\r\nb\n\r\n"));
  CHECK(parser.response().body == "b\n");
  CHECK_FALSE(parser.done());
}

}  // namespace dray::net::http_parser_test
