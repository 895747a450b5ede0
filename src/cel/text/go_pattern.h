#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dray::cel {

/// A pattern as RE2 reads it, or why Go's parser refuses it.
struct GoPattern {
  std::string re2;
  std::string error;  ///< `missing closing ): `(``; empty if the pattern is right
  /// The Unicode classes, `\pL`, before the error. That there are such ones is not looked at.
  std::vector<std::string_view> classes;
};
[[nodiscard]] GoPattern read_go_pattern(std::string_view pattern);

}  // namespace dray::cel
