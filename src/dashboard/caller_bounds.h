#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace dray::dashboard {

/// How much may come, at once and after that.
struct Rate {
  std::size_t at_once = 0;
  std::chrono::milliseconds every = {};
};

/// Bounds what each caller may ask for, and what all of them may: one who asks for too much uses up
/// his own part. One thread.
class CallerBounds {
 public:
  using Clock = std::chrono::steady_clock;

  CallerBounds(Rate of_one, Rate of_all) : of_one_(of_one), of_all_(of_all) {}

  /// Whether the caller may ask once more; counted if so.
  [[nodiscard]] bool may_ask(const std::string& caller, Clock::time_point now);
  /// Callers that are remembered: those that have asked lately.
  [[nodiscard]] std::size_t callers() const { return next_.size(); }

 private:
  Rate of_one_;
  Rate of_all_;
  std::map<std::string, Clock::time_point> next_;  ///< when all that came is free again, by caller
  Clock::time_point next_of_all_{};
};

/// `10.0.0.7` of `10.0.0.7:4711`, `[::1]` of `[::1]:4711`.
[[nodiscard]] std::string host_of(const std::string& peer);

}  // namespace dray::dashboard
