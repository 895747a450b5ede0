#include "net/proxy.h"

#include <openssl/evp.h>

#include <charconv>
#include <utility>

#include "net/url.h"

namespace dray::net {
namespace {

constexpr std::string_view scheme = "http://";

/// `%40` is `@`; unlike in a query, `+` is itself.
std::string decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const auto* const hex = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(hex, hex + 2, value, 16).ptr == hex + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// `Basic …` (RFC 7617).
std::string basic(const std::string& login) {
  std::string text(4 * ((login.size() + 2) / 3) + 1, '\0');
  const auto length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                                      reinterpret_cast<const unsigned char*>(login.data()),
                                      static_cast<int>(login.size()));
  text.resize(static_cast<std::size_t>(length));
  return "Basic " + text;
}

}  // namespace

Result<Proxy> Proxy::parse(std::string_view text) {
  if (text.contains("://") && !text.starts_with(scheme)) {
    return fail(ErrorCode::unsupported, "only proxies of scheme http are supported");
  }
  std::string_view login;
  std::string url(text);
  const auto at = text.rfind('@');
  if (at != std::string_view::npos && text.starts_with(scheme)) {
    login = text.substr(scheme.size(), at - scheme.size());
    url = std::string(scheme) + std::string(text.substr(at + 1));
  }
  auto parsed = Url::parse(url);
  // What was given is not repeated: there may be a password in it.
  if (!parsed || !parsed->path.empty()) {
    return fail(ErrorCode::invalid, "it is not like http://proxy:3128");
  }
  Proxy proxy;
  proxy.host = std::move(parsed->host);
  proxy.port = parsed->port;
  if (!login.empty()) proxy.authorization = basic(decoded(login));
  return proxy;
}

}  // namespace dray::net
