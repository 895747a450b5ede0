#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/runtime.h"

namespace dray::cel {

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
