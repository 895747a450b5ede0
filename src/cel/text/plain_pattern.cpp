#include "cel/text/plain_pattern.h"

namespace dray::cel {

namespace {

bool take_front(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

bool take_back(std::string_view& text, std::string_view part) {
  if (!text.ends_with(part)) return false;
  text.remove_suffix(part.size());
  return true;
}

bool one_line(std::string_view text) {
  return !text.contains('\n');
}

}  // namespace

std::optional<PlainPattern> PlainPattern::of(std::string_view pattern) {
  PlainPattern made;
  const bool from_begin = take_front(pattern, "^");
  const bool run_before = take_front(pattern, ".*");
  // Of `\$` and `\.*` a `\` stays, which is refused.
  const bool to_end = take_back(pattern, "$");
  const bool run_behind = take_back(pattern, ".*");
  if (pattern.empty() || pattern.find_first_of("\\.+*?()|[]{}^$\n") != std::string_view::npos) {
    return std::nullopt;
  }
  made.literal_ = pattern;
  if (from_begin) made.before_ = run_before ? Beside::line : Beside::nothing;
  if (to_end) made.behind_ = run_behind ? Beside::line : Beside::nothing;
  return made;
}

bool PlainPattern::matches(std::string_view text) const {
  const bool at_begin = before_ == Beside::nothing;
  const bool at_end = behind_ == Beside::nothing;
  const bool line_before = before_ == Beside::line;
  const bool line_behind = behind_ == Beside::line;
  // The literal has no line feed: where all beside it has none, the text has none.
  if (at_begin && at_end) return text == literal_;
  if (line_before && line_behind) return text.contains(literal_) && one_line(text);
  if (at_begin) return text.starts_with(literal_) && (!line_behind || one_line(text));
  if (at_end) return text.ends_with(literal_) && (!line_before || one_line(text));
  if (line_before) {
    const auto first = text.find(literal_);
    return first != std::string_view::npos && one_line(text.substr(0, first));
  }
  if (line_behind) {
    const auto last = text.rfind(literal_);
    return last != std::string_view::npos && one_line(text.substr(last));
  }
  return text.contains(literal_);
}

}  // namespace dray::cel
