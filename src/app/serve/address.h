#pragma once

#include <cstdint>
#include <string>

#include "dray/base/error.h"

namespace dray::app {

/// `host:port` or `[::1]:port`.
struct HostAndPort {
  std::string host;
  std::uint16_t port = 0;
};
[[nodiscard]] Result<HostAndPort> parse_address(const std::string& text);

}  // namespace dray::app
