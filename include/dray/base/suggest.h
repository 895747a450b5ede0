#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dray {

/// The end of an error about a word that is not one of `known`: `; did you mean quota?`, or all
/// that there are, or nothing where there are none.
[[nodiscard]] std::string suggest(std::string_view word, std::span<const std::string> known);

/// The same where there may be more than an error should list: `; did you mean quota?`, or nothing.
[[nodiscard]] std::string suggest_near(std::string_view word, std::span<const std::string> known);

}  // namespace dray
