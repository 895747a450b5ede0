#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/cel/fixture.h"

// What a selector says, asked of the reference (k8s.io/dynamic-resource-allocation/cel).

namespace dray::cel::net_test {
namespace {

TEST_CASE("addresses and networks: true of every device") {
  const auto text = GENERATE(
      as<std::string>{}, R"(isIP('10.0.0.1'))", R"(isIP('::1'))", R"(!isIP('10.0.0'))",
      R"(!isIP('010.0.0.1'))", R"(isCIDR('10.0.0.0/8'))", R"(!isCIDR('10.0.0.0'))",
      R"(!isCIDR('10.0.0.0/33'))", R"(ip('10.0.0.1').family() == 4)", R"(ip('::1').family() == 6)",
      R"(ip.isCanonical('::1'))", R"(!ip.isCanonical('0:0::1'))", R"(ip('127.0.0.1').isLoopback())",
      R"(!ip('10.0.0.1').isLoopback())", R"(ip('0.0.0.0').isUnspecified())",
      R"(ip('224.0.0.1').isLinkLocalMulticast())", R"(ip('169.254.1.1').isLinkLocalUnicast())",
      R"(ip('8.8.8.8').isGlobalUnicast())", R"(!ip('127.0.0.1').isGlobalUnicast())",
      R"(cidr('10.0.0.0/8').containsIP('10.255.0.1'))",
      R"(!cidr('10.0.0.0/8').containsIP('11.0.0.1'))",
      R"(cidr('10.0.0.0/8').containsIP(ip('10.1.1.1')))",
      R"(cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16'))",
      R"(!cidr('10.1.0.0/16').containsCIDR('10.0.0.0/8'))",
      R"(cidr('10.0.0.0/8').containsCIDR(cidr('10.0.0.0/8')))",
      R"(cidr('10.1.2.3/8').masked() == cidr('10.0.0.0/8'))",
      R"(cidr('10.1.2.3/8').ip() == ip('10.1.2.3'))", R"(cidr('10.0.0.0/8').prefixLength() == 8)",
      R"(string(ip('::1')) == '::1')", R"(string(cidr('10.0.0.0/8')) == '10.0.0.0/8')",
      R"(ip('10.0.0.1') == ip('10.0.0.1'))", R"(ip('10.0.0.1') != ip('10.0.0.2'))");
  INFO(text);
  CHECK(outcome(text) == "true");
}

struct Failing {
  std::string text;
  std::string error;
};

TEST_CASE("addresses and networks: what fails says why") {
  const auto row = GENERATE(
      Failing{
          R"(ip(dyn('10.0.0')) == ip('10.0.0.0'))",
          R"(IP Address "10.0.0" parse error during conversion from string: ParseAddr("10.0.0"): IPv4 address too short)"},
      Failing{
          R"(cidr(dyn('10.0.0.0')) == cidr('10.0.0.0/8'))",
          R"(network address parse error during conversion from string: network address parse error during conversion from string: netip.ParsePrefix("10.0.0.0"): no '/')"},
      Failing{R"(ip(dyn('::ffff:10.0.0.1')) == ip('10.0.0.1'))",
              R"(IPv4-mapped IPv6 address "::ffff:10.0.0.1" is not allowed)"},
      Failing{R"(ip(dyn('fe80::1%eth0')) == ip('fe80::1'))",
              R"(IP address "fe80::1%eth0" with zone value is not allowed)"});
  INFO(row.text);
  CHECK(outcome(row.text).starts_with(row.error));
}

}  // namespace
}  // namespace dray::cel::net_test
