#pragma once

#include <boost/pfr.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <ranges>
#include <string_view>
#include <type_traits>

#include "dray/base/quantity.h"

namespace dray::planner {

/// A hash of all that values are made of, field by field (Boost.PFR), so that a field that is new
/// is in it, and how much that is. For .cpp files alone: reflection costs compile time. Equal
/// values (`==`) have equal sums.
class FieldsHash {
 public:
  template <class T>
  void add(const T& value) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      add_word(static_cast<std::uint64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      add_word(std::hash<T>{}(value));
    } else if constexpr (std::is_convertible_v<T, std::string_view>) {
      add_word(std::hash<std::string_view>{}(value));
      bytes_ += std::string_view(value).size();
    } else if constexpr (std::is_same_v<T, Quantity>) {
      add_amount(value);
    } else if constexpr (requires { value.has_value(); }) {
      add(value.has_value());
      if (value) add(*value);
    } else if constexpr (std::ranges::sized_range<T>) {
      add(value.size());
      for (const auto& item : value) add(item);
    } else if constexpr (requires { value.values(); }) {  // policy::Amounts
      add(value.values());
    } else if constexpr (requires { value.time_since_epoch(); }) {
      add(value.time_since_epoch().count());
    } else if constexpr (requires { typename T::value_type; }) {  // Strong
      add(value.get());
    } else if constexpr (requires { value.first; }) {
      add(value.first);
      add(value.second);
    } else {
      boost::pfr::for_each_field(value, [this](const auto& field) { this->add(field); });
    }
  }
  [[nodiscard]] std::size_t sum() const { return sum_; }
  /// About as many bytes were added.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void add_word(std::uint64_t word) {
    sum_ = (sum_ ^ word) * 0x9e37'79b9'7f4a'7c15U;
    sum_ ^= sum_ >> 29U;
    bytes_ += sizeof(word);
  }
  /// The exact amount: 1 and 1000m are equal.
  void add_amount(const Quantity& value) {
    if (const auto milli = value.exact_milli()) return add(*milli);
    add(value.to_decimal());
  }

  std::size_t sum_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace dray::planner
