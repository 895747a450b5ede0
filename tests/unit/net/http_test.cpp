#include "net/http.h"

#include <catch2/catch.hpp>

namespace dray::net::http_test {

TEST_CASE("a query parameter is found and decoded") {
  struct Row {
    const char* name;
    const char* target;
    std::optional<std::string> want;
  };
  const auto row =
      GENERATE(Row{"no query", "/readyz", std::nullopt}, Row{"a flag", "/readyz?verbose", ""},
               Row{"another one", "/readyz?verbos=1", std::nullopt},
               Row{"a value", "/x?a=1&verbose=2%20%2f+3", "2 / 3"},
               Row{"the first of two", "/x?verbose=1&verbose=2", "1"},
               Row{"a broken escape stays", "/x?verbose=%zz%4", "%zz%4"});
  DYNAMIC_SECTION(row.name) {
    HttpRequest request;
    request.target = row.target;
    CHECK(request.query("verbose") == row.want);
    CHECK(request.path() == std::string_view(row.target).substr(0, request.path().size()));
    CHECK(request.path().find('?') == std::string_view::npos);
  }
}

TEST_CASE("headers are found whatever their case") {
  const HttpHeaders headers{{"Content-Type", "a"}, {"content-type", "b"}};
  CHECK(find_header(headers, "CONTENT-TYPE") == "a");
  CHECK(find_header(headers, "Content").empty());
}

TEST_CASE("percent-encoding keeps only what every URL may carry") {
  CHECK(percent_encode("a-Z_0.~") == "a-Z_0.~");
  CHECK(percent_encode("a b/c=d&\xc3\xa9") == "a%20b%2Fc%3Dd%26%C3%A9");
}

TEST_CASE("responses carry their type") {
  CHECK(text_response(404, "x").header("content-type") == "text/plain; charset=utf-8");
  CHECK(json_response(200, "{}").header("content-type") == "application/json");
  CHECK(status_text(413) == "Payload Too Large");
  CHECK(status_text(799) == "Status");
}

TEST_CASE("a request is told by its Host whether it asks for this port's own name") {
  struct Row {
    std::string_view host;
    bool known;
  };
  const auto row =
      GENERATE(Row{"localhost", true}, Row{"LOCALHOST:9443", true}, Row{"127.0.0.1:9443", true},
               Row{"[::1]", true}, Row{"[::1]:9443", true}, Row{"evil.example", false},
               Row{"localhost.evil.example:9443", false}, Row{"", false});
  HttpRequest request;
  if (!row.host.empty()) request.headers.push_back({"Host", std::string(row.host)});
  CAPTURE(row.host);
  CHECK(asks_for_host(request, {"localhost", "127.0.0.1", "[::1]"}) == row.known);
}

}  // namespace dray::net::http_test
