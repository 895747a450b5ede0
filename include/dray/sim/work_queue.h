#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "dray/base/time.h"

namespace dray::sim {

/// client-go's rate limited work queue, single-threaded: a key waits once, however often it is
/// added; a failed one comes back after 5 ms, doubling up to 1000 s.
class WorkQueue {
 public:
  /// Adds a key, unless it waits already.
  void add(const std::string& key) {
    if (waiting_.insert(key).second) ready_.push_back(key);
  }

  /// Adds it after a back-off that doubles with each failure.
  void add_rate_limited(const std::string& key, Time now) {
    const auto failures = failures_[key]++;
    const auto delay =
        Duration(std::chrono::milliseconds(5)) * (std::int64_t{1} << std::min(failures, 18U));
    delayed_.emplace(now + std::min<Duration>(delay, std::chrono::seconds(1000)), key);
  }

  /// Its next failure is its first.
  void forget(const std::string& key) { failures_.erase(key); }

  /// The next key whose time has come.
  [[nodiscard]] std::optional<std::string> take(Time now) {
    while (!delayed_.empty() && delayed_.begin()->first <= now) {
      add(delayed_.begin()->second);
      delayed_.erase(delayed_.begin());
    }
    if (ready_.empty()) return std::nullopt;
    auto key = std::move(ready_.front());
    ready_.pop_front();
    waiting_.erase(key);
    return key;
  }

  /// When there will be work, if there is any.
  [[nodiscard]] std::optional<Time> due(Time now) const {
    if (!ready_.empty()) return now;
    if (delayed_.empty()) return std::nullopt;
    return std::max(now, delayed_.begin()->first);
  }

 private:
  std::deque<std::string> ready_;
  std::set<std::string> waiting_;
  std::multimap<Time, std::string> delayed_;
  std::map<std::string, std::uint32_t> failures_;
};

}  // namespace dray::sim
