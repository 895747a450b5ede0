#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

/// One `%...` of a format string.
struct FormatClause {
  char verb = 's';
  std::optional<std::int64_t> precision;
};

/// Reads the clause behind a `%`. On success `text` is moved behind it; else `error` says why, as
/// cel-go's parseFormattingClause.
[[nodiscard]] std::optional<FormatClause> read_clause(std::string_view& text, std::string& error);

/// A double as golang.org/x/text prints it for en_US: grouped thousands, `∞`, `1.5×10⁰³`. Upstream
/// keeps precisions in small integers, so they wrap: 256 becomes 0.
[[nodiscard]] std::string fixed_text(double value, std::int64_t precision);
/// Upstream takes the precision of %e for a width: always six digits, padded with spaces.
[[nodiscard]] std::string scientific_text(double value, std::int64_t width);

}  // namespace dray::cel
