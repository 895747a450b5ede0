#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "kube/throttle_state.h"

namespace dray::kube {

/// Holds requests back as a ThrottleState says. Any thread.
class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  Throttle(boost::asio::io_context& io, double qps, std::size_t burst);
  ~Throttle();
  Throttle(const Throttle&) = delete;
  Throttle& operator=(const Throttle&) = delete;

  /// False if its turn did not come by then.
  boost::asio::awaitable<bool> enter(Urgency urgency, Clock::time_point deadline);

  struct State;

 private:
  std::shared_ptr<State> state_;
};

}  // namespace dray::kube
