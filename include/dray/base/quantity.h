#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "dray/base/error.h"

namespace dray {

struct BigDecimal;

/// A Kubernetes resource.Quantity (apimachinery pkg/api/resource), exact. Like upstream it is an
/// int64 times a power of ten, or decimal digits of any length where that is too small; which of
/// the two shows in as_int64 and as_approximate_double. Parsing rounds away from zero below one
/// nano; Ki..Ei amounts stop at 2^63-1. Unlike upstream, which hangs on 1e2147483648, amounts of
/// 10^10000 and more are refused. Copies share immutable digits; threads may read one together.
class Quantity {
 public:
  /// How the amount was written, and so how it prints: 1Gi, 1500m, 1e3.
  enum class Format : std::uint8_t { decimal_si, binary_si, decimal_exponent };

  Quantity() = default;
  /// So many units, written in that format.
  explicit Quantity(std::int64_t units, Format format = Format::decimal_si);
  /// `milli` thousandths.
  [[nodiscard]] static Quantity from_milli(std::int64_t milli, Format format = Format::decimal_si);

  /// Upstream's ParseQuantity, its three error texts included (and a fourth for what is beyond
  /// 10^10000).
  [[nodiscard]] static Result<Quantity> parse(std::string_view text);

  /// Upstream's Value() and MilliValue(): rounded up (away from zero); saturated, where upstream
  /// overflows.
  [[nodiscard]] std::int64_t value() const;
  /// The same in thousandths.
  [[nodiscard]] std::int64_t milli_value() const;
  /// Upstream's AsInt64: the units, unless written with decimals (1000m has none) or too large.
  [[nodiscard]] std::optional<std::int64_t> as_int64() const;
  /// The exact amount in units / in thousandths, or nothing if it is not a whole int64 number of
  /// them.
  [[nodiscard]] std::optional<std::int64_t> exact_units() const;
  /// In thousandths, if it is a whole number of them that an int64 holds.
  [[nodiscard]] std::optional<std::int64_t> exact_milli() const;

  /// -1, 0 or 1.
  [[nodiscard]] int sign() const;
  /// Upstream's AsApproximateFloat64, bit for bit.
  [[nodiscard]] double as_approximate_double() const;
  /// How it is written: suffixes of a thousand, of 1024, or an exponent.
  [[nodiscard]] Format format() const { return format_; }

  /// Exact, whatever the size; the format of the left side stays, that of a zero is the other's.
  Quantity& operator+=(const Quantity& other);
  Quantity& operator-=(const Quantity& other);
  Quantity& operator*=(const Quantity& factor);
  [[nodiscard]] friend Quantity operator+(Quantity a, const Quantity& b) { return a += b; }
  [[nodiscard]] friend Quantity operator-(Quantity a, const Quantity& b) { return a -= b; }

  /// By amount; 1 == 1000m whatever the formats.
  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const;
  /// By amount alone: 1 and 1000m are equal.
  [[nodiscard]] bool operator==(const Quantity& other) const { return (*this <=> other) == 0; }

  /// Upstream's canonical String(): `40Gi`, `1500m`.
  [[nodiscard]] std::string to_string() const;
  /// The exact amount as a plain decimal: `42949672960`, `1.5`; beyond 60 digits `<digits>e<exp>`.
  [[nodiscard]] std::string to_decimal() const;

 private:
  Quantity(BigDecimal amount, Format format);
  Quantity(std::int64_t unscaled, std::int32_t exponent, Format format)
      : unscaled_(unscaled), exponent_(exponent), format_(format) {}

  [[nodiscard]] BigDecimal to_big() const;
  /// In units of 10^exponent, away from zero, saturated.
  [[nodiscard]] std::int64_t scaled_value(std::int32_t exponent) const;
  [[nodiscard]] std::optional<std::int64_t> exact_at(std::int32_t exponent) const;
  void add(const Quantity& other, bool negate);

  // The amount is unscaled_ * 10^exponent_, or big_ where that is set.
  std::int64_t unscaled_ = 0;
  std::int32_t exponent_ = 0;
  Format format_ = Format::decimal_si;
  std::shared_ptr<const BigDecimal> big_;

  friend class QuantityParser;
};

}  // namespace dray
