#include "cel/text/net_text.h"

#include <catch2/catch.hpp>
#include <string>

namespace dray::cel::net_text_test {
namespace {

std::string address(const char* text) {
  std::string error;
  const auto parsed = parse_address(text, error);
  return parsed ? ip_text(parsed->address) : "error";
}
std::string prefix(const char* text) {
  std::string error;
  bool mapped = false;
  const auto parsed = parse_prefix(text, mapped, error);
  return parsed ? cidr_text(*parsed) : "error";
}

TEST_CASE("addresses are read and written as net/netip") {
  CHECK(address("10.0.0.1") == "10.0.0.1");
  CHECK(address("0:0:0:0:0:0:0:1") == "::1");
  CHECK(address("2001:DB8::0:1") == "2001:db8::1");
  CHECK(address("1:0:0:2:0:0:0:3") == "1:0:0:2::3");
  for (const char* wrong : {"", "10.0.0", "10.0.0.256", "010.0.0.1", "10.0.0.1.2", "1:2:3", ":::1",
                            "1::2::3", "12345::", "g::"}) {
    INFO(wrong);
    CHECK(address(wrong) == "error");
  }
}

TEST_CASE("what an address is written as is told apart") {
  std::string error;
  CHECK(parse_address("::ffff:10.0.0.1", error)->mapped);
  CHECK_FALSE(parse_address("10.0.0.1", error)->mapped);
  CHECK(parse_address("fe80::1%eth0", error)->has_zone);
  CHECK(parse_address("10.0.0.1", error)->address.is_v4);
  CHECK_FALSE(parse_address("::1", error)->address.is_v4);
}

TEST_CASE("prefixes have as many bits as their family allows") {
  CHECK(prefix("10.1.2.3/8") == "10.1.2.3/8");
  CHECK(prefix("10.0.0.0/32") == "10.0.0.0/32");
  CHECK(prefix("::/0") == "::/0");
  CHECK(prefix("::/128") == "::/128");
  for (const char* wrong :
       {"10.0.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/08", "10.0.0.0/", "/8"}) {
    INFO(wrong);
    CHECK(prefix(wrong) == "error");
  }
}

}  // namespace
}  // namespace dray::cel::net_text_test
