#include "net/proxy.h"

#include <catch2/catch.hpp>

namespace dray::net::proxy_test {
namespace {

struct Row {
  std::string name;
  std::string text;
  Proxy want;
};

}  // namespace

TEST_CASE("the URL of a proxy") {
  const auto row = GENERATE(Row{"a host", "http://proxy", {"proxy", 80, ""}},
                            Row{"a port and a slash", "http://proxy:3128/", {"proxy", 3128, ""}},
                            Row{"an address", "http://[fd00::1]:3128", {"fd00::1", 3128, ""}},
                            Row{"a user",
                                "http://Aladdin:open%20sesame@proxy",
                                {"proxy", 80, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="}},
                            Row{"a password with an at and a plus",
                                "http://me:a%40b+c@proxy",
                                {"proxy", 80, "Basic bWU6YUBiK2M="}});
  DYNAMIC_SECTION(row.name) {
    const auto proxy = Proxy::parse(row.text);
    REQUIRE(proxy);
    CHECK(*proxy == row.want);
  }
}

TEST_CASE("what is no proxy of ours is refused, and its password is not repeated") {
  for (const auto* text : {"socks5://me:secret@proxy", "https://me:secret@proxy"}) {
    CHECK(Proxy::parse(text).error().code == ErrorCode::unsupported);
    CHECK(!Proxy::parse(text).error().message.contains("secret"));
  }
  for (const auto* text : {"http://me:secret@", "proxy:3128", "http://me:secret@proxy/path",
                           "http://me:secret@proxy:0", ""}) {
    INFO(text);
    CHECK(Proxy::parse(text).error().code == ErrorCode::invalid);
    CHECK(!Proxy::parse(text).error().message.contains("secret"));
  }
}

}  // namespace dray::net::proxy_test
