#include "net/url.h"

#include <charconv>

namespace dray::net {
namespace {

/// Without what may be a secret: a user with a password, and what follows a question mark.
std::string shown(std::string_view text) {
  std::string out(text);
  const auto at = out.rfind('@');
  if (at != std::string::npos) {
    const auto scheme = out.find("://");
    const auto from = scheme == std::string::npos || scheme > at ? 0 : scheme + 3;
    out.replace(from, at - from, "...");
  }
  const auto query = out.find('?');
  if (query != std::string::npos) out.replace(query + 1, std::string::npos, "...");
  return out;
}

std::unexpected<Error> bad(std::string_view text, std::string_view why) {
  return fail(ErrorCode::invalid, "url " + shown(text) + ": " + std::string(why));
}

}  // namespace

Result<Url> Url::parse(std::string_view text) {
  Url url;
  auto rest = text;
  if (rest.starts_with("https://")) {
    url.tls = true;
    url.port = 443;
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
  } else {
    return bad(text, "begins neither with http:// nor with https://");
  }
  if (rest.find_first_of("?#@ \r\n\t") != std::string_view::npos) {
    return bad(text, "may not have a user, a query, a fragment or spaces");
  }
  const auto slash = rest.find('/');
  auto authority = rest.substr(0, slash);
  if (slash != std::string_view::npos) url.path = rest.substr(slash);
  while (url.path.ends_with('/')) url.path.pop_back();

  auto port_at = authority.rfind(':');
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos) return bad(text, "has no closing bracket");
    url.host = authority.substr(1, end - 1);
    port_at = end + 1 < authority.size() ? end + 1 : std::string_view::npos;
    if (port_at != std::string_view::npos && authority[port_at] != ':')
      return bad(text, "bad port");
  } else {
    url.host = authority.substr(0, port_at);
    if (url.host.find_first_of(":[]") != std::string::npos) {
      return bad(text, "an address of IPv6 stands in brackets");
    }
  }
  if (url.host.empty()) return bad(text, "has no host");
  if (port_at != std::string_view::npos) {
    const auto port = authority.substr(port_at + 1);
    const auto* const end = port.data() + port.size();
    const auto [stop, error] = std::from_chars(port.data(), end, url.port);
    if (error != std::errc() || stop != end || url.port == 0) return bad(text, "bad port");
  }
  return url;
}

std::string Url::authority() const {
  auto text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (tls ? 443 : 80)) text += ":" + std::to_string(port);
  return text;
}

}  // namespace dray::net
