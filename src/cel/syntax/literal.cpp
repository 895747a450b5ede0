#include "cel/syntax/literal.h"

#include "cel/text/utf8.h"

namespace dray::cel {

namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string normalize_newlines(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      out += text[i];
      continue;
    }
    out += '\n';
    if (i + 1 < text.size() && text[i + 1] == '\n') ++i;
  }
  return out;
}

/// Resolves escapes; the lexer has seen to it that they are whole.
class Unescaper {
 public:
  Unescaper(std::string_view rest, bool bytes, std::string& error)
      : rest_(rest), bytes_(bytes), error_(error) {}

  std::optional<std::string> run() {
    std::string out;
    while (!rest_.empty()) {
      if (rest_[0] != '\\') {
        out += rest_[0];
        rest_.remove_prefix(1);
      } else if (!escape(out)) {
        return std::nullopt;
      }
    }
    return out;
  }

 private:
  bool fail(const char* message) {
    error_ = message;
    return false;
  }

  bool escape(std::string& out) {
    if (rest_.size() < 2) return fail("unable to unescape string, found '\\' as last character");
    const char c = rest_[1];
    rest_.remove_prefix(2);
    static constexpr std::string_view plain = "abfnrtv\\'\"`?";
    static constexpr std::string_view meaning = "\a\b\f\n\r\t\v\\'\"`?";
    if (const auto i = plain.find(c); i != std::string_view::npos) {
      out += meaning[i];
      return true;
    }
    if (c == 'x' || c == 'X') return hex(out, 2);
    if (c == 'u') return bytes_ ? fail("unable to unescape string") : hex(out, 4);
    if (c == 'U') return bytes_ ? fail("unable to unescape string") : hex(out, 8);
    if (c >= '0' && c <= '3') return octal(out, c);
    return fail("unable to unescape string");
  }

  bool hex(std::string& out, std::size_t digits) {
    if (rest_.size() < digits) return fail("unable to unescape string");
    char32_t value = 0;
    for (std::size_t i = 0; i < digits; ++i) {
      const int digit = hex_value(rest_[i]);
      if (digit < 0) return fail("unable to unescape string");
      value = (value << 4U) | static_cast<char32_t>(digit);
    }
    rest_.remove_prefix(digits);
    return put(out, value);
  }

  bool octal(std::string& out, char first) {
    if (rest_.size() < 2) return fail("unable to unescape octal sequence in string");
    char32_t value = static_cast<char32_t>(first - '0');
    for (std::size_t i = 0; i < 2; ++i) {
      if (rest_[i] < '0' || rest_[i] > '7') {
        return fail("unable to unescape octal sequence in string");
      }
      value = value * 8 + static_cast<char32_t>(rest_[i] - '0');
    }
    rest_.remove_prefix(2);
    return put(out, value);
  }

  bool put(std::string& out, char32_t value) {
    if (bytes_) {
      out += static_cast<char>(value);
      return true;
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
      return fail("invalid unicode code point");
    }
    append_rune(out, value);
    return true;
  }

  std::string_view rest_;
  bool bytes_;
  std::string& error_;
};

}  // namespace

std::optional<std::string> unescape(std::string_view literal, bool bytes, std::string& error) {
  std::string text = normalize_newlines(literal);
  const bool raw = text[0] == 'r' || text[0] == 'R';
  if (raw) text.erase(0, 1);
  const bool triple = text.size() >= 6 && (text.starts_with("'''") || text.starts_with("\"\"\""));
  const std::size_t quotes = triple ? 3 : 1;
  const std::string_view body = std::string_view(text).substr(quotes, text.size() - 2 * quotes);
  if (raw || body.find('\\') == std::string_view::npos) return std::string(body);
  return Unescaper(body, bytes, error).run();
}

}  // namespace dray::cel
