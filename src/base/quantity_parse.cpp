#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/big_integer.h"
#include "base/quantity_suffix.h"
#include "dray/base/quantity.h"

namespace dray {
namespace {

constexpr std::string_view wrong_format =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
constexpr std::string_view wrong_number = "unable to parse numeric part of quantity";
constexpr std::string_view wrong_suffix = "unable to parse quantity's suffix";
constexpr std::string_view too_large = "quantities of 10^10000 and more are not supported";
constexpr std::int64_t most_digits = 10'000;
constexpr std::int32_t nano = -9;

std::unexpected<Error> invalid(std::string_view text) {
  return fail(ErrorCode::invalid, std::string(text));
}

/// Go's arithmetic on int32: upstream's exponents wrap.
constexpr std::int32_t wrap32(std::int64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

/// The parts of `-12.50Mi`: whole 12, fraction 50, suffix Mi.
struct Parts {
  bool negative = false;
  bool has_digits = false;  ///< any, leading zeros included
  std::string_view whole;   ///< without leading zeros, which may leave nothing
  std::string_view fraction;
  std::string_view suffix;
};

/// Upstream's parseQuantityString; nothing if the text has the wrong form.
std::optional<Parts> split(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  const auto take = [&](auto accepts) {
    const auto begin = at;
    while (at < text.size() && accepts(text[at])) ++at;
    return text.substr(begin, at - begin);
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto sign = [&] { return at < text.size() && (text[at] == '-' || text[at] == '+'); };

  if (sign()) parts.negative = text[at++] == '-';
  const auto zeros = take([](char c) { return c == '0'; });
  parts.whole = take(digit);
  if (at < text.size() && text[at] == '.') {
    ++at;
    parts.fraction = take(digit);
  }
  parts.has_digits = !zeros.empty() || !parts.whole.empty() || !parts.fraction.empty();
  const auto suffix_begin = at;
  take([](char c) { return std::string_view("eEinumkKMGTP").contains(c); });
  if (at < text.size() && sign()) ++at;
  take(digit);
  if (at < text.size()) return std::nullopt;
  parts.suffix = text.substr(suffix_begin);
  return parts;
}

struct Unit {
  Quantity::Format format;
  std::int32_t exponent;  ///< of ten, or of two for binary_si
};

std::optional<Unit> interpret(std::string_view suffix) {
  if (const auto e = find_exponent(decimal_suffixes, suffix)) {
    return Unit{Quantity::Format::decimal_si, *e};
  }
  if (const auto e = find_exponent(binary_suffixes, suffix)) {
    return Unit{Quantity::Format::binary_si, *e};
  }
  if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return std::nullopt;
  auto number = suffix.substr(1);
  if (number[0] == '+') {
    number.remove_prefix(1);
    if (number.starts_with('-')) return std::nullopt;
  }
  std::int64_t exponent = 0;
  const auto end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, exponent);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return Unit{Quantity::Format::decimal_exponent, wrap32(exponent)};
}

}  // namespace

/// Upstream's ParseQuantity from the parts on: first the int64 form, under its conditions, because
/// the form that comes out can be seen (as_int64); else digits of any length.
class QuantityParser {
 public:
  QuantityParser(const Parts& parts, Unit unit)
      : parts_(parts),
        unit_(unit),
        digits_(std::string(parts.whole) + std::string(parts.fraction)) {}

  [[nodiscard]] Result<Quantity> run() const {
    if (auto fast = in_int64()) return std::move(*fast);
    if (!parts_.has_digits) return invalid(wrong_number);
    const std::int64_t exponent =
        binary() ? -fraction_size()
                 : -std::int64_t{wrap32(fraction_size() + wrap32(-std::int64_t{unit_.exponent}))};
    const auto first = digits_.find_first_not_of('0');
    if (first == std::string::npos) return Quantity(BigDecimal{}, unit_.format);
    const auto significant = static_cast<std::int64_t>(digits_.size() - first);
    if (significant + exponent > most_digits || significant > most_digits)
      return invalid(too_large);
    return in_digits(exponent);
  }

 private:
  [[nodiscard]] bool binary() const { return unit_.format == Quantity::Format::binary_si; }
  [[nodiscard]] std::int64_t fraction_size() const {
    return static_cast<std::int64_t>(parts_.fraction.size());
  }

  /// The int64 form where upstream uses it: at most 18 digits, 15 less the unit's for Ki..Ei.
  [[nodiscard]] std::optional<Result<Quantity>> in_int64() const {
    const auto size =
        static_cast<std::int64_t>(std::max<std::size_t>(parts_.whole.size(), 1)) + fraction_size();
    std::int64_t mantissa = 1;
    std::int32_t exponent = 0;
    if (binary()) {
      if (!parts_.fraction.empty() || 15 - size - unit_.exponent * 3 / 10 - 1 < 0) {
        return std::nullopt;
      }
      mantissa <<= unit_.exponent;
    } else {
      if (size > 18) return std::nullopt;
      exponent = wrap32(unit_.exponent - fraction_size());
      if (exponent < nano) return std::nullopt;
    }
    std::int64_t value = 0;
    std::from_chars(digits_.data(), digits_.data() + digits_.size(), value);
    if (__builtin_mul_overflow(value, mantissa, &value)) return std::nullopt;
    if (value == 0) exponent = std::min(exponent, static_cast<std::int32_t>(most_digits - size));
    if (exponent > most_digits - size) return invalid(too_large);
    return Quantity(parts_.negative ? -value : value, exponent, unit_.format);
  }

  [[nodiscard]] Quantity in_digits(std::int64_t exponent) const {
    auto amount = BigInteger::from_digits(digits_, false);
    auto format = unit_.format;
    if (binary()) {
      for (auto bits = unit_.exponent; bits > 0; bits -= 20) amount *= 1U << std::min(bits, 20);
    }
    // All that is not zero gets nine decimals, at least one nano.
    if (const auto shift = exponent - nano; shift >= 0) {
      amount.scale_up(static_cast<std::uint32_t>(shift));
    } else {
      amount.scale_down(static_cast<std::uint32_t>(
          std::min<std::int64_t>(-shift, std::numeric_limits<std::uint32_t>::max())));
    }
    BigDecimal result{std::move(amount), nano};
    if (binary()) {
      BigInteger most(std::numeric_limits<std::int64_t>::max());
      if (result.unscaled > BigInteger(most).scale_up(9)) result = {std::move(most), 0};
      if (result.unscaled < BigInteger(1).scale_up(9) && result.exponent == nano) {
        format = Quantity::Format::decimal_si;
      }
    }
    if (parts_.negative) result.unscaled = result.unscaled.negated();
    return Quantity(std::move(result), format);
  }

  const Parts& parts_;
  Unit unit_;
  std::string digits_;
};

Result<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty()) return invalid(wrong_format);
  const auto parts = split(text);
  if (!parts) return invalid(wrong_format);
  const auto unit = interpret(parts->suffix);
  if (!unit) return invalid(wrong_suffix);
  return QuantityParser(*parts, *unit).run();
}

}  // namespace dray
