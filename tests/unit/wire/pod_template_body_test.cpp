#include "wire/object/pod_template_body.h"

#include <catch2/catch.hpp>

#include <string>

namespace dray::wire::pod_template_body_test {
namespace {

ObjectMeta wanted() {
  ObjectMeta meta;
  meta.namespace_name = "ns";
  meta.name = "t-0";
  meta.owners.push_back({.api_version = "autoscaling.x-k8s.io/v1",
                         .kind = "ProvisioningRequest",
                         .name = "t",
                         .uid = Uid("u-t"),
                         .controller = true});
  return meta;
}

TEST_CASE("a pod's template has all of its specification but what is of this one pod") {
  const auto body = pod_template_body(
      wanted(),
      R"({"metadata":{"name":"p","uid":"u","labels":{"app":"x"},)"
      R"("annotations":{"dray.dev/queue":"q","other":"1"}},)"
      R"("spec":{"nodeName":"n","hostname":"p","schedulingGates":[{"name":"dray.dev/admission"}],)"
      R"("schedulingGroup":{"podGroupName":"g"},"ephemeralContainers":[],)"
      R"("containers":[{"name":"c","image":"i","unknown":{"a":[1]}}],"restartPolicy":"Never"},)"
      R"("status":{"phase":"Pending"}})",
      Uid("u"));
  REQUIRE(body);
  CHECK(*body ==
        R"({"apiVersion":"v1","kind":"PodTemplate","metadata":{"namespace":"ns","name":"t-0",)"
        R"("ownerReferences":[{"apiVersion":"autoscaling.x-k8s.io/v1",)"
        R"("kind":"ProvisioningRequest","name":"t","uid":"u-t","controller":true}]},)"
        R"("template":{"metadata":{"labels":{"app":"x"},"annotations":{"other":"1"}},)"
        R"("spec":{"containers":[{"name":"c","image":"i","unknown":{"a":[1]}}],)"
        R"("restartPolicy":"Never"}}})");
}

TEST_CASE("another pod's specification is not taken, nor what is none") {
  const auto other =
      pod_template_body(wanted(), R"({"metadata":{"name":"p","uid":"v"},"spec":{}})", Uid("u"));
  REQUIRE_FALSE(other);
  CHECK(other.error().code == ErrorCode::conflict);
  CHECK(other.error().message == "pod p is another one now");
  for (const std::string text : {"{", "[]", "{}", R"({"metadata":{"uid":"u"}})",
                                 R"({"metadata":1,"spec":{}})", R"({"metadata":{},"spec":1})"}) {
    const auto none = pod_template_body(wanted(), text, Uid("u"));
    REQUIRE_FALSE(none);
    CHECK(none.error().code == ErrorCode::unavailable);
  }
}

}  // namespace
}  // namespace dray::wire::pod_template_body_test
