#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dray::cases {

/// One line of the rule tables (reclaim, queue order, capacity, strategies, min-runtime, gang
/// picking; told apart by their fields). Empty where dray answers as recorded, else what differs.
/// Throws on a line that is none of them.
[[nodiscard]] std::string run_rules_case(const nlohmann::json& line);

}  // namespace dray::cases
