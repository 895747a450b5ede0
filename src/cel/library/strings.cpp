#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cel/eval/evaluation.h"
#include "cel/eval/functions.h"
#include "cel/text/rune_class.h"
#include "cel/text/utf8.h"
#include "cel/value/values.h"

namespace dray::cel {

namespace {

using Args = std::span<const Value>;

/// Code points of a text as Go's []rune, with the way back to bytes.
class Runes {
 public:
  explicit Runes(std::string_view text) : text_(text) {
    for (std::size_t byte = 0; byte < text.size();) {
      starts_.push_back(byte);
      byte += decode_rune(text.substr(byte)).size;
    }
    starts_.push_back(text.size());
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(starts_.size()) - 1; }
  [[nodiscard]] std::string_view slice(std::int64_t first, std::int64_t last) const {
    const std::size_t begin = starts_[static_cast<std::size_t>(first)];
    return text_.substr(begin, starts_[static_cast<std::size_t>(last)] - begin);
  }
  /// The code point that starts at a byte, or -1.
  [[nodiscard]] std::int64_t at_byte(std::size_t byte) const {
    const auto found = std::ranges::lower_bound(starts_, byte);
    return found != starts_.end() && *found == byte ? found - starts_.begin() : -1;
  }
  [[nodiscard]] std::size_t byte(std::int64_t rune) const {
    return starts_[static_cast<std::size_t>(rune)];
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> starts_;
};

/// []rune and back: malformed bytes come out as U+FFFD.
std::string sanitized(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const DecodedRune step = decode_rune(text);
    append_rune(out, step.rune);
    text.remove_prefix(step.size);
  }
  return out;
}

Value out_of_range(Context& context, std::int64_t index) {
  return context.error(fmt::format("index out of range: {}", index));
}

Value char_at(Evaluation& run, Args args) {
  const Runes runes(args[0].text());
  const std::int64_t i = args[1].int64;
  if (i < 0 || i > runes.size()) return out_of_range(run.context, i);
  if (i == runes.size()) return Value::of(std::string_view{});
  return run.context.string(sanitized(runes.slice(i, i + 1)));
}

// Searching by bytes finds the same as searching by code points: UTF-8 is self-synchronising, and
// malformed text is compared after sanitising.
Value index_of_from(Evaluation& run, std::string_view text, std::string_view part,
                    std::int64_t offset) {
  if (offset < 0) return out_of_range(run.context, offset);
  const std::string clean = sanitized(text);
  const Runes runes(clean);
  if (part.empty()) return Value::of(std::min(offset, runes.size()));
  if (offset >= runes.size()) return Value::of(std::int64_t{-1});
  const auto byte = clean.find(sanitized(part), runes.byte(offset));
  return Value::of(byte == std::string::npos ? std::int64_t{-1} : runes.at_byte(byte));
}

Value index_of(Evaluation& run, Args args) {
  return index_of_from(run, args[0].text(), args[1].text(), 0);
}
Value index_of_offset(Evaluation& run, Args args) {
  return index_of_from(run, args[0].text(), args[1].text(), args[2].int64);
}

Value last_index_of_from(Evaluation& run, std::string_view text, std::string_view part,
                         std::int64_t offset) {
  if (offset < 0) return out_of_range(run.context, offset);
  const std::string clean = sanitized(text);
  const Runes runes(clean);
  if (part.empty()) return Value::of(std::min(offset, runes.size()));
  if (offset >= runes.size()) return Value::of(std::int64_t{-1});
  const auto byte = clean.rfind(sanitized(part), runes.byte(offset));
  return Value::of(byte == std::string::npos ? std::int64_t{-1} : runes.at_byte(byte));
}

Value last_index_of(Evaluation& run, Args args) {
  const auto [text, part] = std::pair(args[0].text(), args[1].text());
  const auto size = static_cast<std::int64_t>(rune_count(text));
  if (part.empty()) return Value::of(size);
  if (text.size() < part.size()) return Value::of(std::int64_t{-1});
  return last_index_of_from(run, text, part, size - 1);
}
Value last_index_of_offset(Evaluation& run, Args args) {
  return last_index_of_from(run, args[0].text(), args[1].text(), args[2].int64);
}

template <char first, char last, int shift>
Value ascii_case(Evaluation& run, Args args) {
  const std::string_view given = args[0].text();
  // Made in the arena of the run: lowerAscii() in a selector allocates nothing.
  return run.context.string(valid_utf8(given) ? given : sanitized(given), [](char c) {
    return c >= first && c <= last ? static_cast<char>(c + shift) : c;
  });
}

/// Go's strings.Replace with a limit; negative is all.
Value replaced(Evaluation& run, std::string_view text, std::string_view old, std::string_view with,
               std::int64_t limit) {
  if (limit == 0 || old == with) return Value::of(text);
  std::string out;
  std::size_t at = 0;
  for (std::int64_t n = 0; limit < 0 || n < limit; ++n) {
    std::size_t found = 0;
    if (old.empty()) {
      if (n > 0) {
        if (at >= text.size()) break;
        found = at + decode_rune(text.substr(at)).size;
      }
    } else {
      found = text.find(old, at);
      if (found == std::string_view::npos) break;
    }
    out += text.substr(at, found - at);
    out += with;
    at = found + old.size();
    if (!run.context.afford(out.size())) return run.context.cancel({});
  }
  out += text.substr(at);
  return run.context.string(out);
}

Value replace(Evaluation& run, Args args) {
  return replaced(run, args[0].text(), args[1].text(), args[2].text(), -1);
}
Value replace_limited(Evaluation& run, Args args) {
  return replaced(run, args[0].text(), args[1].text(), args[2].text(), args[3].int64);
}

/// Go's strings.SplitN.
Value split_at(Evaluation& run, std::string_view text, std::string_view separator,
               std::int64_t limit) {
  std::vector<Value> parts;
  const auto room = [&] {
    return limit < 0 || static_cast<std::int64_t>(parts.size()) + 1 < limit;
  };
  if (limit == 0) return run.context.list(parts);
  if (separator.empty()) {
    while (!text.empty() && room()) {
      const unsigned size = decode_rune(text).size;
      parts.push_back(Value::of(text.substr(0, size)));
      text.remove_prefix(size);
    }
    if (!text.empty()) parts.push_back(Value::of(text));
    return run.context.list(parts);
  }
  while (room()) {
    const auto at = text.find(separator);
    if (at == std::string_view::npos) break;
    parts.push_back(Value::of(text.substr(0, at)));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(Value::of(text));
  return run.context.list(parts);
}

Value split(Evaluation& run, Args args) {
  return split_at(run, args[0].text(), args[1].text(), -1);
}
Value split_limited(Evaluation& run, Args args) {
  // Go takes the limit as an int; every negative one means all.
  return split_at(run, args[0].text(), args[1].text(), args[2].int64);
}

Value substring_from(Evaluation& run, Args args) {
  const Runes runes(args[0].text());
  const std::int64_t start = args[1].int64;
  if (start < 0 || start > runes.size()) return out_of_range(run.context, start);
  return run.context.string(sanitized(runes.slice(start, runes.size())));
}

Value substring(Evaluation& run, Args args) {
  const Runes runes(args[0].text());
  const auto [start, end] = std::pair(args[1].int64, args[2].int64);
  if (start > end) {
    return run.context.error(
        fmt::format("invalid substring range. start: {}, end: {}", start, end));
  }
  if (start < 0 || start > runes.size()) return out_of_range(run.context, start);
  if (end < 0 || end > runes.size()) return out_of_range(run.context, end);
  return run.context.string(sanitized(runes.slice(start, end)));
}

Value trim(Evaluation&, Args args) {
  std::string_view text = args[0].text();
  while (!text.empty()) {
    const DecodedRune step = decode_rune(text);
    if (!is_white_space(step.rune)) break;
    text.remove_prefix(step.size);
  }
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && text.size() - start < 4 &&
           (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) {
      --start;
    }
    const DecodedRune step = decode_rune(text.substr(start));
    if (start + step.size != text.size() || !is_white_space(step.rune)) break;
    text.remove_suffix(step.size);
  }
  return Value::of(text);
}

Value joined(Evaluation& run, const Value& list, std::string_view separator) {
  std::string out;
  for (std::uint32_t i = 0; i < list.list->size; ++i) {
    if (i != 0) out += separator;
    const Value item = list_at(run.context, *list.list, i);
    if (!item.is(Kind::string)) {
      return run.context.error(fmt::format("join: invalid input: {}", go_text(item)));
    }
    out += item.text();
    if (!run.context.afford(out.size())) return run.context.cancel({});
  }
  return run.context.string(out);
}

Value join(Evaluation& run, Args args) {
  return joined(run, args[0], {});
}
Value join_with(Evaluation& run, Args args) {
  return joined(run, args[0], args[1].text());
}

Value quoted(Evaluation& run, Args args) {
  static constexpr std::string_view special = "\a\b\f\n\r\t\v\\\"";
  static constexpr std::string_view names = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : sanitized(args[0].text())) {
    if (const auto i = special.find(c); i != std::string_view::npos) {
      out += '\\';
      out += names[i];
    } else {
      out += c;
    }
  }
  return run.context.string(out + "\"");
}

// The standard library's own three look at their types themselves.
template <bool (*test)(std::string_view, std::string_view)>
Value text_test(Evaluation&, Args args) {
  for (const Value& arg : args) {
    if (!arg.is(Kind::string)) return Context::no_such_overload(arg);
  }
  return Value::of(test(args[0].text(), args[1].text()));
}
bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
bool starts_with(std::string_view text, std::string_view part) {
  return text.starts_with(part);
}
bool ends_with(std::string_view text, std::string_view part) {
  return text.ends_with(part);
}

constexpr BindingRow strings_rows[] = {
    {"contains_string", text_test<contains>, Trait::none, false, true},
    {"starts_with_string", text_test<starts_with>, Trait::none, false, true},
    {"ends_with_string", text_test<ends_with>, Trait::none, false, true},
    {"string_char_at_int", char_at},
    {"string_index_of_string", index_of},
    {"string_index_of_string_int", index_of_offset, Trait::none, true},
    {"string_last_index_of_string", last_index_of},
    {"string_last_index_of_string_int", last_index_of_offset, Trait::none, true},
    {"string_lower_ascii", ascii_case<'A', 'Z', 'a' - 'A'>},
    {"string_upper_ascii", ascii_case<'a', 'z', 'A' - 'a'>},
    {"string_replace_string_string", replace, Trait::none, true},
    {"string_replace_string_string_int", replace_limited, Trait::none, true},
    {"string_split_string", split},
    {"string_split_string_int", split_limited, Trait::none, true},
    {"string_substring_int", substring_from},
    {"string_substring_int_int", substring, Trait::none, true},
    {"string_trim", trim},
    {"list_join", join},
    {"list_join_string", join_with},
    {"strings_quote", quoted},
};

}  // namespace

std::span<const BindingRow> string_bindings() {
  return strings_rows;
}

}  // namespace dray::cel
