#include "net/url.h"

#include <catch2/catch.hpp>

namespace dray::net::url_test {

TEST_CASE("URLs of API servers parse") {
  struct Row {
    const char* text;
    Url want;
    const char* authority;
  };
  const auto row =
      GENERATE(Row{"https://10.0.0.1:6443", {true, "10.0.0.1", 6443, ""}, "10.0.0.1:6443"},
               Row{"https://kubernetes.default.svc/",
                   {true, "kubernetes.default.svc", 443, ""},
                   "kubernetes.default.svc"},
               Row{"http://localhost:8001/proxy/x/",
                   {false, "localhost", 8001, "/proxy/x"},
                   "localhost:8001"},
               Row{"https://[fd00::1]:443", {true, "fd00::1", 443, ""}, "[fd00::1]"},
               Row{"http://[::1]", {false, "::1", 80, ""}, "[::1]"});
  DYNAMIC_SECTION(row.text) {
    const auto url = Url::parse(row.text);
    REQUIRE(url);
    CHECK(*url == row.want);
    CHECK(url->authority() == row.authority);
  }
}

TEST_CASE("what is no URL of a server is refused") {
  const auto* const text = GENERATE(
      "", "10.0.0.1:6443", "ftp://x", "https://", "https://:1", "https://x:0", "https://x:65536",
      "https://x:", "https://x:1a", "https://u@x", "https://x?y", "https://[::1", "https://[::1]x",
      "http://a b", "http://::1:80", "http://x[::1]:80", "http://a:b:80");
  DYNAMIC_SECTION(text) {
    const auto url = Url::parse(text);
    REQUIRE_FALSE(url);
    CHECK(url.error().code == ErrorCode::invalid);
  }
}

TEST_CASE("an error about a URL does not repeat a password or a query") {
  struct Row {
    const char* text;
    const char* shown;
  };
  const auto row = GENERATE(Row{"https://admin:s3cret@x:1", "url https://...@x:1: "},
                            Row{"https://a:s3cret@b:s3cret@x", "url https://...@x: "},
                            Row{"ftp://admin:s3cret@x", "url ftp://...@x: "},
                            Row{"admin:s3cret@x", "url ...@x: "},
                            Row{"https://x/?token=s3cret", "url https://x/?...: "},
                            Row{"https://x/?token=s3cret@y", "url https://...@y: "});
  const auto url = Url::parse(row.text);
  REQUIRE_FALSE(url);
  CHECK(url.error().message.starts_with(row.shown));
  CHECK_FALSE(url.error().message.contains("s3cret"));
}

}  // namespace dray::net::url_test
