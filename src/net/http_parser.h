#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "dray/base/error.h"
#include "net/http.h"

namespace dray::net {

struct HttpLimits {
  std::uint32_t header_bytes = 16U * 1024U;
  std::uint64_t body_bytes = 64ULL * 1024 * 1024;
  /// Of requests to these paths, in place of body_bytes.
  std::map<std::string, std::uint64_t, std::less<>> body_bytes_at = {};
};

/// Why a request cannot be served, and the status that says so.
struct HttpParseError {
  int status = 400;
  std::string message;

  bool operator==(const HttpParseError&) const = default;
};

/// Parses one HTTP/1 request, in pieces as they arrive. Strict where leniency smuggles requests:
/// no Transfer-Encoding (kube-scheduler and browsers send Content-Length), one Host, one
/// Content-Length, CRLF line ends.
class HttpRequestParser {
 public:
  explicit HttpRequestParser(const HttpLimits& limits);
  ~HttpRequestParser();
  HttpRequestParser(HttpRequestParser&&) noexcept;
  HttpRequestParser& operator=(HttpRequestParser&&) noexcept;

  /// Takes a prefix of `bytes` and says how long it was; offer the rest again together with what
  /// comes next. Stops at the end of the message.
  std::expected<std::size_t, HttpParseError> feed(std::string_view bytes);

  [[nodiscard]] bool header_done() const;
  [[nodiscard]] bool done() const;
  /// From here on: only once header_done().
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool expects_continue() const;
  [[nodiscard]] std::uint64_t content_length() const;
  [[nodiscard]] std::uint64_t body_received() const;  ///< bytes
  /// Once done().
  [[nodiscard]] HttpRequest take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Parses one HTTP/1 response: Content-Length, chunked (trailers are dropped) or until the
/// connection ends. The body may be taken away while it arrives.
class HttpResponseParser {
 public:
  HttpResponseParser(const HttpLimits& limits, bool head_request);
  ~HttpResponseParser();
  HttpResponseParser(HttpResponseParser&&) noexcept;
  HttpResponseParser& operator=(HttpResponseParser&&) noexcept;

  Result<std::size_t> feed(std::string_view bytes);
  /// The connection ended: fine only for a body that lasts until then.
  Result<void> feed_end();

  [[nodiscard]] bool header_done() const;
  [[nodiscard]] bool done() const;
  /// From here on: only once header_done().
  [[nodiscard]] bool keep_alive() const;
  /// Status, headers and the body so far; body() may be moved away between feeds.
  [[nodiscard]] HttpResponse& response();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::net
