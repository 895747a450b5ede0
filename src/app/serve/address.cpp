#include "app/serve/address.h"

#include <fmt/format.h>

#include <charconv>

namespace dray::app {

Result<HostAndPort> parse_address(const std::string& text) {
  const auto bad = [&] {
    return fail(ErrorCode::invalid,
                fmt::format("\"{}\" is no address; write 127.0.0.1:9443 or [::1]:9443", text));
  };
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return bad();
  HostAndPort where;
  where.host = text.substr(0, colon);
  if (where.host.starts_with('[') && where.host.ends_with(']')) {
    where.host = where.host.substr(1, where.host.size() - 2);
  } else if (where.host.contains(':')) {
    return bad();
  }
  const auto* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data() + colon + 1, last, where.port);
  if (error != std::errc() || end != last || where.host.empty()) return bad();
  return where;
}

}  // namespace dray::app
