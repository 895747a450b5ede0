#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "net/connection.h"
#include "net/http.h"
#include "net/http_parser.h"
#include "net/proxy.h"
#include "net/tls.h"
#include "net/url.h"

namespace dray::net {

/// Where to connect to, and how. Immutable.
struct Target {
  Url url;
  std::shared_ptr<const TlsContext> tls;  ///< none: plain
  std::string server_name;
  std::optional<Proxy> proxy;  ///< none: the server itself is connected to
};

/// The request's head as sent: Host, Content-Length and the headers given. Fails where one of these
/// has a line end or a zero byte in it, as a token from a damaged file: what follows that would be
/// a header, or a request, of its own.
[[nodiscard]] Result<std::string> request_head(const HttpRequest& request, const Url& base);

/// GET and HEAD have no effect that a second time would repeat.
[[nodiscard]] bool may_repeat(const HttpRequest& request);

/// Connects, through the target's proxy and with TLS where it has them. On the connection's strand.
boost::asio::awaitable<Result<void>> reach(std::shared_ptr<Connection> connection, Target target);

/// Reads from `connection` into `inbox` and from there into `parser`, once. At the end of the
/// connection, the parser is told so.
boost::asio::awaitable<Result<void>> read_into(std::shared_ptr<Connection> connection,
                                               std::shared_ptr<HttpResponseParser> parser,
                                               std::shared_ptr<std::string> inbox);

struct Exchanged {
  Result<HttpResponse> response = fail(ErrorCode::unavailable, "not sent");
  bool reusable = false;  ///< the connection is fit for another request
  bool stale = false;     ///< it had ended before, and the request may be sent on another one
};

/// One request and its whole response, on the connection's strand and connecting it if it is
/// `fresh`.
boost::asio::awaitable<Exchanged> exchange(std::shared_ptr<Connection> connection, bool fresh,
                                           Target target,
                                           std::shared_ptr<const HttpRequest> request,
                                           HttpLimits limits,
                                           Connection::Clock::time_point deadline);

}  // namespace dray::net
