#include "app/serve/descriptors.h"

#include <sys/resource.h>

#include <algorithm>
#include <numeric>

namespace dray::app {
namespace {

/// The Lease's connections, those of reviews, and the collector's.
constexpr std::size_t other_clients = 16;
/// Record, history, files that are read again, pipes of a plugin, standard streams, epoll, timers.
constexpr std::size_t files = 64;
/// Connections that have given way, and are open until their strand closes them; and listeners.
constexpr std::size_t closing = 96;
constexpr std::size_t least = 8;

/// Every bound of a port on what it has open.
std::vector<std::size_t*> bounds_of(const std::vector<net::HttpServerOptions*>& ports) {
  std::vector<std::size_t*> all;
  for (auto* port : ports) {
    all.push_back(&port->max_connections);
    if (port->tls) all.push_back(&port->max_handshakes);
  }
  return all;
}

std::size_t sum(const std::vector<std::size_t*>& bounds) {
  return std::accumulate(
      bounds.begin(), bounds.end(), std::size_t{0},
      [](std::size_t so_far, const std::size_t* bound) { return so_far + *bound; });
}

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

std::size_t descriptors_kept(std::size_t api_connections) {
  return 2 * api_connections + other_clients + files + closing;
}

bool fit_to_descriptors(std::size_t descriptors, std::size_t kept,
                        const std::vector<net::HttpServerOptions*>& ports) {
  const auto bounds = bounds_of(ports);
  const auto wanted = sum(bounds);
  const auto left = descriptors > kept ? descriptors - kept : 0;
  if (wanted <= left) return true;
  // Each has the least in any case; what is left beyond is shared by what is wanted beyond.
  const auto floor_of = [](std::size_t bound) { return std::min(bound, least); };
  std::size_t floors = 0;
  for (const auto* bound : bounds) floors += floor_of(*bound);
  const auto beyond = left > floors ? left - floors : 0;
  for (auto* bound : bounds) {
    const auto floor = floor_of(*bound);
    *bound = floor + (*bound - floor) * beyond / (wanted - floors);
  }
  return sum(bounds) <= left;
}

}  // namespace dray::app
