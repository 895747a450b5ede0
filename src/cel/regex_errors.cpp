#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "cel/regex.h"
#include "cel/utf8.h"

// Go's regexp/syntax parser as far as it decides what is an error, and which.

namespace dray::cel {

namespace {

constexpr std::int64_t largest_program = (std::int64_t{128} << 20U) / 40;  // Go's maxSize
constexpr int greatest_height = 1000;
constexpr std::int64_t most_repeats = 1000;

struct Piece {
  enum class Kind : std::uint8_t { expression, open, bar };
  Kind kind = Kind::expression;
  std::int64_t repeats = 0;  ///< the product of nested counts
  std::int64_t size = 1;     ///< Go's estimate of the program
  int height = 1;
  bool captures = false;  ///< open
};

bool is_alphanumeric(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

int hex_digit(char32_t c) {
  if (c >= '0' && c <= '9') return static_cast<int>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<int>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<int>(c - 'A') + 10;
  return -1;
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view pattern) : whole_(pattern), rest_(pattern) {}

  GoPattern run() {
    while (!rest_.empty() && error_.empty()) {
      const std::string_view before = rest_;
      repeat_ = {};
      step();
      last_repeat_ = repeat_;
      // Names of groups are of no use here, and RE2 knows only one way to write them.
      if (skipped_ == 0) {
        out_ += before.substr(0, before.size() - rest_.size());
      } else {
        out_ += '(';
        skipped_ = 0;
      }
    }
    if (error_.empty()) {
      close_group();
      if (stack_.size() != 1) fail("missing closing )", whole_);
    }
    return {std::move(out_), std::move(error_)};
  }

 private:
  void fail(std::string_view code, std::string_view expression) {
    if (error_.empty()) error_ = fmt::format("{}: `{}`", code, expression);
  }
  [[nodiscard]] static std::string_view taken(std::string_view before, std::string_view after) {
    return before.substr(0, before.size() - after.size());
  }

  void push(Piece piece = {}) {
    if (piece.size > largest_program) fail("expression too large", whole_);
    if (piece.height > greatest_height) fail("expression nests too deeply", whole_);
    stack_.push_back(piece);
  }

  char32_t next(std::string_view& text) {
    const DecodedRune rune = decode_rune(text);
    if (rune.rune == replacement_character && rune.size == 1) fail("invalid UTF-8", text);
    text.remove_prefix(rune.size);
    return rune.rune;
  }

  void step() {
    switch (rest_[0]) {
      case '(':
        return open();
      case '|':
        concatenate();
        push({Piece::Kind::bar});
        rest_.remove_prefix(1);
        return;
      case ')':
        return close();
      case '[':
        return char_class();
      case '*':
      case '+':
      case '?':
        return repeat_once();
      case '{':
        return repeat_counted();
      case '\\':
        return escape();
      default:
        next(rest_);
        push();
    }
  }

  // --- groups ---
  void open() {
    if (rest_.size() >= 2 && rest_[1] == '?') return perl_group();
    push({.kind = Piece::Kind::open, .captures = true});
    rest_.remove_prefix(1);
  }

  void perl_group() {
    const bool with_p = rest_.size() > 4 && rest_.substr(2, 2) == "P<";
    if (with_p || (rest_.size() > 3 && rest_[2] == '<')) {
      return named_group(with_p ? 4 : 3);
    }
    std::string_view t = rest_.substr(2);
    bool negated = false;
    bool saw_flag = false;
    while (!t.empty()) {
      const char32_t c = next(t);
      if (!error_.empty()) return;
      if (c == 'i' || c == 'm' || c == 's' || c == 'U') {
        saw_flag = true;
      } else if (c == '-' && !negated) {
        negated = true;
        saw_flag = false;
      } else if ((c == ':' || c == ')') && (!negated || saw_flag)) {
        if (c == ':') push({Piece::Kind::open});
        rest_ = t;
        return;
      } else {
        break;
      }
    }
    fail("invalid or unsupported Perl syntax", taken(rest_, t));
  }

  void named_group(std::size_t name_at) {
    const auto end = rest_.find('>');
    if (end == std::string_view::npos) return fail("invalid named capture", rest_);
    const std::string_view name = rest_.substr(name_at, end - name_at);
    const bool valid = !name.empty() && std::ranges::all_of(name, [](char c) {
      return c == '_' || is_alphanumeric(static_cast<unsigned char>(c));
    });
    if (!valid) return fail("invalid named capture", rest_.substr(0, end + 1));
    push({.kind = Piece::Kind::open, .captures = true});
    rest_.remove_prefix(end + 1);
    skipped_ = end;
  }

  /// Joins what stands behind the last bar or parenthesis.
  void concatenate() {
    Piece joined{.size = 0};
    std::size_t count = 0;
    while (!stack_.empty() && stack_.back().kind == Piece::Kind::expression) {
      joined.repeats = std::max(joined.repeats, stack_.back().repeats);
      joined.size += stack_.back().size;
      joined.height = std::max(joined.height, stack_.back().height + 1);
      stack_.pop_back();
      ++count;
    }
    if (count <= 1) joined.height = std::max(1, joined.height - 1);
    joined.size = std::max<std::int64_t>(joined.size, 1);
    push(joined);
  }

  /// Joins the alternatives since the last open parenthesis.
  void close_group() {
    concatenate();
    Piece joined = stack_.back();
    stack_.pop_back();
    while (!stack_.empty() && stack_.back().kind == Piece::Kind::bar) {
      stack_.pop_back();
      joined.repeats = std::max(joined.repeats, stack_.back().repeats);
      joined.size += stack_.back().size + 1;
      joined.height = std::max(joined.height, stack_.back().height) + 1;
      stack_.pop_back();
    }
    push(joined);
  }

  void close() {
    close_group();
    if (stack_.size() < 2) return fail("unexpected )", whole_);
    Piece inner = stack_.back();
    stack_.pop_back();
    if (stack_.back().captures) {
      inner.size += 2;
      ++inner.height;
    }
    stack_.pop_back();
    push(inner);
    rest_.remove_prefix(1);
  }

  // --- repetition ---
  void repeated(std::string_view before, std::string_view after, std::int64_t least,
                std::int64_t most) {
    if (after.starts_with('?')) after.remove_prefix(1);
    if (!last_repeat_.empty()) {
      return fail("invalid nested repetition operator", taken(last_repeat_, after));
    }
    if (stack_.empty() || stack_.back().kind != Piece::Kind::expression) {
      return fail("missing argument to repetition operator", taken(before, after));
    }
    Piece piece = stack_.back();
    stack_.pop_back();
    ++piece.height;
    if (before[0] == '{') {
      const std::int64_t count = most < 0 ? least : most;
      if (most == 0) {
        piece.repeats = 0;
      } else if (count > 0) {
        piece.repeats = std::max(count, count * piece.repeats);
      }
      piece.size = most < 0 ? (least == 0 ? 2 + piece.size : 1 + least * piece.size)
                            : most * piece.size + (most - least);
      piece.size = std::max<std::int64_t>(piece.size, 1);
    } else {
      piece.size += before[0] == '*' ? 2 : 1;
    }
    push(piece);
    if (before[0] == '{' && (least >= 2 || most >= 2) && piece.repeats > most_repeats) {
      return fail("invalid repeat count", taken(before, after));
    }
    repeat_ = before;
    rest_ = after;
  }

  void repeat_once() { repeated(rest_, rest_.substr(1), 0, rest_[0] == '?' ? 1 : -1); }

  /// A count without leading zeros; -1 where it is beyond 1e8.
  static bool read_count(std::string_view& text, std::int64_t& count) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (text.empty() || !is_digit(text[0])) return false;
    if (text.size() >= 2 && text[0] == '0' && is_digit(text[1])) return false;
    count = 0;
    while (!text.empty() && is_digit(text[0])) {
      if (count >= 0) count = count >= 100'000'000 ? -1 : count * 10 + (text[0] - '0');
      text.remove_prefix(1);
    }
    return true;
  }

  void repeat_counted() {
    std::string_view t = rest_.substr(1);
    std::int64_t least = 0;
    std::int64_t most = 0;
    bool ok = read_count(t, least) && !t.empty();
    if (ok && t[0] != ',') {
      most = least;
    } else if (ok) {
      t.remove_prefix(1);
      if (t.empty()) {
        ok = false;
      } else if (t[0] == '}') {
        most = -1;
      } else {
        ok = read_count(t, most);
        if (most < 0) least = -1;
      }
    }
    if (!ok || t.empty() || t[0] != '}') {
      push();
      rest_.remove_prefix(1);
      return;
    }
    t.remove_prefix(1);
    if (least < 0 || least > most_repeats || most > most_repeats || (most >= 0 && least > most)) {
      return fail("invalid repeat count", taken(rest_, t));
    }
    repeated(rest_, t, least, most);
  }

  // --- escapes ---
  void escape() {
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

  void quoted() {
    const auto end = rest_.find("\\E", 2);
    std::string_view text = rest_.substr(2, end == std::string_view::npos ? end : end - 2);
    while (!text.empty() && error_.empty()) {
      next(text);
      push();
    }
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 2);
  }

  /// `\pL`, `\p{Greek}`; what names there are is RE2's to say.
  bool unicode_class(std::string_view& text) {
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
    text = t;
    return error_.empty();
  }

  char32_t escaped_rune(std::string_view& text) {
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

  std::int32_t hex_escape(std::string_view& t) {
    if (t.empty()) return -1;
    const char32_t first = next(t);
    if (first != '{') {
      if (t.empty()) {
        // Go decodes one more rune of nothing, which is not UTF-8.
        fail("invalid UTF-8", t);
        return -1;
      }
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

  // --- [classes] ---
  void char_class() {
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

  void named_class(std::string_view name) {
    static constexpr std::array names{"alnum", "alpha", "ascii", "blank", "cntrl",
                                      "digit", "graph", "lower", "print", "punct",
                                      "space", "upper", "word",  "xdigit"};
    std::string_view plain = name.substr(2, name.size() - 4);
    if (plain.starts_with('^')) plain.remove_prefix(1);
    if (std::ranges::find(names, plain) == names.end()) {
      fail("invalid character class range", name);
    }
  }

  char32_t class_rune(std::string_view& t, std::string_view whole) {
    if (t.empty()) {
      fail("missing closing ]", whole);
      return 0;
    }
    return t[0] == '\\' ? escaped_rune(t) : next(t);
  }

  void class_range(std::string_view& t, std::string_view whole) {
    const std::string_view start = t;
    const char32_t low = class_rune(t, whole);
    if (!error_.empty() || t.size() < 2 || t[0] != '-' || t[1] == ']') return;
    t.remove_prefix(1);
    const char32_t high = class_rune(t, whole);
    if (error_.empty() && high < low) fail("invalid character class range", taken(start, t));
  }

  std::string_view whole_;
  std::string_view rest_;
  std::string_view repeat_;
  std::string_view last_repeat_;
  std::size_t skipped_ = 0;
  std::string out_;
  std::string error_;
  std::vector<Piece> stack_;
};

}  // namespace

GoPattern read_go_pattern(std::string_view pattern) {
  return PatternReader(pattern).run();
}

}  // namespace dray::cel
