#pragma once

#include <string>
#include <vector>

#include "app/repair/repair_plan.h"

namespace dray::app {

/// A finding, and what became of it.
struct RepairResult {
  RepairFinding finding;
  std::string done;  ///< `would be released`, `released`, `not mended: …`
  bool mended = false;
};

/// A line a finding.
[[nodiscard]] std::string repair_table(const std::vector<RepairResult>& results);
/// {"findings":[{"found":…,"namespace":…,"claim":…,"what":…,"done":…,"mended":…}]}
[[nodiscard]] std::string repair_json(const std::vector<RepairResult>& results);

}  // namespace dray::app
