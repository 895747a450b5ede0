#include <algorithm>
#include <array>

#include "cel/text/go_pattern_reader.h"
#include "cel/text/utf8.h"

namespace dray::cel {

namespace {

int hex_digit(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

}  // namespace

void PatternReader::escape() {
  if (rest_.size() >= 2) {
    const char c = rest_[1];
    if (c == 'C') return fail("invalid escape sequence", rest_.substr(0, 2));
    if (c == 'Q') return quoted();
    if (c == 'p' || c == 'P') {
      if (unicode_class(rest_)) push();
      return;
    }
    if (std::string_view("AbBzdswDSW").find(c) != std::string_view::npos) {
      push();
      rest_.remove_prefix(2);
      return;
    }
  }
  escaped_rune(rest_);
  push();
}

void PatternReader::quoted() {
  const auto end = rest_.find("\\E", 2);
  std::string_view text = rest_.substr(2, end == std::string_view::npos ? end : end - 2);
  while (!text.empty() && error_.empty()) {
    next(text);
    push();
  }
  rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 2);
}

bool PatternReader::unicode_class(std::string_view& text) {
  std::string_view t = text.substr(2);
  if (t.empty()) {
    fail("invalid character class range", text);
    return false;
  }
  const char32_t c = next(t);
  if (c == '{') {
    const auto end = text.find('}');
    if (end == std::string_view::npos) {
      fail("invalid character class range", text);
      return false;
    }
    t = text.substr(end + 1);
  }
  if (error_.empty()) classes_.push_back(taken(text, t));
  text = t;
  return error_.empty();
}

char32_t PatternReader::escaped_rune(std::string_view& text) {
  const std::string_view whole = text;
  std::string_view t = text.substr(1);
  if (t.empty()) {
    fail("trailing backslash at end of expression", "");
    return 0;
  }
  const auto is_octal = [&] { return !t.empty() && t[0] >= '0' && t[0] <= '7'; };
  const char32_t c = next(t);
  if ((c >= '1' && c <= '7' && is_octal()) || c == '0') {
    char32_t value = c - '0';
    for (int i = 1; i < 3 && is_octal(); ++i) {
      value = value * 8 + static_cast<char32_t>(t[0] - '0');
      t.remove_prefix(1);
    }
    text = t;
    return value;
  }
  if (c == 'x') {
    const std::int32_t value = hex_escape(t);
    if (value >= 0) {
      text = t;
      return static_cast<char32_t>(value);
    }
  } else if ((c < 0x80 && !is_alphanumeric(c)) ||
             (c < 0x80 &&
              std::string_view("afnrtv").find(static_cast<char>(c)) != std::string_view::npos)) {
    text = t;
    static constexpr std::string_view names = "afnrtv";
    static constexpr std::string_view values = "\a\f\n\r\t\v";
    const auto i = names.find(static_cast<char>(c));
    return i == std::string_view::npos ? c : static_cast<unsigned char>(values[i]);
  }
  fail("invalid escape sequence", taken(whole, t));
  return 0;
}

std::int32_t PatternReader::hex_escape(std::string_view& t) {
  if (t.empty()) return -1;
  const char32_t first = next(t);
  if (first != '{') {
    if (t.empty()) return -1;
    const int low = hex_digit(next(t));
    const int high = hex_digit(first);
    return high < 0 || low < 0 ? -1 : high * 16 + low;
  }
  std::int32_t value = 0;
  for (int digits = 0; !t.empty(); ++digits) {
    const char32_t c = next(t);
    if (c == '}') return digits == 0 ? -1 : value;
    const int digit = hex_digit(c);
    if (digit < 0) return -1;
    value = value * 16 + digit;
    if (value > 0x10FFFF) return -1;
  }
  return -1;
}

void PatternReader::char_class() {
  const std::string_view whole = rest_;
  std::string_view t = rest_.substr(1);
  if (t.starts_with('^')) t.remove_prefix(1);
  for (bool first = true; error_.empty() && (t.empty() || t[0] != ']' || first); first = false) {
    if (t.starts_with("[:")) {
      if (const auto end = t.find(":]", 2); end != std::string_view::npos) {
        named_class(t.substr(0, end + 2));
        t.remove_prefix(end + 2);
        continue;
      }
    }
    if (t.starts_with("\\p") || t.starts_with("\\P")) {
      unicode_class(t);
      continue;
    }
    if (t.size() >= 2 && t[0] == '\\' &&
        std::string_view("dswDSW").find(t[1]) != std::string_view::npos) {
      t.remove_prefix(2);
      continue;
    }
    class_range(t, whole);
  }
  if (!error_.empty()) return;
  t.remove_prefix(1);
  rest_ = t;
  push();
}

void PatternReader::named_class(std::string_view name) {
  static constexpr std::array names{"alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph",
                                    "lower", "print", "punct", "space", "upper", "word",  "xdigit"};
  std::string_view plain = name.substr(2, name.size() - 4);
  if (plain.starts_with('^')) plain.remove_prefix(1);
  if (std::ranges::find(names, plain) == names.end()) {
    fail("invalid character class range", name);
  }
}

char32_t PatternReader::class_rune(std::string_view& t, std::string_view whole) {
  if (t.empty()) {
    fail("missing closing ]", whole);
    return 0;
  }
  return t[0] == '\\' ? escaped_rune(t) : next(t);
}

void PatternReader::class_range(std::string_view& t, std::string_view whole) {
  const std::string_view start = t;
  const char32_t low = class_rune(t, whole);
  if (!error_.empty() || t.size() < 2 || t[0] != '-' || t[1] == ']') return;
  t.remove_prefix(1);
  const char32_t high = class_rune(t, whole);
  if (error_.empty() && high < low) fail("invalid character class range", taken(start, t));
}

}  // namespace dray::cel
