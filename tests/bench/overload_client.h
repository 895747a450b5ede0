#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// A load generator on one thread (epoll): plain HTTP/1.1 on loopback, keep-alive.

namespace dray::bench {

using Clock = std::chrono::steady_clock;

/// A connected TCP socket that does not block, or -1.
[[nodiscard]] int connect_to(std::uint16_t port);

struct Load {
  std::uint16_t port = 0;
  std::string request;  ///< head and body
  /// Requests a second, whatever is answered; 0: each connection sends the next request when it has
  /// its answer.
  double rate = 0;
  std::size_t connections = 1;  ///< at most
  /// Between an answer and the next request of a connection, where there is no rate.
  std::chrono::microseconds pause{0};
  std::chrono::milliseconds give_up = std::chrono::milliseconds(300);  ///< then the caller closes
  std::chrono::milliseconds lasting = std::chrono::seconds(4);
};

struct Outcome {
  std::size_t sent = 0;
  std::size_t answered = 0;  ///< with 200, in time
  std::size_t refused = 0;   ///< with 503
  std::size_t given_up = 0;
  std::size_t failed = 0;    ///< cut off, or another status
  std::size_t not_sent = 0;  ///< no connection was free
  double seconds = 0;
  std::vector<double> milliseconds;  ///< of those answered, sorted

  [[nodiscard]] double goodput() const { return static_cast<double>(answered) / seconds; }
  [[nodiscard]] double quantile(double part) const;
};

[[nodiscard]] Outcome run_load(const Load& load);

}  // namespace dray::bench
