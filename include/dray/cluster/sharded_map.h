#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace dray::cluster {

/// A map in 1024 shards of sorted entries, 32 of them a group, of which a copy made by freeze()
/// shares all groups; writing to a shared group clones it, as writing to a shared shard clones
/// that: neither a copy nor a write touches more than a few dozen pointers and one shard's entries.
/// One owner writes; frozen copies may be read by any thread. No write moves more than one shard,
/// where a hash table that grows moves all that it holds. `Hash` must be the same on all machines
/// if the order of for_each matters.
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
    std::vector<bool> changed(shard_count);
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g] == before.groups_[g]) continue;
      for (std::size_t i = 0; i < group_size; ++i) {
        changed[g * group_size + i] = at(groups_[g], i) != at(before.groups_[g], i);
      }
    }
    return changed;
  }

  /// Entries in all.
  [[nodiscard]] std::size_t size() const { return size_; }

  /// The value of the key, or null. Good until the next write.
  [[nodiscard]] const V* find(const K& key) const {
    const auto i = index(key);
    const auto* shard = at(groups_[i / group_size], i % group_size);
    if (shard == nullptr) return nullptr;
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
  void for_each(F&& visit) const {  ///< visit(key, value); the same order everywhere
    for (const auto& group : groups_) {
      if (!group) continue;
      for (const auto& shard : *group) {
        if (!shard) continue;
        for (const auto& [key, value] : *shard) visit(key, value);
      }
    }
  }

  [[nodiscard]] ShardedMap freeze() {  ///< as it is now; costs no element
    ShardedMap copy;
    copy.groups_ = groups_;
    copy.size_ = size_;
    group_shared_.fill(true);
    return copy;
  }

 private:
  static constexpr std::size_t group_size = 32;
  static constexpr std::size_t group_count = shard_count / group_size;
  using Group = std::array<std::shared_ptr<Shard>, group_size>;

  [[nodiscard]] static const Shard* at(const std::shared_ptr<Group>& group, std::size_t i) {
    return group ? (*group)[i].get() : nullptr;
  }
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
    const auto i = index(key);
    auto& shard = own_group(i / group_size)[i % group_size];
    if (!shard) {
      shard = std::make_shared<Shard>();
    } else if (shard_shared_[i]) {
      shard = std::make_shared<Shard>(*shard);
    }
    shard_shared_[i] = false;
    return *shard;
  }
  /// Shards of a group that was shared are so from now on.
  [[nodiscard]] Group& own_group(std::size_t g) {
    auto& group = groups_[g];
    if (!group) {
      group = std::make_shared<Group>();
    } else if (group_shared_[g]) {
      group = std::make_shared<Group>(*group);
      for (std::size_t i = 0; i < group_size; ++i) shard_shared_[g * group_size + i] = true;
    }
    group_shared_[g] = false;
    return *group;
  }

  std::array<std::shared_ptr<Group>, group_count> groups_;
  std::array<bool, group_count> group_shared_{};  ///< with a frozen copy
  std::bitset<shard_count> shard_shared_;         ///< where the group is not shared
  std::size_t size_ = 0;
};

}  // namespace dray::cluster
