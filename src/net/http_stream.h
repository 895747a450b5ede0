#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/http_client.h"
#include "net/http_exchange.h"

namespace dray::net {

struct StreamOptions {
  Target target;
  std::uint32_t header_bytes = 0;
  std::size_t line_bytes = 0;
  Connection::Clock::time_point head_until;
};

/// Connects, sends the request and reads the response's head. On the connection's strand.
boost::asio::awaitable<Result<std::shared_ptr<HttpStream>>> open_stream(
    std::shared_ptr<Connection> connection, std::shared_ptr<const HttpRequest> request,
    StreamOptions options);

}  // namespace dray::net
