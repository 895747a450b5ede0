#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cel/syntax/source.h"

namespace dray::cel {

enum class TokenKind : std::uint8_t {
  end,
  identifier,
  escaped_identifier,  ///< `` `a.b` ``
  integer,
  unsigned_integer,
  floating,
  string,
  bytes,
  true_literal,
  false_literal,
  null_literal,
  in,
  equals,
  not_equals,
  less,
  less_equals,
  greater,
  greater_equals,
  logical_and,
  logical_or,
  left_bracket,
  right_bracket,
  left_brace,
  right_brace,
  left_paren,
  right_paren,
  dot,
  comma,
  minus,
  exclamation,
  question,
  colon,
  plus,
  star,
  slash,
  percent,
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::int32_t offset = 0;  ///< in code points
  std::string_view text;
};

/// The tokens of an expression, the last of kind `end`. What is no token is reported and skipped,
/// as ANTLR does: up to and including the first character that cannot go on.
[[nodiscard]] std::vector<Token> tokenize(const Source& source, SourceErrors& errors);

}  // namespace dray::cel
