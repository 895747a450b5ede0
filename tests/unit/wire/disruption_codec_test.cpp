#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::disruption_codec_test {
namespace {

TEST_CASE("a PodDisruptionBudget, a PriorityClass, a ConfigMap") {
  const std::string budget =
      R"({"kind":"PodDisruptionBudget","apiVersion":"policy/v1","metadata":{"name":"b"},"spec":{)"
      R"("selector":{"matchLabels":{"app":"x"},"matchExpressions":[)"
      R"({"key":"tier","operator":"In","values":["a","b"]}]}},"status":{"disruptionsAllowed":2}})";
  CHECK(rewritten<PodDisruptionBudget>(budget) == budget);
  const std::string priority_class =
      R"({"kind":"PriorityClass","apiVersion":"scheduling.k8s.io/v1","metadata":{"name":"high"},)"
      R"("value":1000,"globalDefault":true})";
  CHECK(rewritten<PriorityClass>(priority_class) == priority_class);
  const std::string map =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m"},"data":{"a":"1"}})";
  CHECK(rewritten<ConfigMap>(map) == map);
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
