#include "wire/base64.h"

#include <cstdint>

namespace dray::wire {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string encode_base64(std::string_view bytes) {
  std::string made;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      group = group << 8U | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      made += at + i > bytes.size() ? '=' : alphabet[group >> (18U - 6U * i) & 63U];
    }
  }
  return made;
}

Result<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t group = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
    const auto digit = alphabet.find(c);
    if (c == '=') ++padding;
    if ((c != '=' && digit == std::string_view::npos) || (c != '=' && padding > 0) || padding > 2) {
      return fail(ErrorCode::invalid, "no base64");
    }
    group = (group << 6U) | (c == '=' ? 0U : static_cast<std::uint32_t>(digit));
    if (++digits < 4) continue;
    for (int i = 0; i < 3 - padding; ++i) {
      bytes += static_cast<char>((group >> (16U - 8U * static_cast<unsigned>(i))) & 0xFFU);
    }
    group = 0;
    digits = 0;
  }
  if (digits != 0) return fail(ErrorCode::invalid, "no base64: its end is missing");
  return bytes;
}

}  // namespace dray::wire
