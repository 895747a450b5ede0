#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dray/base/error.h"

namespace dray::cel {

/// A semantic version as github.com/blang/semver v4 reads and orders it: build metadata is kept but
/// does not count in comparisons.
struct Semver {
  /// One dot-separated part of a pre-release: a number or a word.
  using Identifier = std::variant<std::uint64_t, std::string>;

  std::uint64_t major = 0;
  std::uint64_t minor = 0;
  std::uint64_t patch = 0;
  std::vector<Identifier> prerelease;
  std::vector<std::string> build;

  /// Strict semver 2.0.0; error texts are blang's (`No Major.Minor.Patch elements found`).
  [[nodiscard]] static Result<Semver> parse(std::string_view text);
  /// Kubernetes' normalising form (CEL `semver(x, true)`): drops one leading v, pads to three
  /// numbers, strips leading zeros.
  [[nodiscard]] static Result<Semver> parse_tolerant(std::string_view text);

  /// As semver 2.0 writes it: 1.2.3-alpha.1+build.
  [[nodiscard]] std::string to_string() const;
  /// Precedence of semver 2.0; build metadata does not count.
  [[nodiscard]] std::strong_ordering operator<=>(const Semver& other) const;
  [[nodiscard]] bool operator==(const Semver& other) const { return (*this <=> other) == 0; }
};

}  // namespace dray::cel
