#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "net/connection.h"
#include "net/http_server.h"

namespace dray::net {

/// What all connections of a server share. Fixed, but for `draining`.
struct ServedBy {
  HttpServerOptions options;
  HttpHandler handler;
  std::atomic<bool> draining = false;
  mutable std::atomic<std::uint64_t> body_bytes =
      0;  ///< that HttpServerOptions::max_body_bytes bounds
};

/// What one request holds of the bytes that all connections of a server may hold.
class HeldBody {
 public:
  explicit HeldBody(std::shared_ptr<const ServedBy> server) : server_(std::move(server)) {}
  ~HeldBody() { server_->body_bytes -= counted_; }
  HeldBody(const HeldBody&) = delete;
  HeldBody& operator=(const HeldBody&) = delete;

  /// So many bytes have been received; whether they may be held.
  [[nodiscard]] bool grow_to(std::uint64_t bytes);

 private:
  std::shared_ptr<const ServedBy> server_;
  std::uint64_t counted_ = 0;
};

/// One accepted connection. `busy` while a request is being received, handled or answered.
struct Session {
  explicit Session(Connection::Socket socket)
      : connection(std::make_shared<Connection>(std::move(socket))),
        network(connection->peer_network()) {}

  std::shared_ptr<Connection> connection;
  std::string network;       ///< of the other side, for bounds; fixed
  std::uint64_t number = 0;  ///< in the order of acceptance; owned by the server
  bool busy = false;         ///< owned by the strand
  bool allowed = true;       ///< owned by the strand: HttpServerOptions::allowed_clients
  std::string inbox;         ///< owned by the strand: received and not yet parsed
};

/// Whether the handshake succeeded; if not, the connection is closed.
boost::asio::awaitable<bool> start_tls(std::shared_ptr<const ServedBy> server,
                                       std::shared_ptr<Session> session,
                                       std::shared_ptr<const TlsContext> tls);
/// Serves requests on a connection, one after the other, until either side has had enough.
boost::asio::awaitable<void> serve_session(std::shared_ptr<const ServedBy> server,
                                           std::shared_ptr<Session> session);

}  // namespace dray::net
