#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "base/big_integer.h"
#include "base/quantity_suffix.h"
#include "dray/base/quantity.h"

namespace dray {
namespace {

/// Digits of the magnitude and the power of ten they stand at, without trailing zeros.
struct Scientific {
  std::string digits;
  std::int32_t exponent = 0;
};

Scientific scientific(const BigDecimal& amount) {
  Scientific result{amount.unscaled.digits(), amount.exponent};
  const auto kept = result.digits.find_last_not_of('0') + 1;
  result.exponent += static_cast<std::int32_t>(result.digits.size() - kept);
  result.digits.resize(kept);
  return result;
}

/// `1536Mi`; nothing where the amount is small or broken, and is written in decimal.
std::optional<std::string> binary_text(const Quantity& quantity, BigDecimal amount) {
  const Quantity limit(1024);
  if (quantity < limit && quantity > Quantity(-1024)) return std::nullopt;
  if (amount.exponent >= 0) {
    amount.unscaled.scale_up(static_cast<std::uint32_t>(amount.exponent));
  } else if (!amount.unscaled.scale_down(static_cast<std::uint32_t>(-amount.exponent))) {
    return std::nullopt;
  }
  std::int32_t exponent = 0;
  for (auto smaller = amount.unscaled; smaller.divide(1024) == 0; exponent += 10) {
    amount.unscaled = smaller;
  }
  return amount.unscaled.digits().append(find_text(binary_suffixes, exponent));
}

}  // namespace

std::string Quantity::to_string() const {
  if (sign() == 0) return "0";
  const std::string minus = sign() < 0 ? "-" : "";
  if (format_ == Format::binary_si) {
    if (const auto text = binary_text(*this, to_big())) return minus + *text;
  }
  auto [digits, exponent] = scientific(to_big());
  while (exponent % 3 != 0) {
    digits += '0';
    --exponent;
  }
  if (format_ != Format::decimal_exponent) {
    return minus + digits.append(find_text(decimal_suffixes, exponent));
  }
  return minus + (exponent == 0 ? digits : digits + "e" + std::to_string(exponent));
}

std::string Quantity::to_decimal() const {
  if (sign() == 0) return "0";
  const std::string minus = sign() < 0 ? "-" : "";
  auto [digits, exponent] = scientific(to_big());
  constexpr std::int64_t longest = 60;
  const auto size = static_cast<std::int64_t>(digits.size());
  if (std::max<std::int64_t>(size, size + exponent) > longest) {
    return minus + digits + "e" + std::to_string(exponent);
  }
  if (exponent >= 0) return minus + digits.append(static_cast<std::size_t>(exponent), '0');
  const auto places = static_cast<std::size_t>(-exponent);
  if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
  return minus + digits.insert(digits.size() - places, ".");
}

}  // namespace dray
