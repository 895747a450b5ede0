#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cel/text/plain_pattern.h"

namespace re2 {
class RE2;
}

namespace dray::cel {

/// What a pattern is compiled for: `matches` alone has a shorter way for plain patterns.
enum class RegexUse { match, find };

/// A regular expression of Go's regexp package, which is RE2's language with Go's error texts.
class Regex {
 public:
  /// Nothing, and Go's `error parsing regexp: ...` in `error`, if the pattern is wrong.
  [[nodiscard]] static std::optional<Regex> compile(std::string_view pattern, RegexUse use,
                                                    std::string& error);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  [[nodiscard]] bool matches(std::string_view text) const;
  /// The leftmost match; empty where there is none. Compiled for RegexUse::find, as the next.
  [[nodiscard]] std::string_view find(std::string_view text) const;
  /// Go's FindAllString: at most `limit` matches, all if it is negative.
  [[nodiscard]] std::vector<std::string_view> find_all(std::string_view text, int limit) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> compiled);
  explicit Regex(PlainPattern plain);

  std::optional<PlainPattern> plain_;
  std::unique_ptr<re2::RE2> compiled_;  ///< not beside `plain_`
};

}  // namespace dray::cel
