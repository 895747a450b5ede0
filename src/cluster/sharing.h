#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <utility>

namespace dray::cluster {

/// Makes equal values one: share(value) gives the object that an equal value gave before, as long
/// as somebody holds it. `Rules` has hash(const T&) and equal(const T&, const T&). One owner.
template <class T, class Rules>
class Sharing {
 public:
  [[nodiscard]] std::shared_ptr<const T> share(T value) {
    const auto hash = Rules::hash(value);
    const auto [first, last] = known_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (auto held = at->second.lock(); held && Rules::equal(*held, value)) return held;
    }
    if (known_.size() >= sweep_at_) sweep();
    auto made = std::make_shared<const T>(std::move(value));
    known_.emplace(hash, made);
    return made;
  }

 private:
  void sweep() {
    std::erase_if(known_, [](const auto& entry) { return entry.second.expired(); });
    sweep_at_ = 2 * known_.size() + 1024;
  }

  std::unordered_multimap<std::size_t, std::weak_ptr<const T>> known_;
  std::size_t sweep_at_ = 1024;
};

inline void mix(std::size_t& hash, std::size_t more) {
  hash ^= more + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
}

}  // namespace dray::cluster
