#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace dray::cluster {

/// A vector in chunks of 64, of which a copy shares all chunks. Writing to a chunk that a copy may
/// see clones it first, so that freeze() and the writes after it cost what changed. One owner
/// writes; copies made by freeze() are immutable and may be read by any thread.
template <class T>
class Chunked {
 public:
  static constexpr std::size_t chunk_size = 64;

  /// Elements in all.
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  /// The element at `i` < size(). Good until the next write.
  [[nodiscard]] const T& operator[](std::size_t i) const {
    return (*chunks_[i / chunk_size])[i % chunk_size];
  }

  /// The same to be changed; clones its chunk if a copy may see it. Good until the next freeze().
  [[nodiscard]] T& at_for_write(std::size_t i) { return own_chunk(i / chunk_size)[i % chunk_size]; }

  /// Adds one at the end; its place.
  std::size_t push_back(T value) {
    if (size_ % chunk_size == 0) {
      chunks_.push_back(std::make_shared<Chunk>());
      shared_.push_back(false);
    }
    own_chunk(size_ / chunk_size)[size_ % chunk_size] = std::move(value);
    return size_++;
  }

  /// A copy that shares all chunks; from now on writes clone.
  [[nodiscard]] Chunked freeze() {
    Chunked copy;
    copy.chunks_ = chunks_;
    copy.size_ = size_;
    shared_.assign(chunks_.size(), true);
    return copy;
  }

 private:
  using Chunk = std::array<T, chunk_size>;

  [[nodiscard]] Chunk& own_chunk(std::size_t c) {
    if (shared_[c]) {
      chunks_[c] = std::make_shared<Chunk>(*chunks_[c]);
      shared_[c] = false;
    }
    return *chunks_[c];
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::vector<bool> shared_;  // by freeze(), since the chunk was last cloned
  std::size_t size_ = 0;
};

}  // namespace dray::cluster
