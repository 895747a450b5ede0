#pragma once

namespace dray::cel {

/// Go's unicode.IsPrint: letters, marks, numbers, punctuation, symbols and the ASCII space.
[[nodiscard]] bool is_printable(char32_t rune);
/// The Unicode property White_Space (Go's unicode.IsSpace).
[[nodiscard]] bool is_white_space(char32_t rune);

}  // namespace dray::cel
