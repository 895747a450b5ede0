#include <catch2/catch.hpp>

#include "wire/policy/policy_shape.h"
#include "written_file.h"

namespace dray::wire::policy_schema_test {

TEST_CASE("the schema file says what the descriptions of the keys say") {
  CHECK(written_file("config/policy.schema.json", policy_schema()) == policy_schema());
}

TEST_CASE("the schema knows forms, words, required keys and the least whole number") {
  const auto schema = policy_schema();
  for (const auto* const part :
       {R"("minimum": 1)", R"("additionalProperties": false)", R"(|^unlimited$)", R"("lca")",
        R"("anyOf")", R"(^([0-9]+(ms|w|d|h|m|s))+$)",
        R"("$schema": "http://json-schema.org/draft-07/schema#")",
        R"("description": "How many one plan may move. Default 16. Unit: jobs.",
          "default": 16,
          "examples": [
            16
          ])",
        R"("default": [
            "dray.dev/queue",
            "kai.scheduler/queue"
          ])"}) {
    CAPTURE(part);
    CHECK(schema.find(part) != std::string::npos);
  }
}

}  // namespace dray::wire::policy_schema_test
