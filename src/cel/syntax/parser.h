#pragma once

#include <memory>
#include <string_view>

#include "cel/syntax/ast.h"

namespace dray::cel {

/// Parses `ast.source` into `ast.root`, macros expanded. Errors are reported with cel-go's texts
/// for what its parser itself says (reserved names, bad literals, macro arguments, nesting), and
/// at ANTLR's place for syntax errors. Nesting is bounded as upstream's: 250.
void parse(Ast& ast, SourceErrors& errors);

}  // namespace dray::cel
