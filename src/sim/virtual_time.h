#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "dray/base/time.h"

namespace dray::sim {

/// A clock that only moves from one planned action to the next: by time, and in the order of
/// asking where times are equal.
class VirtualTime {
 public:
  explicit VirtualTime(Time start) : now_(start) {}

  [[nodiscard]] Time now() const { return now_; }
  /// How many actions were done.
  [[nodiscard]] std::uint64_t events() const { return events_; }

  /// Plans an action; what lies in the past is done next.
  void at(Time time, std::function<void()> action);
  /// Does what is planned until `end`, and then stands there; false if there is more to do than
  /// `max_events` actions, of which none is left out or done twice.
  bool run_until(Time end, std::uint64_t max_events);

 private:
  Time now_;
  std::map<std::pair<Time, std::uint64_t>, std::function<void()>> planned_;
  std::uint64_t sequence_ = 0;
  std::uint64_t events_ = 0;
};

/// Wakes somebody once for all that is due at a time, however often it is asked for.
class Alarm {
 public:
  /// Has `action` done at `due`, unless it is going to be done earlier anyway; then it is asked
  /// again. Nothing due: nothing.
  void set(VirtualTime& time, std::optional<Time> due, std::function<void()> action);
  /// What was asked for is not wanted any more.
  void cancel() { armed_.reset(); }

 private:
  std::optional<Time> armed_;
};

}  // namespace dray::sim
