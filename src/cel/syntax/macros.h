#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cel/syntax/ast.h"

namespace dray::cel {

/// What became of a call that may be a macro.
struct Expansion {
  bool matched = false;  ///< it was a macro's: `expr` or an error replaces the call
  Expr* expr = nullptr;  ///< the expansion
  ExprId error_at = 0;   ///< where the error is
  std::string error;     ///< not empty: the macro's arguments are wrong
};

/// Expands the macros of Kubernetes' environment (has, all, exists, map, filter, sortBy, optMap,
/// cel.bind, the two-variable ones ...) as cel-go does, ids included. `call_id` is the call's.
[[nodiscard]] Expansion expand_macro(AstBuilder& builder, ExprId call_id, std::string_view function,
                                     Expr* target, std::span<Expr* const> args);

}  // namespace dray::cel
