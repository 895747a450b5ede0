#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::allocation_codec_test {
namespace {

TEST_CASE("an allocation, all fields") {
  const std::string json =
      R"({"devices":{"results":[{"request":"a/s","driver":"d","pool":"p","device":"x",)"
      R"("adminAccess":true,"tolerations":[{"operator":"Exists"}],"bindingConditions":["b"],)"
      R"("bindingFailureConditions":["f"],"shareID":"1-2","consumedCapacity":{"memory":"1Gi"},)"
      R"("skipNodeOperations":["*"]}],"config":[{"source":"FromClass","requests":["a"],)"
      R"("opaque":{"driver":"d","parameters":{}}},{"source":"FromClaim"}]},)"
      R"("nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name",)"
      R"("operator":"In","values":["n"]}]}]},"allocationTimestamp":"2026-01-02T03:04:05Z"})";
  CHECK(rewritten<AllocationResult>(json) == json);
}

TEST_CASE("consumers: pods and pod groups") {
  const std::string pod = R"({"resource":"pods","name":"p","uid":"u"})";
  CHECK(rewritten<ClaimConsumer>(pod) == pod);
  const std::string group =
      R"({"apiGroup":"scheduling.k8s.io","resource":"podgroups","name":"g","uid":"u"})";
  CHECK(rewritten<ClaimConsumer>(group) == group);
}
}  // namespace
}  // namespace dray::wire::allocation_codec_test
