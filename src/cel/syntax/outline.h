#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace dray::cel {

/// A sub-expression as it stands in the text, and what is within it.
struct Outline {
  enum class Kind : std::uint8_t {
    other,
    literal,
    logical_and,
    logical_or,
    logical_not,
    conditional,
  };
  Kind kind = Kind::other;
  std::string_view text;  ///< of the expression that was given, without brackets around it
  std::vector<Outline> parts;
};

/// The sub-expressions of an expression that compiles. What a macro does with each element is no
/// part of its own, since it has no value outside; nor are the steps of `device.a["b"].c`. A chain
/// of && or || is one with many parts.
[[nodiscard]] Outline outline(std::string_view expression);

}  // namespace dray::cel
