#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "net/http.h"
#include "net/http_parser.h"
#include "net/proxy.h"
#include "net/tls.h"
#include "net/tls_failures.h"
#include "net/url.h"

namespace dray::net {

struct HttpClientOptions {
  Url base;
  ClientTls tls;               ///< for an https base
  std::optional<Proxy> proxy;  ///< by which the base is reached
  HttpLimits limits{.header_bytes = 64U * 1024U, .body_bytes = 512ULL * 1024 * 1024};
  std::size_t line_bytes = 64UL * 1024 * 1024;  ///< the longest line of a stream
  /// Requests at a time, streams not counted; more wait for their turn within their deadline.
  std::size_t max_connections = 64;
  /// An idle connection is not used again after that; below any server's own limit.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(60);
  /// Where failures of TLS are noted; clients of one server may share it. Null: nowhere.
  std::shared_ptr<TlsFailures> tls_failures = nullptr;
};

/// A response whose body arrives line by line, as a watch. Reading is what keeps it flowing: who
/// does not read holds the server back.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  [[nodiscard]] virtual const HttpResponse& head() const = 0;
  /// The lines that are there, at least one, waiting at most `silence` for it; none at the end of
  /// the body. A cut connection, a line that is too long, silence and cancel() are errors.
  virtual boost::asio::awaitable<Result<std::vector<std::string>>> lines(
      std::chrono::milliseconds silence) = 0;
  /// All of the body that is left (of an error's response).
  virtual boost::asio::awaitable<Result<std::string>> rest(std::chrono::milliseconds at_most) = 0;
  /// From any thread.
  virtual void cancel() = 0;
};

/// HTTP/1.1 client of one server, with a pool of kept-alive connections. Any thread; each
/// connection works on its own strand of `io`. An error is ErrorCode::unavailable: the request may
/// or may not have had an effect. No request is sent twice, but for a GET or HEAD whose kept-alive
/// connection ended before any byte of an answer.
class HttpClient {
 public:
  static Result<std::unique_ptr<HttpClient>> make(boost::asio::io_context& io,
                                                  HttpClientOptions options);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// The whole exchange, waiting for a connection included, within `deadline`.
  boost::asio::awaitable<Result<HttpResponse>> send(HttpRequest request,
                                                    std::chrono::milliseconds deadline);
  /// On a connection of its own; `deadline` is for everything up to the response's head.
  boost::asio::awaitable<Result<std::shared_ptr<HttpStream>>> open(
      HttpRequest request, std::chrono::milliseconds deadline);
  /// Cuts off every connection: what is under way fails, what comes later starts anew.
  void close_all();

  /// New certificates for connections to come. What is under way ends on its connection, which is
  /// not used again. An error changes nothing.
  Result<void> set_tls(const ClientTls& tls);

  struct State;  ///< of http_client.cpp

 private:
  explicit HttpClient(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace dray::net
