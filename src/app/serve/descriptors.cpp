#include "app/serve/descriptors.h"

#include <sys/resource.h>

#include <algorithm>

namespace dray::app {
namespace {

/// Health port 256, dashboard 128, handshakes 256 and 32 more that are being closed, API server 66,
/// files and timers.
constexpr std::size_t reserve = 768;
constexpr std::size_t min_connections = 64;
constexpr std::size_t max_connections = 2048;

}  // namespace

std::size_t raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return reserve + min_connections;
  if (limit.rlim_cur < limit.rlim_max) {
    const rlimit raised{limit.rlim_max, limit.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur;
}

std::size_t extender_connections(std::size_t descriptors) {
  const auto left = descriptors > reserve ? descriptors - reserve : 0;
  return std::clamp(left, min_connections, max_connections);
}

}  // namespace dray::app
