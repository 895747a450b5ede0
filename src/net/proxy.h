#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::net {

/// An HTTP proxy that connects to a server by CONNECT, TLS or not: net/tunnel.h.
struct Proxy {
  std::string host;
  std::uint16_t port = 80;
  std::string authorization;  ///< of Proxy-Authorization; empty: it asks for none

  /// `http://user:password@proxy:3128`, the user percent-encoded; other schemes are `unsupported`.
  [[nodiscard]] static Result<Proxy> parse(std::string_view text);
  bool operator==(const Proxy&) const = default;
};

}  // namespace dray::net
