#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <source_location>
#include <string_view>
#include <utility>

namespace dray::service {

/// How many lines of a kind may be written: what others write into objects and requests must not
/// fill a disk. Lines are of one kind where the same statement writes them. Any thread.
class LogRate {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limit {
    double burst = 0;     ///< at once
    double a_second = 0;  ///< after that
  };

  /// Nothing: not this line. Else how many lines of the kind were not written since the last one
  /// that was.
  [[nodiscard]] std::optional<std::uint64_t> take(const std::source_location& kind,
                                                  const Limit& limit, Clock::time_point now);

 private:
  struct Bucket {
    double left = 0;
    Clock::time_point filled_at;
    std::uint64_t suppressed = 0;
  };

  std::mutex mutex_;
  std::map<std::pair<std::string_view, std::uint_least32_t>, Bucket> buckets_;
};

}  // namespace dray::service
