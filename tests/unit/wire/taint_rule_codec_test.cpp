#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::taint_rule_codec_test {
namespace {

TEST_CASE("a rule, all fields") {
  const std::string json =
      R"({"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1","metadata":{"name":"r"},)"
      R"("spec":{"deviceSelector":{"driver":"d","pool":"p","device":"x"},)"
      R"("taint":{"key":"k","value":"v","effect":"NoExecute","timeAdded":"2026-01-02T03:04:05Z"}}})";
  CHECK(rewritten<DeviceTaintRule>(json) == json);
}

TEST_CASE("an empty selector is not the same as none") {
  const std::string head =
      R"({"kind":"DeviceTaintRule","apiVersion":"resource.k8s.io/v1","metadata":{},"spec":{)";
  const std::string tail = R"("taint":{"key":"k","effect":"None"}}})";
  const auto empty = head + R"("deviceSelector":{},)" + tail;
  CHECK(rewritten<DeviceTaintRule>(empty) == empty);
  CHECK(rewritten<DeviceTaintRule>(head + R"("deviceSelector":null,)" + tail) == head + tail);
}
}  // namespace
}  // namespace dray::wire::taint_rule_codec_test
