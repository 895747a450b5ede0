#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::fuzz {

/// An input of a target, read from its front: first what the target chooses by, then what the
/// parser gets. Beyond its end every byte is 0.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  [[nodiscard]] std::uint8_t byte() {
    if (rest_.empty()) return 0;
    const auto value = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return value;
  }
  /// From 0 to `count` - 1. Written as digits and letters ('0' is 0, 'a' is 10), so that seeds can
  /// be read.
  [[nodiscard]] std::size_t pick(std::size_t count) {
    const auto value = byte();
    const bool letter = value >= 'a';
    return static_cast<std::size_t>(letter ? value - 'a' + 10 : (value + 256 - '0') % 256) % count;
  }
  /// All that is left.
  [[nodiscard]] std::string_view rest() const { return rest_; }
  /// What is left up to the next zero byte, which is dropped.
  [[nodiscard]] std::string_view part() {
    const auto end = rest_.find('\0');
    const auto found = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return found;
  }

 private:
  std::string_view rest_;
};

/// Where a text is cut: the first line of an input has a letter a piece ('a' is one byte, 'b' two,
/// 'z' 26, any other byte 1,000), which repeat. An empty line: the text stays whole.
class Cuts {
 public:
  explicit Cuts(Input& input) {
    while (!input.rest().empty()) {
      const auto each = input.byte();
      if (each == '\n') break;
      lengths_.push_back(each >= 'a' && each <= 'z' ? each - std::size_t{'a'} + 1 : 1000);
    }
  }
  /// Other cuts, from the same letters read backwards.
  [[nodiscard]] Cuts reversed() const {
    auto other = *this;
    std::ranges::reverse(other.lengths_);
    return other;
  }
  /// The text's pieces, in their order; none is empty.
  [[nodiscard]] std::vector<std::string_view> of(std::string_view text) const {
    std::vector<std::string_view> pieces;
    for (std::size_t i = 0; !text.empty(); ++i) {
      const auto length = lengths_.empty() ? text.size() : lengths_[i % lengths_.size()];
      pieces.push_back(text.substr(0, length));
      text.remove_prefix(std::min(length, text.size()));
    }
    return pieces;
  }

 private:
  std::vector<std::size_t> lengths_;
};

}  // namespace dray::fuzz
