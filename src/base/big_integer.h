#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dray {

/// An integer of any length, with just the operations that Quantity needs. Decimal inside: scaling
/// by powers of ten, which is most of what quantities do, moves limbs.
class BigInteger {
 public:
  BigInteger() = default;
  explicit BigInteger(std::int64_t value);
  /// Decimal digits only; leading zeros allowed.
  [[nodiscard]] static BigInteger from_digits(std::string_view digits, bool negative);

  [[nodiscard]] bool is_zero() const { return limbs_.empty(); }
  [[nodiscard]] int sign() const { return is_zero() ? 0 : negative_ ? -1 : 1; }
  [[nodiscard]] BigInteger negated() const;

  BigInteger& operator+=(const BigInteger& other);
  /// `factor` below 10^9.
  BigInteger& operator*=(std::uint32_t factor);
  BigInteger& operator*=(const BigInteger& other);
  /// Times 10^places.
  BigInteger& scale_up(std::uint32_t places);
  /// Divided by 10^places, away from zero; true if nothing was lost.
  bool scale_down(std::uint32_t places);
  /// Divided by `divisor` (below 2^32) towards zero; the remainder of the magnitude.
  std::uint32_t divide(std::uint32_t divisor);

  [[nodiscard]] std::strong_ordering operator<=>(const BigInteger& other) const;
  [[nodiscard]] bool operator==(const BigInteger& other) const = default;

  [[nodiscard]] std::optional<std::int64_t> to_int64() const;
  /// The digits of the magnitude.
  [[nodiscard]] std::string digits() const;

 private:
  static constexpr std::uint32_t limb_base = 1'000'000'000;
  static constexpr std::uint32_t limb_digits = 9;

  void trim();
  void add_magnitude(const BigInteger& other);
  void subtract_magnitude(const BigInteger& smaller);
  [[nodiscard]] std::strong_ordering compare_magnitude(const BigInteger& other) const;

  // Least significant first, no leading zeros; zero has no limbs and is not negative.
  std::vector<std::uint32_t> limbs_;
  bool negative_ = false;
};

/// unscaled * 10^exponent.
struct BigDecimal {
  BigInteger unscaled;
  std::int32_t exponent = 0;
};

}  // namespace dray
