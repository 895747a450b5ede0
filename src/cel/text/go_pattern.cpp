#include "cel/text/go_pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "cel/text/go_pattern_reader.h"
#include "cel/text/utf8.h"

namespace dray::cel {

namespace {

constexpr std::int64_t largest_program = (std::int64_t{128} << 20U) / 40;  // Go's maxSize
constexpr int greatest_height = 1000;
constexpr std::int64_t most_repeats = 1000;

}  // namespace

GoPattern PatternReader::run() {
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
  return {std::move(out_), std::move(error_), std::move(classes_)};
}

void PatternReader::fail(std::string_view code, std::string_view expression) {
  if (error_.empty()) error_ = fmt::format("{}: `{}`", code, expression);
}

std::string_view PatternReader::taken(std::string_view before, std::string_view after) {
  return before.substr(0, before.size() - after.size());
}

void PatternReader::push(Piece piece) {
  if (piece.size > largest_program) fail("expression too large", whole_);
  if (piece.height > greatest_height) fail("expression nests too deeply", whole_);
  stack_.push_back(piece);
}

char32_t PatternReader::next(std::string_view& text) {
  const DecodedRune rune = decode_rune(text);
  if (rune.rune == replacement_character && rune.size == 1) fail("invalid UTF-8", text);
  text.remove_prefix(rune.size);
  return rune.rune;
}

void PatternReader::step() {
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

void PatternReader::open() {
  if (rest_.size() >= 2 && rest_[1] == '?') return perl_group();
  push({.kind = Piece::Kind::open, .captures = true});
  rest_.remove_prefix(1);
}

void PatternReader::perl_group() {
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

void PatternReader::named_group(std::size_t name_at) {
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

void PatternReader::concatenate() {
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

void PatternReader::close_group() {
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

void PatternReader::close() {
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

void PatternReader::repeated(std::string_view before, std::string_view after, std::int64_t least,
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

bool PatternReader::read_count(std::string_view& text, std::int64_t& count) {
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

void PatternReader::repeat_counted() {
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

GoPattern read_go_pattern(std::string_view pattern) {
  return PatternReader(pattern).run();
}

}  // namespace dray::cel
