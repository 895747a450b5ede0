#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "dray/planner/job.h"

namespace dray::planner {

/// Jobs sorted by uid, in chunks. Copies share the chunks that did not change: where 20,000 wait,
/// copying pointers that many others count takes a millisecond. A change of one copy is not seen by
/// the others.
class JobList {
 public:
  using Item = std::shared_ptr<const Job>;
  using Items = std::vector<Item>;
  using Chunk = std::shared_ptr<const Items>;
  /// A chunk that a change makes longer than twice this is cut in two.
  static constexpr std::size_t chunk_size = 32;

  /// Walks over the jobs of all chunks; good until the list changes.
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using pointer = const Item*;
    using reference = const Item&;

    Iterator() = default;
    explicit Iterator(const Chunk* chunk, std::size_t at = 0) : chunk_(chunk), at_(at) {}

    reference operator*() const { return (**chunk_)[at_]; }
    pointer operator->() const { return &**this; }
    Iterator& operator++() {
      if (++at_ == (*chunk_)->size()) {
        ++chunk_;
        at_ = 0;
      }
      return *this;
    }
    Iterator operator++(int) {
      auto before = *this;
      ++*this;
      return before;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const Chunk* chunk_ = nullptr;
    std::size_t at_ = 0;
  };

  JobList() = default;
  JobList(std::initializer_list<Item> jobs) : JobList(Items(jobs)) {}
  /// In any order; no two of one uid.
  explicit JobList(Items jobs);

  [[nodiscard]] Iterator begin() const { return Iterator(chunks_.data()); }
  [[nodiscard]] Iterator end() const { return Iterator(chunks_.data() + chunks_.size()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  /// `at` is under size(). Counts chunks.
  [[nodiscard]] const Item& operator[](std::size_t at) const;
  /// Null: there is none.
  [[nodiscard]] Item find(const Uid& job) const;
  /// The first job of a greater uid, or end(). Costs a search among chunks, and in one.
  [[nodiscard]] Iterator after(const Uid& job) const;
  /// A list of the first `count` jobs, or of all.
  [[nodiscard]] JobList first(std::size_t count) const;
  /// The jobs as they are kept, each chunk with one at least. While somebody has the pointer of a
  /// chunk, it stands for these jobs and no others.
  [[nodiscard]] std::span<const Chunk> chunks() const { return chunks_; }

  /// Puts the job in place of the one of its uid, or between its neighbours.
  void put(Item job);
  /// Of each of these uids the list then holds what `now` gives: a job, or with null none.
  template <class Now>
  void update(const std::set<Uid>& jobs, const Now& now);

 private:
  [[nodiscard]] std::size_t chunk_of(const Uid& job) const;
  /// Puts what the chunk is to hold in its place: nothing, or one chunk or two.
  void replace(std::size_t chunk, Items items);

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
};

template <class Now>
void JobList::update(const std::set<Uid>& jobs, const Now& now) {
  // Neighbours come one after another, and a chunk is copied for all of its changes at once.
  for (auto at = jobs.begin(); at != jobs.end();) {
    if (chunks_.empty()) {
      if (auto job = now(*at)) put(std::move(job));
      ++at;
      continue;
    }
    const auto chunk = chunk_of(*at);
    const auto* const next =
        chunk + 1 < chunks_.size() ? &chunks_[chunk + 1]->front()->uid : nullptr;
    const auto& old = *chunks_[chunk];
    Items made;
    made.reserve(old.size() + 1);
    auto kept = old.begin();
    for (; at != jobs.end() && (next == nullptr || *at < *next); ++at) {
      for (; kept != old.end() && (*kept)->uid < *at; ++kept) made.push_back(*kept);
      if (kept != old.end() && (*kept)->uid == *at) ++kept;
      if (auto job = now(*at)) made.push_back(std::move(job));
    }
    made.insert(made.end(), kept, old.end());
    replace(chunk, std::move(made));
  }
}

}  // namespace dray::planner
