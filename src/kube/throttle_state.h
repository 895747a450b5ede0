#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "dray/base/time.h"

namespace dray::kube {

/// What goes first when requests have to wait.
enum class Urgency : std::uint8_t { bind, plan, notice };

/// Which of many waiting requests may go, and when: `qps` a second on average, `burst` at once,
/// the more urgent first and each kind in order, so that nothing starves a bind. Pure; `now` is
/// any monotonic time.
class ThrottleState {
 public:
  using Ticket = std::uint64_t;

  ThrottleState(double qps, std::size_t burst);

  void wait(Ticket ticket, Urgency urgency);
  /// It does not wait any more.
  void cancel(Ticket ticket);
  /// The next one that may go now.
  [[nodiscard]] std::optional<Ticket> admit(Duration now);
  /// When admit() has something again; nothing while nobody waits.
  [[nodiscard]] std::optional<Duration> next() const;

 private:
  Duration interval_;
  Duration tolerance_;
  Duration free_at_ = Duration::min() / 2;  ///< theoretical arrival time of the next request
  std::array<std::deque<Ticket>, 3> waiting_;
};

}  // namespace dray::kube
