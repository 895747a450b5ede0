#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <utility>

namespace dray {

/// A T that is not any other T: a node's name is no pool's name. Made and read explicitly.
/// (Redpanda's named_type, without its conversion back.)
template <class T, class Tag>
class Strong {
 public:
  /// What is wrapped.
  using value_type = T;

  constexpr Strong() = default;
  constexpr explicit Strong(T value) : value_(std::move(value)) {}

  /// The value inside; leaves the type system, so only where an edge or a container needs it.
  [[nodiscard]] constexpr const T& get() const& noexcept { return value_; }
  [[nodiscard]] constexpr T&& get() && noexcept { return std::move(value_); }

  auto operator<=>(const Strong&) const = default;
  bool operator==(const Strong&) const = default;

 private:
  T value_{};
};

}  // namespace dray

template <class T, class Tag>
struct std::hash<dray::Strong<T, Tag>> {
  std::size_t operator()(const dray::Strong<T, Tag>& id) const noexcept {
    return std::hash<T>{}(id.get());
  }
};
