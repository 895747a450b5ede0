#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::device_codec_test {
namespace {

TEST_CASE("a device, all fields") {
  const std::string json =
      R"({"name":"gpu-0","attributes":{"a":{"int":-5},"b":{"bool":false},"c":{"string":""},)"
      R"("d":{"version":"1.0.0"},"e":{"ints":[1,2]},"f":{"bools":[true,false]},)"
      R"("g":{"strings":["x"]},"h":{"versions":["1.2.3"]},"i":{}},)"
      R"("capacity":{"memory":{"value":"80Gi","requestPolicy":{"default":"1Gi",)"
      R"("validValues":["1Gi","2Gi"],"validRange":{"min":"1Gi","max":"8Gi","step":"1Gi"}}}},)"
      R"("consumesCounters":[{"counterSet":"c","counters":{"m":{"value":"-1"}},)"
      R"("compatibilityGroups":["g"]}],"nodeName":"n","nodeSelector":{"nodeSelectorTerms":[{}]},)"
      R"("allNodes":true,"taints":[{"key":"k","effect":"NoSchedule"}],"bindsToNode":true,)"
      R"("bindingConditions":["b"],"bindingFailureConditions":["f"],)"
      R"("allowMultipleAllocations":true,"nodeAllocatableResources":{"cpu":{"mapping":)"
      R"({"capacityKey":"c","capacityMultiplier":"2","deviceMultiplier":"1"},)"
      R"("overhead":{"perPod":"1","perContainer":"100m"}}}})";
  CHECK(rewritten<Device>(json) == json);
}

TEST_CASE("v1beta1 wraps a device in basic") {
  const std::string json = R"({"name":"a","basic":{"attributes":{"x":{"int":1}},"allNodes":true}})";
  CHECK(rewritten<Device>(json, "resource.k8s.io/v1beta1") ==
        R"({"name":"a","attributes":{"x":{"int":1}},"allNodes":true})");
  CHECK(rewritten<Device>(json, "resource.k8s.io/v1") == R"({"name":"a"})");
}

TEST_CASE("of several values the one that upstream prefers counts") {
  struct Row {
    std::string json;
    std::string want;
  };
  const auto row =
      GENERATE(Row{R"({"string":"a","int":1})", R"({"int":1})"},
               Row{R"({"int":1,"string":"a"})", R"({"int":1})"},
               Row{R"({"version":"1.0.0","strings":[]})", R"({"strings":[]})"},
               Row{R"({"string":null,"version":"1.0.0"})", R"({"version":"1.0.0"})"},
               Row{R"({"quantity":"1"})", "{}"},
               Row{R"({"int":"1"})", "int: expected an integer, not a string"},
               Row{R"({"int":9223372036854775808})", "int: expected an integer within its range"});
  DYNAMIC_SECTION(row.json) {
    CHECK(rewritten<AttributeValue>(row.json) == row.want);
  }
}
}  // namespace
}  // namespace dray::wire::device_codec_test
