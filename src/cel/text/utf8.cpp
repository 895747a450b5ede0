#include "cel/text/utf8.h"

#include <algorithm>

namespace dray::cel {

namespace {

unsigned char byte_of(std::string_view text, std::size_t i) {
  return static_cast<unsigned char>(text[i]);
}

bool continuation(std::string_view text, std::size_t i) {
  return i < text.size() && (byte_of(text, i) & 0xC0U) == 0x80U;
}

}  // namespace

DecodedRune decode_rune(std::string_view text) {
  const unsigned char b0 = byte_of(text, 0);
  if (b0 < 0x80) return {b0, 1};
  constexpr DecodedRune malformed{replacement_character, 1};
  if (b0 < 0xC2 || b0 > 0xF4 || !continuation(text, 1)) return malformed;
  const unsigned char b1 = byte_of(text, 1);
  const auto low = [&](std::size_t i) { return static_cast<char32_t>(byte_of(text, i) & 0x3FU); };
  if (b0 < 0xE0) return {(static_cast<char32_t>(b0 & 0x1FU) << 6U) | low(1), 2};
  if (b0 < 0xF0) {
    if ((b0 == 0xE0 && b1 < 0xA0) || (b0 == 0xED && b1 > 0x9F) || !continuation(text, 2)) {
      return malformed;
    }
    return {(static_cast<char32_t>(b0 & 0x0FU) << 12U) | (low(1) << 6U) | low(2), 3};
  }
  if ((b0 == 0xF0 && b1 < 0x90) || (b0 == 0xF4 && b1 > 0x8F) || !continuation(text, 2) ||
      !continuation(text, 3)) {
    return malformed;
  }
  return {(static_cast<char32_t>(b0 & 0x07U) << 18U) | (low(1) << 12U) | (low(2) << 6U) | low(3),
          4};
}

void append_rune(std::string& out, char32_t rune) {
  if (rune > 0x10FFFF || (rune >= 0xD800 && rune <= 0xDFFF)) rune = replacement_character;
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (rune < 0x80) {
    put(rune);
  } else if (rune < 0x800) {
    put(0xC0U | (rune >> 6U));
    put(0x80U | (rune & 0x3FU));
  } else if (rune < 0x10000) {
    put(0xE0U | (rune >> 12U));
    put(0x80U | ((rune >> 6U) & 0x3FU));
    put(0x80U | (rune & 0x3FU));
  } else {
    put(0xF0U | (rune >> 18U));
    put(0x80U | ((rune >> 12U) & 0x3FU));
    put(0x80U | ((rune >> 6U) & 0x3FU));
    put(0x80U | (rune & 0x3FU));
  }
}

bool valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const DecodedRune step = decode_rune(text);
    if (step.rune == replacement_character && step.size == 1) return false;
    text.remove_prefix(step.size);
  }
  return true;
}

std::size_t rune_count(std::string_view text) {
  const bool ascii =
      std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  if (ascii) return text.size();
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(decode_rune(text).size);
  return count;
}

}  // namespace dray::cel
