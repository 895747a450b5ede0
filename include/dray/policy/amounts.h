#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <span>

#include "dray/base/check.h"

namespace dray::policy {

/// No bound: of a limit, a quota, and of what is computed from them.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

/// How many resources a policy may count; more are refused when the policy is read.
inline constexpr std::size_t max_resources = 16;

/// One amount for each counted resource, in the order of the ResourceTable and in its units
/// (millicores, bytes, devices). Doubles, because KAI's published formulas are; whole numbers up to
/// 2^53 and binary fractions add up exactly.
class Amounts {
 public:
  Amounts() = default;
  /// So many resources, each with `value`; at most max_resources.
  explicit Amounts(std::size_t size, double value = 0) : size_(size) {
    DRAY_CHECK(size <= max_resources);
    std::fill_n(values_.begin(), size_, value);
  }

  /// How many resources.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The amount of a resource; `i` below size().
  [[nodiscard]] double operator[](std::size_t i) const { return values_[i]; }
  /// The same, to change it.
  [[nodiscard]] double& operator[](std::size_t i) { return values_[i]; }
  /// All amounts in the order of the resources.
  [[nodiscard]] std::span<const double> values() const { return std::span(values_).first(size_); }

  Amounts& operator+=(const Amounts& other) {
    DRAY_CHECK(size_ == other.size_);
    for (std::size_t i = 0; i < size_; ++i) values_[i] += other.values_[i];
    return *this;
  }
  Amounts& operator-=(const Amounts& other) {
    DRAY_CHECK(size_ == other.size_);
    for (std::size_t i = 0; i < size_; ++i) values_[i] -= other.values_[i];
    return *this;
  }
  /// Sums resource by resource; both have as many.
  [[nodiscard]] friend Amounts operator+(Amounts a, const Amounts& b) { return a += b; }
  /// Differences resource by resource; may be below 0.
  [[nodiscard]] friend Amounts operator-(Amounts a, const Amounts& b) { return a -= b; }

  [[nodiscard]] bool operator==(const Amounts& other) const {
    return std::ranges::equal(values(), other.values());
  }

  /// Whether no amount is above its bound in `bounds`.
  [[nodiscard]] bool within(const Amounts& bounds) const {
    DRAY_CHECK(size_ == bounds.size_);
    for (std::size_t i = 0; i < size_; ++i) {
      if (values_[i] > bounds.values_[i]) return false;
    }
    return true;
  }

 private:
  std::array<double, max_resources> values_{};
  std::size_t size_ = 0;
};

}  // namespace dray::policy
