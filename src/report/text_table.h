#pragma once

#include <string>
#include <vector>

namespace dray::report {

/// Columns two spaces apart, the first to the left, the others to the right.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace dray::report
