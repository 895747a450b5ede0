#include "cel/text/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

#include "cel/text/go_pattern.h"
#include "cel/text/regex_classes.h"
#include "cel/text/utf8.h"

namespace dray::cel {

Regex::Regex(std::unique_ptr<re2::RE2> compiled) : compiled_(std::move(compiled)) {}
Regex::Regex(PlainPattern plain) : plain_(std::move(plain)) {}
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;
Regex::~Regex() = default;

namespace {

std::unique_ptr<re2::RE2> compile_re2(std::string_view pattern) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  // Go accepts patterns that RE2's default of 8 MB does not.
  options.set_max_mem(std::int64_t{256} << 20U);
  return std::make_unique<re2::RE2>(with_re2_class_names(pattern), options);
}

/// What Go says first of a pattern that it or RE2 refuses.
std::string first_error(const GoPattern& go, std::string_view pattern) {
  for (const std::string_view name : go.classes) {
    if (!compile_re2(name)->ok()) return fmt::format("invalid character class range: `{}`", name);
  }
  return go.error.empty() ? fmt::format("expression too large: `{}`", pattern) : go.error;
}

}  // namespace

std::optional<Regex> Regex::compile(std::string_view pattern, RegexUse use, std::string& error) {
  error.clear();
  if (use == RegexUse::match) {
    if (auto plain = PlainPattern::of(pattern)) return Regex(*std::move(plain));
  }
  const GoPattern go = read_go_pattern(pattern);
  if (go.error.empty()) {
    auto compiled = compile_re2(go.re2);
    if (compiled->ok()) return Regex(std::move(compiled));
  }
  error = "error parsing regexp: " + first_error(go, pattern);
  return std::nullopt;
}

bool Regex::matches(std::string_view text) const {
  if (plain_) return plain_->matches(text);
  return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *compiled_);
}

namespace {

std::optional<std::string_view> match_from(const re2::RE2& regex, std::string_view text,
                                           std::size_t start) {
  const re2::StringPiece piece(text.data(), text.size());
  re2::StringPiece match;
  if (!regex.Match(piece, start, text.size(), re2::RE2::UNANCHORED, &match, 1)) {
    return std::nullopt;
  }
  return std::string_view(match.data(), match.size());
}

}  // namespace

std::string_view Regex::find(std::string_view text) const {
  return match_from(*compiled_, text, 0).value_or(std::string_view{});
}

std::vector<std::string_view> Regex::find_all(std::string_view text, int limit) const {
  std::vector<std::string_view> found;
  std::optional<std::size_t> previous_end;
  std::size_t at = 0;
  while (at <= text.size() && (limit < 0 || static_cast<int>(found.size()) < limit)) {
    const auto match = match_from(*compiled_, text, at);
    if (!match) break;
    // An empty match right behind the last one does not count.
    const auto end = static_cast<std::size_t>(match->data() + match->size() - text.data());
    const bool counts = !match->empty() || previous_end != end;
    if (end > at) {
      at = end;
    } else {
      at += at < text.size() ? decode_rune(text.substr(at)).size : 1;
    }
    previous_end = end;
    if (counts) found.push_back(*match);
  }
  return found;
}

}  // namespace dray::cel
