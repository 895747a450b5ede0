#include "wire/yaml/scalar_place.h"

#include <algorithm>

namespace dray::wire {
namespace {

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Walks a text and knows the place.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] TextPlace place() const { return place_; }

  /// Over one code point.
  void next() {
    if (at_end()) return;
    if (text_[at_] == '\n') {
      place_ = {place_.line + 1, 1};
    } else {
      ++place_.column;
    }
    do {
      ++at_;
    } while (!at_end() && continues_character(text_[at_]));
  }
  void next(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) next();
  }
  void go_to(TextPlace place) {
    while (!at_end() && place_ < place) next();
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') next();
  }
  /// Whether nothing but blanks follows on this line.
  [[nodiscard]] bool line_is_over() const {
    const auto rest = text_.substr(std::min(at_, text_.size()));
    const auto first = rest.find_first_not_of(" \t\r");
    return first == std::string_view::npos || rest[first] == '\n';
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  TextPlace place_;
};

/// How many characters a backslash and what follows it take.
std::size_t escape_length(char kind) {
  switch (kind) {
    case 'x':
      return 4;
    case 'u':
      return 6;
    case 'U':
      return 10;
    default:
      return 2;
  }
}

/// Over one character of the value. Line breaks of what is not a block stand for one space, with
/// the blanks around them.
void step_inline(Cursor& cursor, char quote) {
  if (quote == '"' && cursor.peek() == '\\') return cursor.next(escape_length(cursor.peek(1)));
  if (quote == '\'' && cursor.peek() == '\'') return cursor.next(2);
  if (!cursor.line_is_over()) return cursor.next();
  while (!cursor.at_end() && cursor.peek() != '\n') cursor.next();
  cursor.next();
  cursor.skip_blanks();
}

void skip_indentation(Cursor& cursor, int indentation) {
  while (cursor.peek() == ' ' && cursor.place().column < indentation) cursor.next();
}

/// From the `|` or `>` to the first character of the content; the column where its lines begin.
int enter_block(Cursor& cursor) {
  while (!cursor.at_end() && cursor.peek() != '\n') cursor.next();
  cursor.next();
  Cursor first_line = cursor;
  while (first_line.line_is_over() && !first_line.at_end()) first_line.next();
  first_line.skip_blanks();
  const int indentation = first_line.place().column;
  skip_indentation(cursor, indentation);
  return indentation;
}

void step_block(Cursor& cursor, int indentation) {
  const bool line_ends = cursor.peek() == '\n';
  cursor.next();
  if (line_ends) skip_indentation(cursor, indentation);
}

}  // namespace

TextPlace place_in_scalar(std::string_view text, const ConfigNode& scalar, std::size_t index) {
  Cursor cursor(text);
  cursor.go_to(scalar.place);
  const char first = cursor.peek();
  if (first == '*') return scalar.place;
  if (first == '|' || first == '>') {
    const int indentation = enter_block(cursor);
    for (std::size_t i = 0; i < index; ++i) step_block(cursor, indentation);
    return cursor.place();
  }
  const bool quoted = first == '"' || first == '\'';
  if (quoted) cursor.next();
  for (std::size_t i = 0; i < index; ++i) step_inline(cursor, quoted ? first : '\0');
  return cursor.place();
}

}  // namespace dray::wire
