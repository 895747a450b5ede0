#include "base/big_integer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace dray {
namespace {

constexpr std::array<std::uint32_t, 9> powers_of_ten{
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};

}  // namespace

BigInteger::BigInteger(std::int64_t value) : negative_(value < 0) {
  auto magnitude = static_cast<std::uint64_t>(value);
  if (negative_) magnitude = ~magnitude + 1;
  for (; magnitude != 0; magnitude /= limb_base) {
    limbs_.push_back(static_cast<std::uint32_t>(magnitude % limb_base));
  }
}

BigInteger BigInteger::from_digits(std::string_view digits, bool negative) {
  BigInteger result;
  result.limbs_.reserve(digits.size() / limb_digits + 1);
  for (std::size_t end = digits.size(); end > 0;) {
    const auto begin = end > limb_digits ? end - limb_digits : 0;
    std::uint32_t limb = 0;
    std::from_chars(digits.data() + begin, digits.data() + end, limb);
    result.limbs_.push_back(limb);
    end = begin;
  }
  result.negative_ = negative;
  result.trim();
  return result;
}

void BigInteger::trim() {
  while (!limbs_.empty() && limbs_.back() == 0) limbs_.pop_back();
  if (limbs_.empty()) negative_ = false;
}

BigInteger BigInteger::negated() const {
  auto result = *this;
  result.negative_ = !negative_ && !is_zero();
  return result;
}

void BigInteger::add_magnitude(const BigInteger& other) {
  limbs_.resize(std::max(limbs_.size(), other.limbs_.size()) + 1);
  std::uint32_t carry = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t sum = limbs_[i] + (i < other.limbs_.size() ? other.limbs_[i] : 0) + carry;
    carry = sum >= limb_base ? 1 : 0;
    limbs_[i] = sum - carry * limb_base;
  }
  trim();
}

void BigInteger::subtract_magnitude(const BigInteger& smaller) {
  std::uint32_t borrow = 0;
  for (std::size_t i = 0; i < limbs_.size(); ++i) {
    const std::uint32_t taken = (i < smaller.limbs_.size() ? smaller.limbs_[i] : 0) + borrow;
    borrow = limbs_[i] < taken ? 1 : 0;
    limbs_[i] = limbs_[i] + borrow * limb_base - taken;
  }
  trim();
}

BigInteger& BigInteger::operator+=(const BigInteger& other) {
  if (negative_ == other.negative_) {
    add_magnitude(other);
  } else if (compare_magnitude(other) >= 0) {
    subtract_magnitude(other);
  } else {
    auto larger = other;
    larger.subtract_magnitude(*this);
    *this = std::move(larger);
  }
  return *this;
}

BigInteger& BigInteger::operator*=(std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (auto& limb : limbs_) {
    carry += std::uint64_t{limb} * factor;
    limb = static_cast<std::uint32_t>(carry % limb_base);
    carry /= limb_base;
  }
  if (carry != 0) limbs_.push_back(static_cast<std::uint32_t>(carry));
  trim();
  return *this;
}

BigInteger& BigInteger::operator*=(const BigInteger& other) {
  BigInteger product;
  for (auto limb = other.limbs_.rbegin(); limb != other.limbs_.rend(); ++limb) {
    product.scale_up(limb_digits);
    auto part = *this;
    part.negative_ = false;
    product += part *= *limb;
  }
  product.negative_ = !product.is_zero() && negative_ != other.negative_;
  return *this = std::move(product);
}

BigInteger& BigInteger::scale_up(std::uint32_t places) {
  if (is_zero()) return *this;
  *this *= powers_of_ten[places % limb_digits];
  limbs_.insert(limbs_.begin(), places / limb_digits, 0);
  return *this;
}

bool BigInteger::scale_down(std::uint32_t places) {
  const std::size_t whole = std::min<std::size_t>(places / limb_digits, limbs_.size());
  const bool was_negative = negative_;
  const auto cut = limbs_.begin() + static_cast<std::ptrdiff_t>(whole);
  bool exact = std::all_of(limbs_.begin(), cut, [](std::uint32_t limb) { return limb == 0; });
  limbs_.erase(limbs_.begin(), cut);
  if (places % limb_digits != 0) exact &= divide(powers_of_ten[places % limb_digits]) == 0;
  trim();
  if (exact) return true;
  add_magnitude(BigInteger(1));
  negative_ = was_negative;
  return false;
}

std::uint32_t BigInteger::divide(std::uint32_t divisor) {
  std::uint64_t remainder = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    remainder = remainder * limb_base + *limb;
    *limb = static_cast<std::uint32_t>(remainder / divisor);
    remainder %= divisor;
  }
  trim();
  return static_cast<std::uint32_t>(remainder);
}

std::strong_ordering BigInteger::compare_magnitude(const BigInteger& other) const {
  if (const auto order = limbs_.size() <=> other.limbs_.size(); order != 0) return order;
  return std::lexicographical_compare_three_way(limbs_.rbegin(), limbs_.rend(),
                                                other.limbs_.rbegin(), other.limbs_.rend());
}

std::strong_ordering BigInteger::operator<=>(const BigInteger& other) const {
  if (negative_ != other.negative_) {
    return negative_ ? std::strong_ordering::less : std::strong_ordering::greater;
  }
  return negative_ ? other.compare_magnitude(*this) : compare_magnitude(other);
}

std::optional<std::int64_t> BigInteger::to_int64() const {
  __extension__ using Wide = unsigned __int128;
  if (limbs_.size() > 3) return std::nullopt;
  Wide magnitude = 0;
  for (auto limb = limbs_.rbegin(); limb != limbs_.rend(); ++limb) {
    magnitude = magnitude * limb_base + *limb;
  }
  const Wide most = std::numeric_limits<std::int64_t>::max();
  if (magnitude > most + (negative_ ? 1 : 0)) return std::nullopt;
  const auto low = static_cast<std::uint64_t>(magnitude);
  return static_cast<std::int64_t>(negative_ ? ~low + 1 : low);
}

std::string BigInteger::digits() const {
  if (is_zero()) return "0";
  auto text = std::to_string(limbs_.back());
  for (auto limb = limbs_.rbegin() + 1; limb != limbs_.rend(); ++limb) {
    const auto part = std::to_string(*limb);
    text.append(limb_digits - part.size(), '0').append(part);
  }
  return text;
}

}  // namespace dray
