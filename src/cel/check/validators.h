#pragma once

#include "cel/check/checker.h"
#include "cel/syntax/ast.h"

namespace dray::cel {

/// cel-go's validators as Kubernetes uses them: list and map literals of one type, and literal
/// arguments of duration, timestamp, matches and format.
void validate(const Ast& ast, const Checked& checked, SourceErrors& errors);

}  // namespace dray::cel
