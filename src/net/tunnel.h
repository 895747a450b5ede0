#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>

#include "dray/base/error.h"
#include "net/connection.h"
#include "net/proxy.h"
#include "net/url.h"

namespace dray::net {

/// On a connection to the proxy: makes it one to the server, by CONNECT (RFC 9110, 9.3.6). On the
/// connection's strand.
boost::asio::awaitable<Result<void>> tunnel(std::shared_ptr<Connection> connection, Proxy proxy,
                                            Url server);

}  // namespace dray::net
