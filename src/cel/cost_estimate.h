#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/ast.h"
#include "cel/checker.h"
#include "cel/type.h"

namespace dray::cel {

/// The least and the most of a size or a cost (cel-go's SizeEstimate and CostEstimate). Nothing
/// overflows: it stops at the largest number.
struct Range {
  std::uint64_t least = 0;
  std::uint64_t most = 0;

  [[nodiscard]] Range plus(Range other) const;
  [[nodiscard]] Range times(Range other) const;
  [[nodiscard]] Range times(double factor) const;
  [[nodiscard]] Range united(Range other) const;
};

[[nodiscard]] constexpr Range fixed(std::uint64_t size) {
  return {size, size};
}
inline constexpr Range unknown_range{0, std::numeric_limits<std::uint64_t>::max()};

/// How an expression is reached from a variable: `device`, `attributes`, `@values`, `x`.
using ExprPath = std::vector<std::string_view>;

/// The size that the declaration of `device` gives for a path.
[[nodiscard]] std::optional<Range> declared_size(const DeviceTypes& device, const ExprPath& path);

/// An argument as the estimator sees it.
struct CostNode {
  const Expr* expr = nullptr;
  const Type* type = nullptr;
  ExprPath path{};
  std::optional<Range> size{};
};

struct CallCosts {
  std::string_view function;
  std::string_view overload;
  const DeviceTypes* device = nullptr;
  std::optional<CostNode> target;
  std::vector<CostNode> args;
  Range arg_cost;
};

struct CallEstimate {
  Range cost;
  std::optional<Range> result;
};

/// What a call costs, its arguments (not its target) included: cel-go's list and set extensions
/// first, then Kubernetes' table (apiserver library/cost.go), then cel-go's own.
[[nodiscard]] CallEstimate estimate_call(const CallCosts& call);

}  // namespace dray::cel
