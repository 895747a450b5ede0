#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dray::cel {

/// Decimal or 0x digits as a literal has them.
[[nodiscard]] std::optional<std::int64_t> parse_int_literal(std::string_view digits, bool negative);
[[nodiscard]] std::optional<std::uint64_t> parse_uint_literal(std::string_view digits);

/// Go's strconv.ParseInt(text, 10, 64), ParseUint and ParseBool.
[[nodiscard]] std::optional<std::int64_t> parse_int(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_uint(std::string_view text);
[[nodiscard]] std::optional<bool> parse_bool(std::string_view text);
/// Go's strconv.ParseFloat(text, 64): inf, nan, hexadecimal and underscores (base prefix only)
/// included; out of range is an error.
[[nodiscard]] std::optional<double> parse_double(std::string_view text);

/// Go's strconv.FormatFloat with verbs 'g' (%g, shortest) and 'f' with the shortest digits.
[[nodiscard]] std::string format_double_g(double value);
[[nodiscard]] std::string format_double_f(double value);

/// Go's strconv.Quote.
[[nodiscard]] std::string quote(std::string_view text);

}  // namespace dray::cel
