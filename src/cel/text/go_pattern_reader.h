#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cel/text/go_pattern.h"

namespace dray::cel {

/// What the reader has on its stack: an expression, or where a group or an alternative began.
struct PatternPiece {
  enum class Kind : std::uint8_t { expression, open, bar };
  Kind kind = Kind::expression;
  std::int64_t repeats = 0;  ///< the product of nested counts
  std::int64_t size = 1;     ///< Go's estimate of the program
  int height = 1;
  bool captures = false;  ///< open
};

/// Go's regexp/syntax parser as far as it decides what is an error, and which.
class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : whole_(pattern), rest_(pattern) {}
  GoPattern run();

 private:
  using Piece = PatternPiece;

  static bool is_alphanumeric(char32_t c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  }

  void fail(std::string_view code, std::string_view expression);
  [[nodiscard]] static std::string_view taken(std::string_view before, std::string_view after);
  void push(Piece piece = {});
  char32_t next(std::string_view& text);
  void step();

  // --- groups ---
  void open();
  void perl_group();
  void named_group(std::size_t name_at);
  /// Joins what stands behind the last bar or parenthesis.
  void concatenate();
  /// Joins the alternatives since the last open parenthesis.
  void close_group();
  void close();

  // --- repetition ---
  void repeated(std::string_view before, std::string_view after, std::int64_t least,
                std::int64_t most);
  void repeat_once() { repeated(rest_, rest_.substr(1), 0, rest_[0] == '?' ? 1 : -1); }
  /// A count without leading zeros; -1 where it is beyond 1e8.
  static bool read_count(std::string_view& text, std::int64_t& count);
  void repeat_counted();

  // --- escapes (go_pattern_escapes.cpp) ---
  void escape();
  void quoted();
  /// `\pL`, `\p{Greek}`; what names there are is RE2's to say.
  bool unicode_class(std::string_view& text);
  char32_t escaped_rune(std::string_view& text);
  std::int32_t hex_escape(std::string_view& t);

  // --- [classes] ---
  void char_class();
  void named_class(std::string_view name);
  char32_t class_rune(std::string_view& t, std::string_view whole);
  void class_range(std::string_view& t, std::string_view whole);

  std::string_view whole_;
  std::string_view rest_;
  std::string_view repeat_;
  std::string_view last_repeat_;
  std::size_t skipped_ = 0;
  std::string out_;
  std::string error_;
  std::vector<std::string_view> classes_;
  std::vector<Piece> stack_;
};

}  // namespace dray::cel
