#pragma once

#include <string>

#include "cel/eval/plan.h"

namespace dray::cel {

/// Gives a call what it runs, as cel-go's planner chooses it: one overload, or all to try.
void bind_call(Plan& plan, Call& call);

/// Compiles the constant pattern of a call of a regular expression. False and Go's words if it is
/// wrong.
[[nodiscard]] bool bind_regex(Plan& plan, Call& call, std::string& error);

}  // namespace dray::cel
