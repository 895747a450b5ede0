#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dray {

/// A unit after a quantity's number: 10^exponent, or 2^exponent for the binary ones.
struct QuantitySuffix {
  std::string_view text;
  std::int32_t exponent = 0;
};

inline constexpr std::array<QuantitySuffix, 10> decimal_suffixes{{{"n", -9},
                                                                  {"u", -6},
                                                                  {"m", -3},
                                                                  {"", 0},
                                                                  {"k", 3},
                                                                  {"M", 6},
                                                                  {"G", 9},
                                                                  {"T", 12},
                                                                  {"P", 15},
                                                                  {"E", 18}}};
inline constexpr std::array<QuantitySuffix, 6> binary_suffixes{
    {{"Ki", 10}, {"Mi", 20}, {"Gi", 30}, {"Ti", 40}, {"Pi", 50}, {"Ei", 60}}};

template <std::size_t N>
[[nodiscard]] constexpr std::optional<std::int32_t> find_exponent(
    const std::array<QuantitySuffix, N>& suffixes, std::string_view text) {
  const auto found = std::ranges::find(suffixes, text, &QuantitySuffix::text);
  if (found == suffixes.end()) return std::nullopt;
  return found->exponent;
}

/// Empty beyond the table, as upstream: 10^21 prints as 1.
template <std::size_t N>
[[nodiscard]] constexpr std::string_view find_text(const std::array<QuantitySuffix, N>& suffixes,
                                                   std::int32_t exponent) {
  const auto found = std::ranges::find(suffixes, exponent, &QuantitySuffix::exponent);
  return found == suffixes.end() ? std::string_view{} : found->text;
}

}  // namespace dray
