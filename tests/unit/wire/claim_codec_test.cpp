#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::claim_codec_test {
namespace {

TEST_CASE("a claim, all fields") {
  const std::string json =
      R"({"kind":"ResourceClaim","apiVersion":"resource.k8s.io/v1","metadata":{"name":"c"},)"
      R"("spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"g"}}]}},)"
      R"("status":{"allocation":{"devices":{}},)"
      R"("reservedFor":[{"resource":"pods","name":"p","uid":"u"}],)"
      R"("devices":[{"driver":"d","pool":"p","device":"x","shareID":"s",)"
      R"("conditions":[{"type":"Ready","status":"True"}]}]}})";
  CHECK(rewritten<ResourceClaim>(json) == json);
}

TEST_CASE("a template, all fields") {
  const std::string json =
      R"({"kind":"ResourceClaimTemplate","apiVersion":"resource.k8s.io/v1","metadata":{"name":"t"},)"
      R"("spec":{"metadata":{"labels":{"a":"b"},"annotations":{"c":"d"}},)"
      R"("spec":{"devices":{"requests":[{"name":"a","exactly":{"deviceClassName":"g"}}]}}}})";
  CHECK(rewritten<ResourceClaimTemplate>(json) == json);
}

TEST_CASE("an allocation of null is none") {
  CHECK(rewritten<ResourceClaim>(R"({"status":{"allocation":null}})").find("allocation") ==
        std::string::npos);
}
}  // namespace
}  // namespace dray::wire::claim_codec_test
