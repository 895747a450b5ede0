#pragma once

#include <cstddef>
#include <vector>

#include "net/http_server.h"

namespace dray::app {

/// Raises the process's limit of open files to what it may be; gives the limit in force then.
[[nodiscard]] std::size_t raise_descriptor_limit();

/// What is kept from the ports: connections to the API server (`api_connections` for writes, as
/// many for lists and watches, those of the Lease and of reviews), files, timers, and connections
/// that are being closed.
[[nodiscard]] std::size_t descriptors_kept(std::size_t api_connections);

/// Lowers the bounds of these ports, all by the same factor, so that what they may have open fits
/// into `descriptors`, of which `kept` are for others. Each bound stays at 8 or more: whether all
/// fit then.
[[nodiscard]] bool fit_to_descriptors(std::size_t descriptors, std::size_t kept,
                                      const std::vector<net::HttpServerOptions*>& ports);

}  // namespace dray::app
