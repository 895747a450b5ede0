#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace dray::cel {

/// Memory that goes all at once. What lives in it is trivially destructible. reset() keeps the
/// blocks, so that a warm arena allocates nothing.
class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  [[nodiscard]] void* allocate(std::size_t size, std::size_t alignment) {
    const std::size_t at = (used_ + alignment - 1) & ~(alignment - 1);
    if (block_ < blocks_.size() && at + size <= blocks_[block_].size) {
      used_ = at + size;
      return blocks_[block_].bytes.get() + at;
    }
    return allocate_in_next_block(size);
  }

  template <class T, class... Args>
  [[nodiscard]] T* make(Args&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return ::new (allocate(sizeof(T), alignof(T))) T{std::forward<Args>(args)...};
  }

  template <class T>
  [[nodiscard]] std::span<T> array(std::size_t count) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count == 0) return {};
    // NOLINTNEXTLINE(bugprone-sizeof-expression): T may well be a pointer
    T* first = static_cast<T*>(allocate(sizeof(T) * count, alignof(T)));
    std::uninitialized_value_construct_n(first, count);
    return {first, count};
  }

  template <class T>
  [[nodiscard]] std::span<T> copy(std::span<const T> values) {
    const std::span<T> made = array<T>(values.size());
    std::copy(values.begin(), values.end(), made.begin());
    return made;
  }

  [[nodiscard]] std::string_view copy(std::string_view text) {
    if (text.empty()) return {};
    char* first = static_cast<char*>(allocate(text.size(), 1));
    std::memcpy(first, text.data(), text.size());
    return {first, text.size()};
  }

  void reset() {
    block_ = 0;
    used_ = 0;
    earlier_ = 0;
    // One large evaluation does not keep its memory for ever.
    while (blocks_.size() > kept_blocks) blocks_.pop_back();
  }

  /// Bytes handed out since the last reset, about.
  [[nodiscard]] std::size_t used() const { return earlier_ + used_; }

 private:
  static constexpr std::size_t first_block = 4096;
  static constexpr std::size_t largest_block = std::size_t{1024} * 1024;
  static constexpr std::size_t kept_blocks = 8;

  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t size = 0;
  };

  void* allocate_in_next_block(std::size_t size) {
    if (block_ < blocks_.size()) {
      earlier_ += used_;
      ++block_;
    }
    if (block_ == blocks_.size() || blocks_[block_].size < size) {
      std::size_t want = first_block << (block_ < 8 ? block_ : 8);
      want = std::max(std::min(want, largest_block), size);
      blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block_),
                     Block{std::make_unique_for_overwrite<std::byte[]>(want), want});
    }
    used_ = size;
    return blocks_[block_].bytes.get();
  }

  std::vector<Block> blocks_;
  std::size_t block_ = 0;
  std::size_t used_ = 0;
  std::size_t earlier_ = 0;
};

}  // namespace dray::cel
