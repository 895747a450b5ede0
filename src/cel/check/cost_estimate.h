#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cel/check/checker.h"
#include "cel/syntax/ast.h"
#include "cel/value/type.h"

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

/// How an expression is reached from a variable: `device`, `attributes`, `@values`, `x`. Upstream
/// appends to Go slices without copying them (checker/cost.go): paths that go on from one share its
/// memory where that has room, and the later one then overwrites the last step of the earlier. The
/// estimates show it (of `m.exists(k, v, ...)`, k has the size of v), so this is such a slice.
class ExprPath {
 public:
  ExprPath() = default;
  explicit ExprPath(std::string_view variable);

  /// Go's append(path, step).
  [[nodiscard]] ExprPath below(std::string_view step) const;
  /// The same on memory of its own.
  [[nodiscard]] ExprPath copied_below(std::string_view step) const;

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::string_view operator[](std::size_t i) const { return (*steps_)[i]; }

 private:
  std::shared_ptr<std::vector<std::string_view>> steps_;  // as long as the memory; shared
  std::size_t size_ = 0;
};

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

/// cel-go's estimate of the worst cost.
[[nodiscard]] std::uint64_t estimate_cost(const Ast& ast, const Checked& checked,
                                          const DeviceTypes& device);

}  // namespace dray::cel
