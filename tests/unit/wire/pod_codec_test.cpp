#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::pod_codec_test {
namespace {

TEST_CASE("a pod, all fields") {
  const std::string json =
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"default"},)"
      R"("spec":{"schedulerName":"s","nodeName":"n","schedulingGates":[{"name":"g"}],"priority":-5,)"
      R"("priorityClassName":"c","preemptionPolicy":"Never","nodeSelector":{"a":"b"},)"
      R"("affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({"nodeSelectorTerms":[{}]}}},"tolerations":[{"key":"k","operator":"Exists",)"
      R"("effect":"NoExecute","tolerationSeconds":300}],)"
      R"("initContainers":[{"name":"i","resources":{},"restartPolicy":"Always"}],)"
      R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"},"limits":{"cpu":"2"},)"
      R"("claims":[{"name":"a"}]},)"
      R"("ports":[{"protocol":"UDP","hostIP":"10.0.0.1","hostPort":80,"containerPort":80}]}],)"
      R"("overhead":{"cpu":"10m"},"resources":{"requests":{"memory":"1Gi"},"limits":{"memory":"2Gi"}},)"
      R"("resourceClaims":[{"name":"a","resourceClaimName":"x"},)"
      R"({"name":"b","resourceClaimTemplateName":"t"}],"schedulingGroup":{"podGroupName":"pg"},)"
      R"("hostNetwork":true,"activeDeadlineSeconds":600},)"
      R"("status":{"phase":"Pending","startTime":"2026-01-02T03:04:05Z",)"
      R"("conditions":[{"type":"PodScheduled","status":"False","reason":"Unschedulable"}],)"
      R"("nominatedNodeName":"n1","resourceClaimStatuses":[{"name":"a","resourceClaimName":"x"},)"
      R"({"name":"b"}],"extendedResourceClaimStatus":{"resourceClaimName":"e"}}})";
  CHECK(rewritten<Pod>(json) == json);
}

TEST_CASE("ports count where they take one of the host") {
  const auto json =
      rewritten<Pod>(R"({"spec":{"containers":[{"name":"c","ports":[{"containerPort":80},)"
                     R"({"containerPort":81,"hostPort":8081}]}]}})");
  CHECK(json.find(R"("ports":[{"protocol":"TCP","hostIP":"0.0.0.0","hostPort":8081,)") !=
        std::string::npos);
  CHECK(json.find("\"containerPort\":80,") == std::string::npos);
}

TEST_CASE("empty names are none") {
  const auto json = rewritten<Pod>(R"({"spec":{"nodeName":""},"status":{"nominatedNodeName":""}})");
  CHECK(json.find("odeName") == std::string::npos);
}
}  // namespace
}  // namespace dray::wire::pod_codec_test
