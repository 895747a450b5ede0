#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <utility>

namespace dray::planner {

/// Values of which equal ones are one, shared by those that have it. What nobody has any more stays
/// for the next that asks for its like. With more than `most` bytes, each that comes has some of
/// the oldest looked at, and those of them that nobody has go, so that no step is long.
template <class T>
class Kept {
 public:
  using Value = std::shared_ptr<const T>;

  explicit Kept(std::size_t most) : most_(most) {}

  /// The value with that hash for which `same` holds; null: there is none.
  template <class Same>
  [[nodiscard]] Value find(std::size_t hash, const Same& same) const {
    const auto [first, last] = values_.equal_range(hash);
    for (auto at = first; at != last; ++at) {
      if (same(*at->second.value)) return at->second.value;
    }
    return nullptr;
  }
  /// Keeps one that is not there yet, and holds on to about so many bytes.
  void add(std::size_t hash, std::size_t bytes, Value value) {
    by_age_.push_back(values_.emplace(hash, Entry{std::move(value), bytes}));
    bytes_ += bytes;
    for (int looks = 0; looks < most_looks && bytes_ > most_; ++looks) look_at_oldest();
  }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  void clear() {
    by_age_.clear();
    values_.clear();
    bytes_ = 0;
  }

 private:
  struct Entry {
    Value value;
    std::size_t bytes;
  };
  /// Ordered: a hash table moves all that it has when it grows.
  using Values = std::multimap<std::size_t, Entry>;
  static constexpr int most_looks = 64;

  void look_at_oldest() {
    const auto oldest = by_age_.front();
    by_age_.pop_front();
    if (oldest->second.value.use_count() > 1) {
      by_age_.push_back(oldest);
      return;
    }
    bytes_ -= oldest->second.bytes;
    values_.erase(oldest);
  }

  Values values_;                                 ///< by their hashes
  std::deque<typename Values::iterator> by_age_;  ///< since they came, or were looked at
  std::size_t bytes_ = 0;
  std::size_t most_;
};

}  // namespace dray::planner
