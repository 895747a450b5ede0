#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "cel/syntax/token.h"

namespace dray::cel {

namespace {

bool is_decimal(char32_t c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_hex(char32_t c) {
  return is_decimal(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_word(char32_t c) {
  return is_letter(c) || is_decimal(c) || c == '_';
}
bool is_octal(char32_t c) {
  return c >= '0' && c <= '7';
}

/// Where a scan got to: `end` if it accepts, else `stuck` is the character that did not fit.
struct Scan {
  std::optional<std::size_t> end;
  std::size_t stuck = 0;
};

class Lexer {
 public:
  Lexer(const Source& source, SourceErrors& errors) : source_(source), errors_(errors) {}

  std::vector<Token> run() {
    std::vector<Token> tokens;
    tokens.reserve(source_.size() / 3 + 2);
    while (skip_hidden(), at_ < source_.size()) {
      const std::size_t start = at_;
      if (auto kind = next()) {
        tokens.push_back({*kind, static_cast<std::int32_t>(start), source_.slice(start, at_)});
      } else {
        const std::size_t last = std::min(stuck_ + 1, source_.size());
        report(start, last);
        at_ = last;
      }
    }
    tokens.push_back({TokenKind::end, static_cast<std::int32_t>(source_.size()), {}});
    return tokens;
  }

 private:
  // 0 stands for the end: no token contains it but strings, which ask more() first.
  [[nodiscard]] char32_t peek(std::size_t ahead = 0) const { return char_at(at_ + ahead); }
  [[nodiscard]] char32_t char_at(std::size_t i) const {
    return i < source_.size() ? source_.at(i) : 0;
  }
  [[nodiscard]] bool more(std::size_t i) const { return i < source_.size(); }

  void skip_hidden() {
    for (;;) {
      const char32_t c = peek();
      if (at_ < source_.size() && (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f')) {
        ++at_;
      } else if (c == '/' && peek(1) == '/') {
        while (more(at_) && peek() != '\n') ++at_;
      } else {
        return;
      }
    }
  }

  void report(std::size_t first, std::size_t last) {
    errors_.report(
        source_.location(static_cast<std::int32_t>(first)),
        fmt::format("Syntax error: token recognition error at: '{}'", source_.slice(first, last)));
  }

  std::optional<TokenKind> next() {
    const char32_t c = peek();
    if (is_letter(c) || c == '_') return word();
    if (is_decimal(c) || (c == '.' && is_decimal(peek(1)))) return number();
    if (c == '"' || c == '\'') return string_at(at_, false, TokenKind::string);
    if (c == '`') return escaped();
    return punctuation();
  }

  std::optional<TokenKind> word() {
    // r"..", b"..", br"..": a string if it closes, else an identifier.
    std::size_t quote = at_;
    const bool bytes = char_at(quote) == 'b' || char_at(quote) == 'B';
    if (bytes) ++quote;
    const bool raw = char_at(quote) == 'r' || char_at(quote) == 'R';
    if (raw) ++quote;
    if (quote != at_ && (char_at(quote) == '"' || char_at(quote) == '\'')) {
      const Scan scan = scan_string(quote, raw);
      if (scan.end) {
        at_ = *scan.end;
        return bytes ? TokenKind::bytes : TokenKind::string;
      }
    }
    const std::size_t start = at_;
    while (is_word(peek())) ++at_;
    const std::string_view text = source_.slice(start, at_);
    if (text == "in") return TokenKind::in;
    if (text == "true") return TokenKind::true_literal;
    if (text == "false") return TokenKind::false_literal;
    if (text == "null") return TokenKind::null_literal;
    return TokenKind::identifier;
  }

  std::optional<TokenKind> string_at(std::size_t quote, bool raw, TokenKind kind) {
    const Scan scan = scan_string(quote, raw);
    if (!scan.end) {
      stuck_ = scan.stuck;
      return std::nullopt;
    }
    at_ = *scan.end;
    return kind;
  }

  [[nodiscard]] Scan scan_string(std::size_t quote, bool raw) const {
    const char32_t mark = char_at(quote);
    if (char_at(quote + 1) == mark && char_at(quote + 2) == mark) {
      const Scan scan = scan_body(quote + 3, mark, raw, true);
      // Not closed: the first two quotes are still an empty string.
      return scan.end ? scan : Scan{quote + 2, 0};
    }
    return scan_body(quote + 1, mark, raw, false);
  }

  [[nodiscard]] Scan scan_body(std::size_t i, char32_t mark, bool raw, bool triple) const {
    while (more(i)) {
      const char32_t c = source_.at(i);
      if (c == mark && (!triple || (char_at(i + 1) == mark && char_at(i + 2) == mark))) {
        return {i + (triple ? 3 : 1), 0};
      }
      if (!triple && (c == '\n' || c == '\r')) return {std::nullopt, i};
      if (c != '\\' || raw) {
        ++i;
        continue;
      }
      const Scan escape = scan_escape(i);
      if (!escape.end) return escape;
      i = *escape.end;
    }
    return {std::nullopt, i};
  }

  [[nodiscard]] Scan scan_escape(std::size_t i) const {
    const char32_t c = char_at(i + 1);
    std::size_t digits = 0;
    switch (c) {
      case 'a':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
      case 'v':
      case '"':
      case '\'':
      case '\\':
      case '?':
      case '`':
        return {i + 2, 0};
      case 'x':
      case 'X':
        digits = 2;
        break;
      case 'u':
        digits = 4;
        break;
      case 'U':
        digits = 8;
        break;
      default:
        if (c < '0' || c > '3') return {std::nullopt, i + 1};
        for (std::size_t k = 2; k < 4; ++k) {
          if (!is_octal(char_at(i + k))) return {std::nullopt, i + k};
        }
        return {i + 4, 0};
    }
    for (std::size_t k = 2; k < 2 + digits; ++k) {
      if (!is_hex(char_at(i + k))) return {std::nullopt, i + k};
    }
    return {i + 2 + digits, 0};
  }

  std::optional<TokenKind> escaped() {
    std::size_t i = at_ + 1;
    while (is_word(char_at(i)) || char_at(i) == '.' || char_at(i) == '-' || char_at(i) == '/' ||
           char_at(i) == ' ') {
      ++i;
    }
    if (char_at(i) != '`' || i == at_ + 1) {
      stuck_ = i;
      return std::nullopt;
    }
    at_ = i + 1;
    return TokenKind::escaped_identifier;
  }

  /// The end of an exponent that starts at `i`, or `i`.
  [[nodiscard]] std::size_t exponent(std::size_t i) const {
    if (char_at(i) != 'e' && char_at(i) != 'E') return i;
    std::size_t digits = i + 1;
    if (char_at(digits) == '+' || char_at(digits) == '-') ++digits;
    if (!is_decimal(char_at(digits))) return i;
    while (is_decimal(char_at(digits))) ++digits;
    return digits;
  }

  std::optional<TokenKind> number() {
    if (peek() == '0' && peek(1) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
      return unsigned_suffix();
    }
    while (is_decimal(peek())) ++at_;
    const bool fraction = peek() == '.' && is_decimal(peek(1));
    if (fraction) {
      ++at_;
      while (is_decimal(peek())) ++at_;
    }
    const std::size_t end = exponent(at_);
    const bool scientific = end != at_;
    at_ = end;
    if (fraction || scientific) return TokenKind::floating;
    return unsigned_suffix();
  }

  TokenKind unsigned_suffix() {
    if (peek() != 'u' && peek() != 'U') return TokenKind::integer;
    ++at_;
    return TokenKind::unsigned_integer;
  }

  std::optional<TokenKind> punctuation() {
    struct Mark {
      char first, second;
      TokenKind kind;
    };
    static constexpr std::array marks{
        Mark{'=', '=', TokenKind::equals},      Mark{'!', '=', TokenKind::not_equals},
        Mark{'<', '=', TokenKind::less_equals}, Mark{'>', '=', TokenKind::greater_equals},
        Mark{'&', '&', TokenKind::logical_and}, Mark{'|', '|', TokenKind::logical_or},
        Mark{'<', 0, TokenKind::less},          Mark{'>', 0, TokenKind::greater},
        Mark{'[', 0, TokenKind::left_bracket},  Mark{']', 0, TokenKind::right_bracket},
        Mark{'{', 0, TokenKind::left_brace},    Mark{'}', 0, TokenKind::right_brace},
        Mark{'(', 0, TokenKind::left_paren},    Mark{')', 0, TokenKind::right_paren},
        Mark{'.', 0, TokenKind::dot},           Mark{',', 0, TokenKind::comma},
        Mark{'-', 0, TokenKind::minus},         Mark{'!', 0, TokenKind::exclamation},
        Mark{'?', 0, TokenKind::question},      Mark{':', 0, TokenKind::colon},
        Mark{'+', 0, TokenKind::plus},          Mark{'*', 0, TokenKind::star},
        Mark{'/', 0, TokenKind::slash},         Mark{'%', 0, TokenKind::percent},
    };
    stuck_ = at_;
    for (const Mark& mark : marks) {
      if (peek() != static_cast<char32_t>(mark.first)) continue;
      if (mark.second == 0) {
        ++at_;
        return mark.kind;
      }
      if (peek(1) == static_cast<char32_t>(mark.second)) {
        at_ += 2;
        return mark.kind;
      }
      stuck_ = at_ + 1;
    }
    return std::nullopt;
  }

  const Source& source_;
  SourceErrors& errors_;
  std::size_t at_ = 0;
  std::size_t stuck_ = 0;
};

}  // namespace

std::vector<Token> tokenize(const Source& source, SourceErrors& errors) {
  return Lexer(source, errors).run();
}

}  // namespace dray::cel
