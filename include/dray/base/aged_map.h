#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <utility>

namespace dray {

/// A map that knows which of its entries came first, so that who has too many lets these go one by
/// one. Ordered: a hash table moves all that it has when it grows, which is a long step. References
/// hold until their entry goes.
template <class Key, class Value>
class AgedMap {
 public:
  using Entry = typename std::map<Key, Value>::value_type;

  AgedMap() = default;
  AgedMap(AgedMap&&) noexcept = default;
  AgedMap& operator=(AgedMap&&) noexcept = default;

  /// Null: there is none.
  [[nodiscard]] Value* find(const Key& key) {
    const auto at = entries_.find(key);
    return at == entries_.end() ? nullptr : &at->second;
  }
  /// The value of the key, made if it is missing, and whether it was.
  std::pair<Value&, bool> obtain(const Key& key) {
    const auto [at, made] = entries_.try_emplace(key);
    if (made) by_age_.push_back(at);
    return {at->second, made};
  }
  [[nodiscard]] Entry& oldest() { return *by_age_.front(); }
  void erase_oldest() {
    entries_.erase(by_age_.front());
    by_age_.pop_front();
  }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  void clear() {
    by_age_.clear();
    entries_.clear();
  }

 private:
  std::map<Key, Value> entries_;
  std::deque<typename std::map<Key, Value>::iterator> by_age_;
};

}  // namespace dray
