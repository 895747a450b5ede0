#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dray::cel {

inline constexpr char32_t replacement_character = 0xFFFD;

/// One step of Go's utf8.DecodeRune: the code point and how many bytes it took; malformed input
/// gives U+FFFD and one byte. `text` is not empty.
struct DecodedRune {
  char32_t rune;
  unsigned size;
};
[[nodiscard]] DecodedRune decode_rune(std::string_view text);

void append_rune(std::string& out, char32_t rune);
[[nodiscard]] bool valid_utf8(std::string_view text);
/// Code points, each malformed byte counting as one.
[[nodiscard]] std::size_t rune_count(std::string_view text);

}  // namespace dray::cel
