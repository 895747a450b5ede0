#include "metrics/metrics_document.h"

#include <algorithm>

#include "metrics/table.h"

namespace dray::metrics {
namespace {

std::string_view type_of(const Metric& row) {
  switch (row.type) {
    case Type::counter:
      return "counter";
    case Type::gauge:
      return "gauge";
    case Type::histogram:
      return "histogram";
  }
  return "";
}

std::string_view unit_of(const Metric& row) {
  if (row.name.contains("_seconds")) return "seconds";
  return std::ranges::find(row.labels, "resource") != row.labels.end() ? "the resource's"
                                                                       : "a number";
}

std::string labels_of(const Metric& row) {
  std::string labels;
  for (std::size_t i = 0; i < row.label_count(); ++i) {
    labels += (i == 0 ? "`" : ", `") + std::string(row.labels[i]) + "`";
  }
  return labels;
}

}  // namespace

std::string metrics_document() {
  std::string out =
      "# Metrics\n\n"
      "What `dray serve` shows at `/metrics` of its admin port (8443), in Prometheus' text format. "
      "Made from\n"
      "src/metrics/table.h; `DRAY_WRITE=1 dray_metrics_test` writes it anew.\n\n"
      "No metric has a label for a pod, a claim, a job, a node or a single device. The series of a "
      "queue, a driver or a\n"
      "kind go when these go. A histogram `X` has the series `X_bucket`, `X_sum` and `X_count`. "
      "Amounts of a resource\n"
      "are in the policy's unit: devices, or what its rules count; cpu in thousandths of a core, "
      "memory in bytes.\n\n"
      "| Metric | Type | Unit | Labels | What it says |\n|---|---|---|---|---|\n";
  for (const auto& row : table) {
    out += "| `" + std::string(row.name) + "` | " + std::string(type_of(row)) + " | " +
           std::string(unit_of(row)) + " | " + labels_of(row) + " | " + std::string(row.help) +
           " |\n";
  }
  return out;
}

}  // namespace dray::metrics
