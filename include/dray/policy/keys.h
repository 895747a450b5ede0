#pragma once

#include <string_view>

namespace dray::policy {

// A section of the policy file is a struct whose static `describe(io, section)` names its keys, one
// `io.key("key", section.member, what it says)` each. That is the one description of a key: the
// codec, the checks of its form and its range, the JSON Schema and the document are made from it.

/// The least value that a number, an amount or a time may have.
struct Range {
  double least = 0;
  bool open = false;  ///< only values above `least`

  /// Whether the value may be; NaN may not.
  [[nodiscard]] constexpr bool holds(double value) const {
    return open ? value > least : value >= least;
  }
};

/// Values of `least` and above.
[[nodiscard]] constexpr Range at_least(double least) {
  return {least, false};
}
/// Values above `least`, without it.
[[nodiscard]] constexpr Range above(double least) {
  return {least, true};
}

/// A word of the file and what it stands for. An enum of the policy has a `words_of(Enum)`.
template <class Enum>
struct Word {
  std::string_view text;
  Enum value;
};

/// A reader of descriptions that takes nothing in: shows what a description may call.
struct IgnoredKeys {
  /// A key whose value goes to a member; absent, the member keeps its value.
  void key(std::string_view, auto&&, std::string_view) {}
  /// The same with a least value.
  void key(std::string_view, auto&&, Range, std::string_view) {}
  /// A key that must be there.
  void required(std::string_view, auto&&, std::string_view) {}
  /// A key that must be there with this one word.
  void constant(std::string_view, std::string_view, std::string_view) {}
};

/// A struct that describes its keys.
template <class T>
concept Section = requires(IgnoredKeys& io, T& section) { T::describe(io, section); };

}  // namespace dray::policy
