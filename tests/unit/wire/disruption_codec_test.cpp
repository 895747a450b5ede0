#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::disruption_codec_test {
namespace {

TEST_CASE("a PodDisruptionBudget, all fields that dray reads") {
  const std::string budget =
      R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"b"},"spec":{)"
      R"("selector":{"matchLabels":{"app":"x"},"matchExpressions":[)"
      R"({"key":"tier","operator":"In","values":["a","b"]}]}},"status":{"disruptionsAllowed":2}})";
  CHECK(rewritten<PodDisruptionBudget>(budget) == budget);
}

TEST_CASE("a budget without a selector is not one that selects everything") {
  const std::string head =
      R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{},"spec":{)";
  const std::string tail = R"(},"status":{"disruptionsAllowed":0}})";
  CHECK(rewritten<PodDisruptionBudget>(head + tail) == head + tail);
  CHECK(rewritten<PodDisruptionBudget>(head + R"("selector":{})" + tail) ==
        head + R"("selector":{})" + tail);
}

}  // namespace
}  // namespace dray::wire::disruption_codec_test
