#pragma once

#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "net/connection.h"
#include "net/http_server.h"

namespace dray::net {

/// What all connections of a server share. Fixed, but for `draining`.
struct ServedBy {
  HttpServerOptions options;
  HttpHandler handler;
  std::atomic<bool> draining = false;
};

/// One accepted connection. `busy` while a request is being received, handled or answered.
struct Session {
  explicit Session(Connection::Socket socket)
      : connection(std::make_shared<Connection>(std::move(socket))) {}

  std::shared_ptr<Connection> connection;
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
