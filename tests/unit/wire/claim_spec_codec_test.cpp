#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::claim_spec_codec_test {
namespace {

TEST_CASE("a claim spec, all fields") {
  const std::string fields =
      R"("deviceClassName":"gpu","selectors":[{"cel":{"expression":"true"}}],)"
      R"("allocationMode":"ExactCount","count":2,"adminAccess":false,)"
      R"("tolerations":[{"key":"k","operator":"Exists","value":"v","effect":"NoSchedule",)"
      R"("tolerationSeconds":0}],"capacity":{"requests":{"memory":"1Gi"}},)"
      R"("derivedAttributes":[{"name":"a/b","expression":"1"}])";
  const std::string json =
      R"({"devices":{"requests":[{"name":"a","exactly":{)" + fields +
      R"(}},{"name":"b","firstAvailable":[{"name":"s",)" + fields + R"(}]}],)" +
      R"("constraints":[{"requests":["a"],"matchAttribute":"d/x"},{"distinctAttribute":"d/y"}],)" +
      R"("config":[{"requests":["a"],"opaque":{"driver":"d","parameters":{"z":1e3}}},{}]}})";
  CHECK(rewritten<ClaimSpec>(json) == json);
}

TEST_CASE("an empty capacity is not the same as none") {
  const std::string json =
      R"({"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c","capacity":{}}}]}})";
  CHECK(rewritten<ClaimSpec>(json) == json);
}

TEST_CASE("v1beta1 has no exactly") {
  const std::string json =
      R"({"devices":{"requests":[{"name":"a","deviceClassName":"c","count":2},)"
      R"({"name":"b","firstAvailable":[{"name":"s","deviceClassName":"c"}]}]}})";
  CHECK(rewritten<ClaimSpec>(json, "resource.k8s.io/v1beta1") ==
        R"({"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"c","count":2}},)"
        R"({"name":"b","firstAvailable":[{"name":"s","deviceClassName":"c"}]}]}})");
  CHECK(rewritten<ClaimSpec>(json, "resource.k8s.io/v1beta2").find("exactly") == std::string::npos);
}
}  // namespace
}  // namespace dray::wire::claim_spec_codec_test
