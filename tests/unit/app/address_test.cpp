#include "app/serve/address.h"

#include <catch2/catch.hpp>

namespace dray::app::address_test {

TEST_CASE("an address has a host and a port") {
  struct Row {
    const char* text;
    const char* host;  // null: no address
    int port = 0;
  };
  const auto row =
      GENERATE(Row{"127.0.0.1:9443", "127.0.0.1", 9443}, Row{"[::1]:1", "::1", 1},
               Row{"localhost:65535", "localhost", 65535}, Row{"::1:1", nullptr},
               Row{"[::1]", nullptr}, Row{"x:65536", nullptr}, Row{"x:", nullptr},
               Row{"x:1a", nullptr}, Row{":1", nullptr}, Row{"", nullptr}, Row{"x:-1", nullptr});
  DYNAMIC_SECTION(row.text) {
    const auto where = parse_address(row.text);
    REQUIRE(where.has_value() == (row.host != nullptr));
    if (!where) return;
    CHECK(where->host == row.host);
    CHECK(where->port == row.port);
  }
}

}  // namespace dray::app::address_test
