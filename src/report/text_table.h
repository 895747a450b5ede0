#pragma once

#include <string>
#include <vector>

namespace dray::report {

/// Columns two spaces apart, the first to the left, the others to the right.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows);

/// The columns that `right` names to the right, the others to the left.
[[nodiscard]] std::string text_table(const std::vector<std::vector<std::string>>& rows,
                                     const std::vector<bool>& right);

}  // namespace dray::report
