#pragma once

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "dray/base/time.h"

namespace dray::engine {

/// At most one timer a key; those that are due come by time, then by key.
template <class Key>
class Timers {
 public:
  /// Replaces the key's timer; without a time, ends it.
  void arm(const Key& key, std::optional<Time> at) {
    if (const auto armed = at_.find(key); armed != at_.end()) {
      queue_.erase({armed->second, key});
      at_.erase(armed);
    }
    if (!at) return;
    at_.emplace(key, *at);
    queue_.emplace(*at, key);
  }

  /// The first key whose time has come; its timer is over.
  [[nodiscard]] std::optional<Key> take_due(Time now) {
    if (queue_.empty() || queue_.begin()->first > now) return std::nullopt;
    Key key = queue_.begin()->second;
    arm(key, std::nullopt);
    return key;
  }

  [[nodiscard]] bool armed(const Key& key) const { return at_.contains(key); }
  /// When the first is due.
  [[nodiscard]] std::optional<Time> next() const {
    if (queue_.empty()) return std::nullopt;
    return queue_.begin()->first;
  }

  void clear() {
    at_.clear();
    queue_.clear();
  }

 private:
  std::map<Key, Time> at_;
  std::set<std::pair<Time, Key>> queue_;
};

}  // namespace dray::engine
