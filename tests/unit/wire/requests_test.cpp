#include "wire/requests.h"

#include <chrono>
#include <string>

#include <catch2/catch.hpp>

namespace dray::wire::requests_test {
namespace {

const PodKey pod{"default", "p0"};
const Uid uid("u0");

TEST_CASE("a lift takes one gate off and sets annotations at once") {
  CHECK(lift_patch({pod, uid, {{"dray.dev/reservation", "n0"}}}, "dray.dev/admission") ==
        R"({"metadata":{"uid":"u0","annotations":{"dray.dev/reservation":"n0"}},)"
        R"("spec":{"schedulingGates":[{"$patch":"delete","name":"dray.dev/admission"}]}})");
}

TEST_CASE("annotations alone") {
  CHECK(annotation_patch({pod, uid, {{"a", "b"}}}) ==
        R"({"metadata":{"uid":"u0","annotations":{"a":"b"}}})");
}

TEST_CASE("a node is nominated, or none") {
  CHECK(nominate_patch({pod, uid, NodeName("n0")}) ==
        R"({"metadata":{"uid":"u0"},"status":{"nominatedNodeName":"n0"}})");
  CHECK(nominate_patch({pod, uid, {}}) ==
        R"({"metadata":{"uid":"u0"},"status":{"nominatedNodeName":null}})");
}

TEST_CASE("one condition") {
  CHECK(condition_patch({pod, uid, {"DrayAdmitted", "False", "NoDevices", "text", {}}}) ==
        R"({"metadata":{"uid":"u0"},"status":{"conditions":[{"type":"DrayAdmitted",)"
        R"("status":"False","reason":"NoDevices","message":"text"}]}})");
}

TEST_CASE("a binding") {
  CHECK(binding_body({pod, uid, NodeName("n0")}) ==
        R"({"kind":"Binding","apiVersion":"v1","metadata":{"name":"p0","namespace":"default",)"
        R"("uid":"u0"},"target":{"kind":"Node","apiVersion":"v1","name":"n0"}})");
}

TEST_CASE("an eviction, tried or meant") {
  const std::string head =
      R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"p0","namespace":"default"},)"
      R"("deleteOptions":{"preconditions":{"uid":"u0"})";
  CHECK(eviction_body({pod, uid, false}) == head + "}}");
  CHECK(eviction_body({pod, uid, true}) == head + R"(,"dryRun":["All"]}})");
}

TEST_CASE("the claim for extended resources, with what serves what") {
  CHECK(extended_claim_patch({pod, uid, "p0-x", {{"main", "nvidia.com/gpu", "container-0"}}}) ==
        R"({"metadata":{"uid":"u0"},"status":{"extendedResourceClaimStatus":{)"
        R"("resourceClaimName":"p0-x","requestMappings":[{"containerName":"main",)"
        R"("resourceName":"nvidia.com/gpu","requestName":"container-0"}]}}})");
}

TEST_CASE("what devices take of the node is written as one list, and cleared by an empty one") {
  const std::string head = R"({"metadata":{"uid":"u0"},"status":{)"
                           R"("nodeAllocatableResourceClaimStatuses":)";
  CHECK(node_allocatable_patch({pod, uid, {}}) == head + "[]}}");
  CHECK(node_allocatable_patch({pod, uid, {{"c0", {"main"}, {{"cpu", Quantity(15)}}, {}}}}) ==
        head + R"([{"resourceClaimName":"c0","containers":["main"],)"
               R"("mapping":[{"name":"cpu","quantity":"15"}]}]}})");
}

TEST_CASE("a deletion of just this object") {
  CHECK(delete_body({ClaimKey{"default", "c0"}, uid, ResourceVersion("7")}) ==
        R"({"kind":"DeleteOptions","apiVersion":"v1",)"
        R"("preconditions":{"uid":"u0","resourceVersion":"7"}})");
}

TEST_CASE("an event") {
  const Time now(std::chrono::microseconds(0x1234567));
  CHECK(
      event_body({pod, uid, {"Normal", "DrayBound", "Bind", "on n0"}},
                 {"dray", "dray-0", "", now}) ==
      R"({"kind":"Event","apiVersion":"events.k8s.io/v1","metadata":{"name":"p0.1234567",)"
      R"("namespace":"default"},"eventTime":"1970-01-01T00:00:19.088743Z",)"
      R"("reportingController":"dray","reportingInstance":"dray-0","type":"Normal",)"
      R"("reason":"DrayBound","action":"Bind","note":"on n0",)"
      R"("regarding":{"kind":"Pod","apiVersion":"v1","name":"p0","namespace":"default","uid":"u0"}})");
}

TEST_CASE("an event tells the trace of its decision") {
  CHECK(event_body({pod, uid, {}}, {.controller = "", .instance = "", .trace = "0af7", .now = {}})
            .contains(R"("annotations":{"dray.dev/trace-id":"0af7"})"));
}

}  // namespace
}  // namespace dray::wire::requests_test
