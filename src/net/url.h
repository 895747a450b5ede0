#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray::net {

/// Where an HTTP server is: `https://10.0.0.1:6443/prefix`.
struct Url {
  bool tls = false;
  std::string host;  ///< a name or an address, without brackets
  std::uint16_t port = 80;
  std::string path;  ///< without a slash at its end; often empty

  /// Scheme http or https; no user, query or fragment.
  [[nodiscard]] static Result<Url> parse(std::string_view text);
  /// Value of the Host header: without the scheme's own port.
  [[nodiscard]] std::string authority() const;
  bool operator==(const Url&) const = default;
};

}  // namespace dray::net
