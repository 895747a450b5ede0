#include <catch2/catch.hpp>
#include <string>

#include "wire/policy/policy_shape.h"
#include "written_file.h"

namespace dray::wire::policy_document_test {

TEST_CASE("the document of keys says what their descriptions say") {
  CHECK(written_file("docs/policy-keys.md", policy_document()) == policy_document());
}

TEST_CASE("a key stands with its path, its value and its default") {
  const auto document = policy_document();
  for (const std::string row :
       {"| `consolidation.maxJobs` | a whole number of at least 1 | How many one plan may move. "
        "Default 16. Unit: jobs. | `16` |\n",
        "| `queues[].name` | a text; required | Lower case letters, digits, - and . | `research` "
        "|\n",
        "| `resources.NAME[].amount` | an amount, as 16, 500m or 80Gi | What a whole device counts "
        "for. Default 1. Unit: of the resource, for one device. | `1` |\n",
        "| `fractions.memory` | a text | The capacity that gpu-memory is of. Default memory. | "
        "`memory` |\n",
        "| `shares` | pack or spread | Parts of devices: on nodes and devices that are shared "
        "already, or on unused ones. Default pack. | `pack` |\n"}) {
    CAPTURE(row);
    CHECK(document.find(row) != std::string::npos);
  }
}

}  // namespace dray::wire::policy_document_test
