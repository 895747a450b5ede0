#include "metrics/metrics_document.h"

#include <catch2/catch.hpp>

#include "tests/unit/wire/written_file.h"

namespace dray::metrics::metrics_document_test {

TEST_CASE("docs/metrics.md says what the table says") {
  CHECK(wire::written_file("docs/metrics.md", metrics_document()) == metrics_document());
}

TEST_CASE("a metric stands with its type, unit and labels") {
  const auto document = metrics_document();
  for (const std::string row :
       {"| `dray_nodes` | gauge | a number |  | Nodes known. |\n",
        "| `dray_queue_fair_share` | gauge | the resource's | `queue`, `resource` | What the queue "
        "may hold now, by resource. |\n",
        "| `dray_api_write_duration_seconds` | histogram | seconds | `kind` | Requests to the API "
        "server by kind. |\n",
        "| `dray_plans_total` | counter | a number |  | Plans asked for. |\n"}) {
    CAPTURE(row);
    CHECK(document.find(row) != std::string::npos);
  }
}

}  // namespace dray::metrics::metrics_document_test
