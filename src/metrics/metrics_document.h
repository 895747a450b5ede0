#pragma once

#include <string>

namespace dray::metrics {

/// Every metric with its type, unit, labels and meaning: docs/metrics.md.
[[nodiscard]] std::string metrics_document();

}  // namespace dray::metrics
