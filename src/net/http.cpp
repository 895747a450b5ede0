#include "net/http.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace dray::net {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool is_unreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

/// What is not an escape stays as it is.
std::string percent_decode(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size()) {
      const auto high = hex_digit(text[i + 1]);
      const auto low = hex_digit(text[i + 2]);
      if (high && low) {
        decoded += static_cast<char>(*high * 16 + *low);
        i += 2;
        continue;
      }
    }
    decoded += text[i] == '+' ? ' ' : text[i];
  }
  return decoded;
}

HttpResponse typed_response(int status, std::string_view type, std::string body) {
  HttpResponse response;
  response.status = status;
  response.headers.push_back({"Content-Type", std::string(type)});
  response.body = std::move(body);
  return response;
}

constexpr auto status_texts = std::to_array<std::pair<int, std::string_view>>({
    {100, "Continue"},
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {204, "No Content"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {407, "Proxy Authentication Required"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {410, "Gone"},
    {411, "Length Required"},
    {413, "Payload Too Large"},
    {415, "Unsupported Media Type"},
    {417, "Expectation Failed"},
    {422, "Unprocessable Entity"},
    {429, "Too Many Requests"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
});

}  // namespace

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view find_header(const HttpHeaders& headers, std::string_view name) {
  for (const auto& header : headers) {
    if (equals_ignoring_case(header.name, name)) return header.value;
  }
  return {};
}

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::optional<std::string> HttpRequest::query(std::string_view name) const {
  const auto start = target.find('?');
  if (start == std::string::npos) return std::nullopt;
  auto rest = std::string_view(target).substr(start + 1);
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const auto pair = rest.substr(0, end);
    const auto equals = pair.find('=');
    if (percent_decode(pair.substr(0, equals)) == name) {
      return equals == std::string_view::npos ? "" : percent_decode(pair.substr(equals + 1));
    }
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return std::nullopt;
}

HttpResponse text_response(int status, std::string body) {
  return typed_response(status, "text/plain; charset=utf-8", std::move(body));
}

HttpResponse json_response(int status, std::string body) {
  return typed_response(status, "application/json", std::move(body));
}

std::string_view status_text(int status) {
  const auto* const found =
      std::ranges::find(status_texts, status, &std::pair<int, std::string_view>::first);
  return found == status_texts.end() ? std::string_view("Status") : found->second;
}

bool asks_for_host(const HttpRequest& request, const std::vector<std::string>& hosts) {
  auto host = request.header("Host");
  // `[::1]:8080` and `localhost:8080` lose their port; `[::1]` keeps its brackets.
  const auto colon = host.rfind(':');
  if (colon != std::string_view::npos && host.find(']', colon) == std::string_view::npos) {
    host = host.substr(0, colon);
  }
  return std::ranges::any_of(
      hosts, [&](const std::string& known) { return equals_ignoring_case(known, host); });
}

std::string percent_encode(std::string_view text) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    encoded += '%';
    encoded += digits[byte >> 4U];
    encoded += digits[byte & 0xFU];
  }
  return encoded;
}

}  // namespace dray::net
