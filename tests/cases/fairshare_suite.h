#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dray::cases {

/// One line of the fair-share tables: a tree of queues, or flat queues and one resource. Empty
/// where dray divides as recorded, else what differs. Throws on a line that is not such a case.
[[nodiscard]] std::string run_fairshare_case(const nlohmann::json& line);

}  // namespace dray::cases
