#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dray::cluster {

/// A map in 1024 shards of sorted entries, of which a copy made by freeze() shares all shards;
/// writing to a shared shard clones it. One owner writes; frozen copies may be read by any thread.
/// No write moves more than one shard, where a hash table that grows moves all that it holds.
/// `Hash` must be the same on all machines if the order of for_each matters.
template <class K, class V, class Hash = std::hash<K>>
class ShardedMap {
 public:
  using Entry = std::pair<K, V>;
  using Shard = std::vector<Entry>;
  static constexpr std::size_t shard_count = 1024;

  /// The shard of a key, whether that is there or not.
  [[nodiscard]] static std::size_t shard_of(const K& key) { return index(key); }
  /// By shard: whether it may hold something else than in `before`, an earlier copy of this map.
  [[nodiscard]] std::vector<bool> shards_changed_since(const ShardedMap& before) const {
    const bool begun = shards_.size() != before.shards_.size();
    std::vector<bool> changed(shard_count, begun);
    for (std::size_t i = 0; !begun && i < shards_.size(); ++i) {
      changed[i] = shards_[i] != before.shards_[i];
    }
    return changed;
  }

  /// Entries in all.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The value of the key, or null. Good until the next write.
  [[nodiscard]] const V* find(const K& key) const {
    if (shards_.empty()) return nullptr;
    const auto& shard = shards_[index(key)];
    if (!shard) return nullptr;
    const auto at = place(*shard, key);
    return at != shard->end() && at->first == key ? &at->second : nullptr;
  }

  /// The entry's value, default-made where there is none.
  [[nodiscard]] V& for_write(const K& key) {
    auto& shard = own_shard(key);
    auto at = place(shard, key);
    if (at == shard.end() || at->first != key) {
      at = shard.emplace(at, key, V{});
      ++size_;
    }
    return at->second;
  }
  /// Sets the value of the key, which may be new.
  void set(const K& key, V value) { for_write(key) = std::move(value); }

  /// False: there is no such key.
  bool erase(const K& key) {
    if (find(key) == nullptr) return false;
    auto& shard = own_shard(key);
    shard.erase(place(shard, key));
    --size_;
    return true;
  }

  template <class F>
  void for_each(F&& visit) const {
    for (const auto& shard : shards_) {
      if (!shard) continue;
      for (const auto& [key, value] : *shard) visit(key, value);
    }
  }

  [[nodiscard]] ShardedMap freeze() {
    ShardedMap copy;
    copy.shards_ = shards_;
    copy.size_ = size_;
    shared_.assign(shards_.size(), true);
    return copy;
  }

 private:
  [[nodiscard]] static std::size_t index(const K& key) {
    const auto hash = Hash{}(key);
    return (hash ^ (hash >> 32U)) % shard_count;
  }
  template <class S>
  [[nodiscard]] static auto place(S& shard, const K& key) {
    return std::lower_bound(
        shard.begin(), shard.end(), key,
        [](const Entry& entry, const K& wanted) { return entry.first < wanted; });
  }
  [[nodiscard]] Shard& own_shard(const K& key) {
    if (shards_.empty()) {
      shards_.resize(shard_count);
      shared_.assign(shard_count, false);
    }
    const auto i = index(key);
    if (!shards_[i]) {
      shards_[i] = std::make_shared<Shard>();
      shared_[i] = false;
    } else if (shared_[i]) {
      shards_[i] = std::make_shared<Shard>(*shards_[i]);
      shared_[i] = false;
    }
    return *shards_[i];
  }

  std::vector<std::shared_ptr<Shard>> shards_;
  std::vector<bool> shared_;
  std::size_t size_ = 0;
};

}  // namespace dray::cluster
