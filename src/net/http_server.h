#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "net/http.h"
#include "net/http_parser.h"
#include "net/tls.h"

namespace dray::net {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;             ///< 0: any free one
  std::optional<ServerTlsFiles> tls;  ///< re-read when they change
  /// Common names of client certificates that may speak here; empty: all that the CA signed. Judged
  /// at the handshake: another client gets 403, and no byte of its body is read.
  std::vector<std::string> allowed_clients;
  /// Names in Host by which the port may be asked for; empty: any.
  std::vector<std::string> hosts = {};
  HttpLimits limits;
  std::size_t max_connections = 2048;  ///< more wait in the kernel's queue
  /// TLS handshakes that are not finished, apart from max_connections: who opens many connections
  /// and shows no certificate cannot keep others out. Beyond that the oldest is closed for a new
  /// one.
  std::size_t max_handshakes = 512;
  /// One address (of IPv6 a network of 64 bits) has at most half of each of these two, so that it
  /// cannot take all. Beyond that its own oldest handshake is closed for a new one, and so is its
  /// own oldest connection where `oldest_gives_way`; where not, the new one.
  std::size_t max_percent_of_one_address = 50;
  /// Bytes of bodies that are held for all connections together, while they are received and
  /// answered. Beyond that a request gets 503; the first 64 KiB of a body are not counted.
  std::uint64_t max_body_bytes = 512ULL * 1024 * 1024;
  /// Then the oldest connection is closed for a new one, in place of that: whoever opens many
  /// cannot keep others out.
  bool oldest_gives_way = false;
  /// Above the 90 s after which Go's client gives an idle connection up, so that the client closes
  /// first: it does not repeat a POST on a connection that has just been closed.
  std::chrono::milliseconds idle_timeout = std::chrono::seconds(120);
  std::chrono::milliseconds handshake_timeout = std::chrono::seconds(5);
  std::chrono::milliseconds header_timeout = std::chrono::seconds(5);
  std::chrono::milliseconds body_timeout = std::chrono::seconds(30);
  std::chrono::milliseconds write_timeout = std::chrono::seconds(30);
  std::chrono::milliseconds tls_reload_every = std::chrono::seconds(1);
  /// Told of a certificate that was taken or refused on reload, and of failures to accept.
  std::function<void(const std::string&)> on_notice;
};

/// HTTP/1.1 server, plain or TLS. Requests of one connection are answered in order, those of
/// different connections at the same time: the handler runs on each connection's own strand of
/// `io`. All functions may be called from any thread. What runs keeps the parts that it needs
/// alive; destroying the server closes it as close_all() and stop_listening() do.
class HttpServer {
 public:
  HttpServer(boost::asio::io_context& io, HttpServerOptions options, HttpHandler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Binds and accepts; the port that it got. May follow stop_listening(), and then takes the same
  /// port again.
  Result<std::uint16_t> listen();
  void stop_listening();
  /// Cuts every connection off, answered or not; goes on listening.
  void close_all();
  /// Stops listening, closes idle connections, lets requests finish, at most for so long; then
  /// cuts off what is left. Returns how many that were.
  boost::asio::awaitable<std::size_t> drain(std::chrono::milliseconds at_most);

  [[nodiscard]] std::size_t connections() const;
  /// notAfter of the certificate in use.
  [[nodiscard]] std::optional<Time> certificate_expiry() const;

  struct State;  ///< of http_server.cpp

 private:
  Result<std::shared_ptr<boost::asio::ip::tcp::acceptor>> open_once();

  std::shared_ptr<State> state_;
};

}  // namespace dray::net
