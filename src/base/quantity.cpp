#include "dray/base/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "base/big_integer.h"

namespace dray {
namespace {

__extension__ using Int128 = __int128;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

/// value * 10^places, if that fits.
std::optional<std::int64_t> scale_up(std::int64_t value, std::int32_t places) {
  if (value == 0) return 0;
  for (; places > 0; --places) {
    if (__builtin_mul_overflow(value, 10, &value)) return std::nullopt;
  }
  return value;
}

/// value / 10^places away from zero, and whether nothing was lost.
std::pair<std::int64_t, bool> scale_down(std::int64_t value, std::int32_t places) {
  bool exact = true;
  const std::int64_t away = value < 0 ? -1 : 1;
  for (; places > 0 && value != 0; --places) {
    exact = exact && value % 10 == 0;
    value /= 10;
  }
  return {exact ? value : value + away, exact};
}

/// Both at the smaller of the two exponents.
void align(BigDecimal& a, BigDecimal& b) {
  auto& coarse = a.exponent > b.exponent ? a : b;
  const auto exponent = std::min(a.exponent, b.exponent);
  coarse.unscaled.scale_up(static_cast<std::uint32_t>(coarse.exponent - exponent));
  coarse.exponent = exponent;
}

/// Go's math.Pow10, whose results are not always the nearest double.
double pow10(std::int32_t n) {
  static constexpr std::array<double, 32> ones{1e00, 1e01, 1e02, 1e03, 1e04, 1e05, 1e06, 1e07,
                                               1e08, 1e09, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                               1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31};
  static constexpr std::array<double, 10> up{1e00,  1e32,  1e64,  1e96,  1e128,
                                             1e160, 1e192, 1e224, 1e256, 1e288};
  static constexpr std::array<double, 11> down{1e-00,  1e-32,  1e-64,  1e-96,  1e-128, 1e-160,
                                               1e-192, 1e-224, 1e-256, 1e-288, 1e-320};
  if (n > 308) return std::numeric_limits<double>::infinity();
  if (n < -323) return 0;
  const auto size = static_cast<std::size_t>(n < 0 ? -n : n);
  return n < 0 ? down.at(size / 32) / ones.at(size % 32) : up.at(size / 32) * ones.at(size % 32);
}

}  // namespace

Quantity::Quantity(std::int64_t units, Format format) : unscaled_(units), format_(format) {}

Quantity::Quantity(BigDecimal amount, Format format)
    : format_(format), big_(std::make_shared<const BigDecimal>(std::move(amount))) {}

Quantity Quantity::from_milli(std::int64_t milli, Format format) {
  return {milli, -3, format};
}

BigDecimal Quantity::to_big() const {
  return big_ ? *big_ : BigDecimal{BigInteger(unscaled_), exponent_};
}

int Quantity::sign() const {
  if (big_) return big_->unscaled.sign();
  return unscaled_ == 0 ? 0 : unscaled_ < 0 ? -1 : 1;
}

std::int64_t Quantity::scaled_value(std::int32_t exponent) const {
  const auto saturated = sign() < 0 ? least : most;
  if (!big_) {
    if (exponent_ < exponent) return scale_down(unscaled_, exponent - exponent_).first;
    return scale_up(unscaled_, exponent_ - exponent).value_or(saturated);
  }
  auto amount = big_->unscaled;
  if (big_->exponent < exponent) {
    amount.scale_down(static_cast<std::uint32_t>(exponent - big_->exponent));
  } else {
    amount.scale_up(static_cast<std::uint32_t>(big_->exponent - exponent));
  }
  return amount.to_int64().value_or(saturated);
}

std::int64_t Quantity::value() const {
  return scaled_value(0);
}
std::int64_t Quantity::milli_value() const {
  return scaled_value(-3);
}

std::optional<std::int64_t> Quantity::as_int64() const {
  if (big_ || exponent_ < 0) return std::nullopt;
  return scale_up(unscaled_, exponent_);
}

std::optional<std::int64_t> Quantity::exact_at(std::int32_t exponent) const {
  const auto scaled = scaled_value(exponent);
  if (Quantity(scaled, exponent, format_) != *this) return std::nullopt;
  return scaled;
}

std::optional<std::int64_t> Quantity::exact_units() const {
  return exact_at(0);
}
std::optional<std::int64_t> Quantity::exact_milli() const {
  return exact_at(-3);
}

double Quantity::as_approximate_double() const {
  auto base = static_cast<double>(unscaled_);
  auto exponent = exponent_;
  if (big_) {
    const auto digits = big_->unscaled.digits();
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), base);
    if (parsed.ec == std::errc::result_out_of_range) base = std::numeric_limits<double>::infinity();
    if (big_->unscaled.sign() < 0) base = -base;
    exponent = big_->exponent;
  }
  return exponent == 0 ? base : base * pow10(exponent);
}

void Quantity::add(const Quantity& other, bool negate) {
  if (sign() == 0) format_ = other.format_;
  if (!big_ && !other.big_) {
    // Upstream negates before it adds, and so does not see that -2^63 stays negative.
    const auto term = negate && other.unscaled_ != least ? -other.unscaled_ : other.unscaled_;
    if (term == 0) return;
    if (unscaled_ == 0) {
      unscaled_ = term;
      exponent_ = other.exponent_;
      return;
    }
    const auto exponent = std::min(exponent_, other.exponent_);
    const auto a = scale_up(unscaled_, exponent_ - exponent);
    const auto b = scale_up(term, other.exponent_ - exponent);
    std::int64_t sum = 0;
    if (a && b && !__builtin_add_overflow(*a, *b, &sum)) {
      unscaled_ = sum;
      exponent_ = exponent;
      return;
    }
  }
  auto a = to_big();
  auto b = other.to_big();
  if (negate) b.unscaled = b.unscaled.negated();
  align(a, b);
  a.unscaled += b.unscaled;
  *this = Quantity(std::move(a), format_);
}

Quantity& Quantity::operator*=(const Quantity& factor) {
  auto product = to_big();
  const auto by = factor.to_big();
  product.unscaled *= by.unscaled;
  product.exponent += by.exponent;
  return *this = Quantity(std::move(product), format_);
}

Quantity& Quantity::operator+=(const Quantity& other) {
  add(other, false);
  return *this;
}

Quantity& Quantity::operator-=(const Quantity& other) {
  add(other, true);
  return *this;
}

std::strong_ordering Quantity::operator<=>(const Quantity& other) const {
  if (!big_ && !other.big_) {
    if (exponent_ == other.exponent_) return unscaled_ <=> other.unscaled_;
    const auto distance = exponent_ - other.exponent_;
    if (distance >= -18 && distance <= 18) {
      Int128 a = unscaled_;
      Int128 b = other.unscaled_;
      for (auto i = distance; i > 0; --i) a *= 10;
      for (auto i = distance; i < 0; ++i) b *= 10;
      return a < b   ? std::strong_ordering::less
             : a > b ? std::strong_ordering::greater
                     : std::strong_ordering::equal;
    }
  }
  auto a = to_big();
  auto b = other.to_big();
  align(a, b);
  return a.unscaled <=> b.unscaled;
}

}  // namespace dray
