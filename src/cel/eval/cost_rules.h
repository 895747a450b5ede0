#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cel/value/runtime.h"

namespace dray::cel {

/// Which rule of Kubernetes' and cel-go's cost trackers a call follows (apiserver library/cost.go,
/// cel-go interpreter/runtimecost.go).
[[nodiscard]] std::uint16_t cost_rule(std::string_view function, std::string_view overload);

/// Whether upstream's tracker panics on arguments of the wrong kind, errors among them: such a call
/// must be run with its cost, since the panic ends the run.
[[nodiscard]] bool cost_may_panic(std::uint16_t rule);

/// What a finished call costs by its rule. Where upstream's tracker panics the run is cancelled.
[[nodiscard]] std::uint64_t call_cost(Context& context, std::uint16_t rule,
                                      std::span<const Value> args, const Value& result);

}  // namespace dray::cel
