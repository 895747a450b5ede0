#include "alloc/view/amount.h"

#include <string_view>

namespace dray::alloc {
namespace {

constexpr Amount billion = 1'000'000'000;
constexpr Amount largest = billion * billion * billion * billion * 10;

/// `-123.456` or `1234e56`, in billionths.
Amount parse(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.find('e') != std::string_view::npos) return negative ? -largest : largest;
  Amount amount = 0;
  int decimals = -1;
  for (const char c : text) {
    if (c == '.') {
      decimals = 0;
      continue;
    }
    if (amount >= largest / 10) return negative ? -largest : largest;
    amount = amount * 10 + (c - '0');
    if (decimals >= 0) ++decimals;
  }
  for (int i = decimals < 0 ? 0 : decimals; i < 9; ++i) {
    if (amount >= largest / 10) return negative ? -largest : largest;
    amount *= 10;
  }
  return negative ? -amount : amount;
}

}  // namespace

Amount amount_of(const Quantity& quantity) {
  if (const auto units = quantity.exact_units()) return Amount{*units} * billion;
  return parse(quantity.to_decimal());
}

}  // namespace dray::alloc
