#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dray/model/device.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"
#include "dray/planner/pod_claims.h"

namespace dray::planner {

/// Lists that many have alike, each kept once and counted. `List` is compared with ==.
template <class List>
class CountedLists {
 public:
  /// Counts one that has the list, whose hash this is; its place.
  std::uint32_t add(const List& list, std::size_t hash) {
    const auto [first, last] = by_hash_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      auto& entry = entries_[at->second];
      if (entry.list != list) continue;
      ++entry.count;
      return at->second;
    }
    auto place = static_cast<std::uint32_t>(entries_.size());
    if (free_.empty()) {
      entries_.emplace_back();
    } else {
      place = free_.back();
      free_.pop_back();
    }
    entries_[place] = {list, hash, 1};
    by_hash_.emplace(hash, place);
    return place;
  }
  /// One that has the list at that place goes.
  void remove(std::uint32_t place) {
    auto& entry = entries_[place];
    if (--entry.count > 0) return;
    const auto [first, last] = by_hash_.equal_range(entry.hash);
    for (auto at = first; at != last; ++at) {
      if (at->second != place) continue;
      by_hash_.erase(at);
      break;
    }
    entry.list = {};
    free_.push_back(place);
  }
  [[nodiscard]] bool empty() const { return free_.size() == entries_.size(); }
  /// Whether one of the lists is so; the one at `witness` is asked first, and becomes the one that
  /// is.
  template <class Holds>
  [[nodiscard]] bool any(std::uint32_t& witness, const Holds& holds) const {
    if (is_at(witness) && holds(entries_[witness].list)) return true;
    for (std::uint32_t place = 0; place < entries_.size(); ++place) {
      if (!is_at(place) || !holds(entries_[place].list)) continue;
      witness = place;
      return true;
    }
    return false;
  }

 private:
  struct Entry {
    List list;
    std::size_t hash = 0;
    std::size_t count = 0;
  };
  [[nodiscard]] bool is_at(std::uint32_t place) const {
    return place < entries_.size() && entries_[place].count > 0;
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::unordered_multimap<std::size_t, std::uint32_t> by_hash_;
};

/// The taints that keep pods off a node, and those that keep requests off a device.
struct Taints {
  std::vector<NodeTaint> node;
  std::vector<DeviceTaint> device;

  bool operator==(const Taints&) const = default;
};

/// What the pods of a plan's jobs tolerate, and the requests of their claims.
class Tolerations {
 public:
  /// What one job counted: give it back when the job goes.
  struct OfJob {
    std::vector<std::uint32_t> pods, requests;

    bool operator==(const OfJob&) const = default;
  };
  void add_pod(const Pod& pod, OfJob& job);
  void add_requests(const PodClaims& claims, OfJob& job);
  void remove(const OfJob& job);
  void remove_requests(OfJob& job);
  void clear() { *this = {}; }

  /// Where taints were tolerated the last time.
  struct Witness {
    std::uint32_t pod = 0, request = 0;
  };
  /// Whether some pod may go to such a node, and some request to such a device. Without any job it
  /// is not known who would: then all may.
  [[nodiscard]] bool tolerate(const Taints& taints, Witness& witness) const;

 private:
  CountedLists<std::vector<NodeToleration>> pods_;
  CountedLists<std::vector<DeviceToleration>> requests_;
};

}  // namespace dray::planner
