#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray {

/// A Kubernetes resource.Quantity (apimachinery pkg/api/resource), exact: `unscaled * 10^exponent`,
/// with decimal digits beyond int64 where needed. Parsing rounds away from zero below one nano;
/// Ki..Ei amounts stop at 2^63-1; exponents are bounded (upstream hangs on 1e2147483648).
class Quantity {
 public:
  /// How the amount was written, and so how it prints: 1Gi, 1500m, 1e3.
  enum class Format : std::uint8_t { decimal_si, binary_si, decimal_exponent };

  Quantity() = default;
  explicit Quantity(std::int64_t units, Format format = Format::decimal_si);
  /// `milli` thousandths.
  [[nodiscard]] static Quantity from_milli(std::int64_t milli, Format format = Format::decimal_si);

  /// Upstream's ParseQuantity, its three error texts included.
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);

  /// Upstream's Value() and MilliValue(): rounded up (away from zero), saturated to int64.
  [[nodiscard]] std::int64_t value() const;
  [[nodiscard]] std::int64_t milli_value() const;
  /// The exact amount in units / in thousandths, or nothing if it is not a whole int64 number of
  /// them.
  [[nodiscard]] std::optional<std::int64_t> exact_units() const;
  [[nodiscard]] std::optional<std::int64_t> exact_milli() const;

  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  [[nodiscard]] double as_approximate_double() const;
  [[nodiscard]] Format format() const { return format_; }

  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  [[nodiscard]] friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  [[nodiscard]] friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  /// By amount; 1 == 1000m whatever the formats.
  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const;
  [[nodiscard]] bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  /// Upstream's canonical String(): `40Gi`, `1500m`.
  [[nodiscard]] std::string to_string() const;
  /// The exact amount as a plain decimal: `42949672960`, `1.5`; beyond 60 digits `<digits>e<exp>`.
  [[nodiscard]] std::string to_decimal() const;

 private:
  // The amount is unscaled_ * 10^exponent_ unless big_ holds its digits (sign, no leading zeros).
  std::int64_t unscaled_ = 0;
  std::int32_t exponent_ = 0;
  Format format_ = Format::decimal_si;
  std::string big_;
};

}  // namespace dray
