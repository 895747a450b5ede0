#include "cel/text/url_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/text/net_text.h"
#include "cel/text/number_text.h"

namespace dray::cel {

namespace {

/// What a part of a URL escapes (net/url's encoding modes).
enum class Part { path, user, host, zone, query, fragment };

bool one_of(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool should_escape(char c, Part part) {
  const bool alphanumeric =
      (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  if (alphanumeric || one_of(c, "-_.~")) return false;
  switch (part) {
    case Part::host:
    case Part::zone:
      return !one_of(c, "!$&'()*+,;=:[]<>\"");
    case Part::path:
      return !one_of(c, "$&+,/:;=@");
    case Part::user:
      return !one_of(c, "$&+,;=");
    case Part::fragment:
      return !one_of(c, "$&+,/:;=?@!()*");
    case Part::query:
      break;
  }
  return true;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> unescape(std::string_view text, Part part, std::string& error) {
  std::string out;
  const auto bad = [&](std::string_view escape) {
    error = "invalid URL escape " + quote(escape);
    return std::nullopt;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '+') {
      out += part == Part::query ? ' ' : '+';
    } else if (c != '%') {
      const bool host = part == Part::host || part == Part::zone;
      if (host && static_cast<unsigned char>(c) < 0x80 && should_escape(c, part)) {
        error = "invalid character " + quote(text.substr(i, 1)) + " in host name";
        return std::nullopt;
      }
      out += c;
    } else {
      const std::string_view escape = text.substr(i, 3);
      if (escape.size() < 3 || hex_digit(escape[1]) < 0 || hex_digit(escape[2]) < 0) {
        return bad(escape);
      }
      const char value = static_cast<char>(hex_digit(escape[1]) * 16 + hex_digit(escape[2]));
      if (part == Part::host && hex_digit(escape[1]) < 8 && escape != "%25") return bad(escape);
      if (part == Part::zone && escape != "%25" && value != ' ' &&
          should_escape(value, Part::host)) {
        return bad(escape);
      }
      out += value;
      i += 2;
    }
  }
  return out;
}

std::string escape(std::string_view text, Part part) {
  std::string out;
  for (const char c : text) {
    if (should_escape(c, part)) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

bool valid_port(std::string_view port) {
  if (port.empty()) return true;
  return port[0] == ':' &&
         std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// net/url's parse().
class UrlReader {
 public:
  UrlReader(std::string_view text, bool request, std::string& error)
      : text_(text), request_(request), error_(error) {}

  std::optional<ParsedUrl> run() {
    const bool control = std::ranges::any_of(
        text_, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 0x7F; });
    if (control) return fail("net/url: invalid control character in URL");
    if (text_.empty() && request_) return fail("empty url");
    if (text_ == "*") {
      url_.escaped_path = url_.text = "*";
      return url_;
    }
    std::string_view rest;
    if (!scheme(rest)) return std::nullopt;
    bool forced_query = false;
    if (rest.ends_with('?') && std::ranges::count(rest, '?') == 1) {
      forced_query = true;
      rest.remove_suffix(1);
    } else if (const auto mark = rest.find('?'); mark != std::string_view::npos) {
      url_.raw_query = rest.substr(mark + 1);
      rest = rest.substr(0, mark);
    }
    const std::string query =
        forced_query || !url_.raw_query.empty() ? "?" + url_.raw_query : std::string{};
    if (!rest.starts_with('/')) {
      if (!url_.scheme.empty()) {
        url_.text = url_.scheme + ":" + std::string(rest) + query;
        return url_;
      }
      if (request_) return fail("invalid URI for request");
      if (rest.substr(0, rest.find('/')).find(':') != std::string_view::npos) {
        return fail("first path segment in URL cannot contain colon");
      }
    }
    if (!authority_and_path(rest)) return std::nullopt;
    url_.text += query;
    return url_;
  }

 private:
  std::nullopt_t fail(std::string message) {
    error_ = std::move(message);
    return std::nullopt;
  }

  bool scheme(std::string_view& rest) {
    rest = text_;
    for (std::size_t i = 0; i < text_.size(); ++i) {
      const char c = text_[i];
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (letter) continue;
      if ((c >= '0' && c <= '9') || one_of(c, "+-.")) {
        if (i == 0) return true;
        continue;
      }
      if (c != ':') return true;
      if (i == 0) {
        fail("missing protocol scheme");
        return false;
      }
      for (const char s : text_.substr(0, i)) {
        url_.scheme += s >= 'A' && s <= 'Z' ? static_cast<char>(s - 'A' + 'a') : s;
      }
      rest = text_.substr(i + 1);
      return true;
    }
    return true;
  }

  bool authority_and_path(std::string_view rest) {
    bool omit_host = false;
    bool has_user = false;
    std::string user;
    const bool network =
        rest.starts_with("//") && (!url_.scheme.empty() || (!request_ && !rest.starts_with("///")));
    if (network) {
      const std::string_view authority = rest.substr(2, rest.find('/', 2) - 2);
      rest.remove_prefix(2 + authority.size());
      const auto at = authority.rfind('@');
      if (!host(authority.substr(at == std::string_view::npos ? 0 : at + 1))) return false;
      has_user = at != std::string_view::npos;
      if (has_user && !user_info(authority.substr(0, at), user)) return false;
    } else {
      omit_host = !url_.scheme.empty() && rest.starts_with('/');
    }
    const auto path = unescape(rest, Part::path, error_);
    if (!path) return false;
    url_.escaped_path = escaped_path(rest, *path);
    if (!url_.scheme.empty()) url_.text = url_.scheme + ":";
    const bool has_authority = !url_.scheme.empty() || !url_.host.empty() || has_user;
    if (has_authority && !(omit_host && url_.host.empty() && !has_user)) {
      if (!url_.host.empty() || !path->empty() || has_user) url_.text += "//";
      if (has_user) url_.text += user + "@";
      url_.text += escape(url_.host, Part::host);
    }
    if (!url_.escaped_path.empty() && url_.escaped_path[0] != '/' && !url_.host.empty()) {
      url_.text += '/';
    }
    url_.text += url_.escaped_path;
    return true;
  }

  /// The path as written if that is a way to write it.
  static std::string escaped_path(std::string_view raw, const std::string& path) {
    const bool valid = std::ranges::all_of(
        raw, [](char c) { return one_of(c, "!$&'()*+,;=:@[]%") || !should_escape(c, Part::path); });
    return valid ? std::string(raw) : (path == "*" ? path : escape(path, Part::path));
  }

  bool user_info(std::string_view text, std::string& shown) {
    const bool valid = std::ranges::all_of(text, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             one_of(c, "-._:~!$&'()*+,;=%@");
    });
    if (!valid) {
      fail("net/url: invalid userinfo");
      return false;
    }
    const auto colon = text.find(':');
    const auto name = unescape(text.substr(0, colon), Part::user, error_);
    if (!name) return false;
    shown = escape(*name, Part::user);
    if (colon == std::string_view::npos) return true;
    const auto password = unescape(text.substr(colon + 1), Part::user, error_);
    if (!password) return false;
    shown += ":" + escape(*password, Part::user);
    return true;
  }

  bool host(std::string_view text) {
    const auto bracket = text.rfind('[');
    if (bracket != std::string_view::npos) {
      if (bracket > 0) {
        fail("invalid IP-literal");
        return false;
      }
      return ip_literal(text);
    }
    if (auto colon = text.find(':'); colon != std::string_view::npos) {
      if (url_.scheme != "http" && url_.scheme != "https") colon = text.rfind(':');
      if (!valid_port(text.substr(colon))) return bad_port(text.substr(colon));
    }
    const auto plain = unescape(text, Part::host, error_);
    if (plain) url_.host = *plain;
    return plain.has_value();
  }

  bool bad_port(std::string_view port) {
    fail("invalid port " + quote(port) + " after host");
    return false;
  }

  bool ip_literal(std::string_view text) {
    const auto close = text.rfind(']');
    if (close == std::string_view::npos) {
      fail("missing ']' in host");
      return false;
    }
    const std::string_view port = text.substr(close + 1);
    if (!valid_port(port)) return bad_port(port);
    const std::string_view name = text.substr(1, close - 1);
    const auto zone = name.find("%25");
    auto plain = unescape(name.substr(0, zone), Part::host, error_);
    if (!plain) return false;
    if (zone != std::string_view::npos) {
      const auto tail = unescape(name.substr(zone), Part::zone, error_);
      if (!tail) return false;
      *plain += *tail;
    }
    std::string why;
    const auto address = parse_address(*plain, why);
    if (!address || address->address.is_v4) {
      fail(address ? "invalid IP-literal" : "invalid host: " + why);
      return false;
    }
    url_.host = "[" + *plain + "]" + std::string(port);
    return true;
  }

  std::string_view text_;
  bool request_;
  std::string& error_;
  ParsedUrl url_;
};

std::pair<std::string_view, std::string_view> split_host(std::string_view host) {
  std::string_view port;
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && valid_port(host.substr(colon))) {
    port = host.substr(colon + 1);
    host = host.substr(0, colon);
  }
  if (host.size() >= 2 && host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  }
  return {host, port};
}

}  // namespace

bool is_request_uri(std::string_view text, std::string& error) {
  if (UrlReader(text, true, error).run()) return true;
  error = "parse " + quote(text) + ": " + error;
  return false;
}

std::optional<ParsedUrl> parse_url(std::string_view text, std::string& error) {
  const auto hash = text.find('#');
  const std::string_view before = text.substr(0, hash);
  auto url = UrlReader(before, false, error).run();
  if (!url) {
    error = "parse " + quote(before) + ": " + error;
    return url;
  }
  if (hash == std::string_view::npos || hash + 1 == text.size()) return url;
  const std::string_view raw = text.substr(hash + 1);
  const auto fragment = unescape(raw, Part::fragment, error);
  if (!fragment) {
    error = "parse " + quote(text) + ": " + error;
    return std::nullopt;
  }
  const bool valid = std::ranges::all_of(raw, [](char c) {
    return one_of(c, "!$&'()*+,;=:@[]%") || !should_escape(c, Part::fragment);
  });
  url->text += "#" + (valid ? std::string(raw) : escape(*fragment, Part::fragment));
  return url;
}

std::string_view url_hostname(std::string_view host) {
  return split_host(host).first;
}
std::string_view url_port(std::string_view host) {
  return split_host(host).second;
}

std::vector<std::pair<std::string, std::string>> url_query(std::string_view raw) {
  std::vector<std::pair<std::string, std::string>> out;
  // Go gives up on more parameters than this (urlmaxqueryparams).
  if (std::ranges::count(raw, '&') + 1 > 10000) return out;
  std::string error;
  while (!raw.empty()) {
    const std::string_view part = raw.substr(0, raw.find('&'));
    raw.remove_prefix(std::min(raw.size(), part.size() + 1));
    if (part.empty() || part.find(';') != std::string_view::npos) continue;
    const auto equals = part.find('=');
    const auto key = unescape(part.substr(0, equals), Part::query, error);
    const auto value = equals == std::string_view::npos
                           ? std::optional<std::string>("")
                           : unescape(part.substr(equals + 1), Part::query, error);
    if (key && value) out.emplace_back(*key, *value);
  }
  return out;
}

}  // namespace dray::cel
