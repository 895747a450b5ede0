#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace dray::cel {

/// A regular expression of Go's regexp package, which is RE2's language with Go's error texts.
class Regex {
 public:
  /// Nothing, and Go's `error parsing regexp: ...` in `error`, if the pattern is wrong.
  [[nodiscard]] static std::optional<Regex> compile(std::string_view pattern, std::string& error);

  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;
  ~Regex();

  [[nodiscard]] bool matches(std::string_view text) const;
  /// The leftmost match; empty where there is none.
  [[nodiscard]] std::string_view find(std::string_view text) const;
  /// Go's FindAllString: at most `limit` matches, all if it is negative.
  [[nodiscard]] std::vector<std::string_view> find_all(std::string_view text, int limit) const;

 private:
  explicit Regex(std::unique_ptr<re2::RE2> compiled);
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace dray::cel
