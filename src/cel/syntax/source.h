#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

/// A place in an expression: line from 1, column from 0 in code points. Line -1 is no place.
struct Location {
  int line = -1;
  int column = -1;
};

/// An expression's text by code points: offsets, lines and the snippets under error messages.
class Source {
 public:
  explicit Source(std::string_view text);

  [[nodiscard]] std::string_view text() const { return text_; }
  /// In code points.
  [[nodiscard]] std::size_t size() const { return ascii_ ? text_.size() : starts_.size() - 1; }
  /// The code point at an offset; 0xFFFD where the text is not UTF-8.
  [[nodiscard]] char32_t at(std::size_t offset) const;
  /// The bytes of [first, last).
  [[nodiscard]] std::string_view slice(std::size_t first, std::size_t last) const;
  [[nodiscard]] Location location(std::int32_t offset) const;
  /// One line without its newline.
  [[nodiscard]] std::string_view line(int number) const;

 private:
  [[nodiscard]] std::size_t byte_at(std::size_t offset) const {
    return ascii_ ? offset : starts_[offset];
  }

  std::string_view text_;
  bool ascii_ = true;
  std::vector<std::uint32_t> starts_;  // byte of each code point and of the end; empty if ASCII
  std::vector<std::int32_t> line_offsets_;  // first code point of lines 2, 3, ...
};

/// Collects at most 100 errors and prints them as cel-go does.
class SourceErrors {
 public:
  explicit SourceErrors(const Source& source) : source_(&source) {}

  void report(Location where, std::string message);
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// `ERROR: <input>:1:2: message`, the source line and a caret line; by place, one after another.
  [[nodiscard]] std::string text() const;

 private:
  struct Entry {
    Location where;
    std::string message;
  };
  const Source* source_;
  std::vector<Entry> entries_;
  std::size_t count_ = 0;
};

}  // namespace dray::cel
