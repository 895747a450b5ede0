#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

struct IpAddress {
  bool is_v4 = true;
  std::array<std::uint8_t, 16> bytes{};  ///< IPv4 in the last four

  bool operator==(const IpAddress&) const = default;
};

struct CidrBlock {
  IpAddress address;
  int bits = 0;

  bool operator==(const CidrBlock&) const = default;
};

/// Go's netip.ParseAddr and ParsePrefix with their error texts; a zone is kept apart.
struct ParsedAddress {
  IpAddress address;
  bool has_zone = false;
  bool mapped = false;  ///< an IPv4 address written as IPv6
};
[[nodiscard]] std::optional<ParsedAddress> parse_address(std::string_view text, std::string& error);
[[nodiscard]] std::optional<CidrBlock> parse_prefix(std::string_view text, bool& mapped,
                                                    std::string& error);

[[nodiscard]] std::string ip_text(const IpAddress& address);
[[nodiscard]] std::string cidr_text(const CidrBlock& block);

}  // namespace dray::cel
