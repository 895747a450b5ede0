#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

/// A pattern that only looks for a text: `H100`, `^gpu-`, `-mig$`, `^.*a100.*$`. Most patterns that
/// people write for devices are such; they need no regular expression, whose making costs far
/// more than the rest of compiling a selector.
class PlainPattern {
 public:
  /// Nothing if there is more to the pattern, or it is wrong.
  [[nodiscard]] static std::optional<PlainPattern> of(std::string_view pattern);

  /// Whether the pattern matches anywhere in the text, as Go's `MatchString` says.
  [[nodiscard]] bool matches(std::string_view text) const;

 private:
  /// What may lie between an end of the text and what is looked for.
  enum class Beside {
    nothing,  ///< `^a`
    line,     ///< `^.*a`: anything but a line feed
    anything  ///< `a`; `.*a` is the same, as nothing is asked of what is before
  };
  PlainPattern() = default;

  std::string literal_;
  Beside before_ = Beside::anything;
  Beside behind_ = Beside::anything;
};

}  // namespace dray::cel
