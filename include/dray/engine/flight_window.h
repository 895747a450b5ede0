#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "dray/base/time.h"

namespace dray::engine {

/// What an answer of the API server says about its load.
enum class Load : std::uint8_t {
  fine,         ///< it was answered, whatever the answer
  other_epoch,  ///< it is not taken for the leader's, or not yet: nothing was done
  overloaded,   ///< 429 that is not a disruption budget's: nothing was done
  lost,         ///< 503, 504, no answer in time or a cut connection: it may have been done
};

/// How many writes may be under way: as many as the API server can bear, which it does not tell.
/// After TCP: one more for each answer until the first sign of overload (slow start), then one more
/// a round trip, and at most one cut a round trip. Latency is a sign too, judged against the least
/// that the same verb took lately. Pure; `now` never goes back.
class FlightWindow {
 public:
  /// Limits and paces; the defaults suit an API server a few milliseconds away.
  struct Options {
    double start = 8;   ///< under way at first
    double least = 1;   ///< however bad it is
    double most = 128;  ///< a safety net only
    double slow_start_until = 32;
    double gentle = 8;    ///< latency alone cuts no deeper: others' load must not starve us
    double patience = 3;  ///< times a verb's least latency, and `slack`, are high latency
    Duration slack = std::chrono::milliseconds(30);
    Duration baseline_life = std::chrono::seconds(30);  ///< that long the least is remembered
    Duration first_pause = std::chrono::milliseconds(100);
    Duration longest_pause = std::chrono::seconds(5);
  };

  /// Nothing is under way.
  explicit FlightWindow(Options options);

  /// Whether one more may go now.
  [[nodiscard]] bool may_send(Time now) const {
    return now >= paused_until_ && in_flight_ < limit();
  }
  /// One more is under way.
  void sent();
  /// One that was sent `took` ago is answered. `verb` groups what should take alike; without one
  /// its latency says nothing (an eviction waits at the API server). `retry_after`: as it asked.
  void answered(Load load, std::optional<std::size_t> verb, Duration took,
                std::optional<Duration> retry_after, Time now);

  /// How many may be under way.
  [[nodiscard]] std::size_t limit() const { return static_cast<std::size_t>(limit_); }
  [[nodiscard]] std::size_t in_flight() const { return in_flight_; }
  /// Nothing goes before.
  [[nodiscard]] Time paused_until() const { return paused_until_; }
  /// Times that the number was cut.
  [[nodiscard]] std::uint64_t cuts() const { return cuts_; }

 private:
  /// The least latency of two spans of time, and how it is now.
  struct Latency {
    Duration least = Duration::max();
    Duration least_before = Duration::max();
    Time since{};
    double smoothed = 0;  ///< microseconds; 0: nothing seen since the last cut
  };

  [[nodiscard]] bool is_high(std::size_t verb, Duration took, Time now);
  void grow();
  void cut(double factor, double least, Time now);
  void overloaded(std::optional<Duration> retry_after, Time now);

  Options options_;
  double limit_;
  double slow_start_until_;
  std::size_t in_flight_ = 0;
  bool was_full_ = false;      ///< when the last one was sent
  Time cut_at_ = Time::min();  ///< answers to what was sent before say nothing new
  Time paused_until_ = Time::min();
  int cuts_in_a_row_ = 0;  ///< without a good answer to what was sent after the cut
  std::uint64_t cuts_ = 0;
  std::map<std::size_t, Latency> latencies_;
};

}  // namespace dray::engine
