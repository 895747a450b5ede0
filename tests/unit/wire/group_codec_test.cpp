#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/wire/rewritten.h"

namespace dray::wire::group_codec_test {
namespace {

TEST_CASE("a PodGroup of Kubernetes, all fields that dray reads") {
  const std::string json =
      R"({"kind":"PodGroup","apiVersion":"scheduling.k8s.io/v1beta1",)"
      R"("metadata":{"name":"g","namespace":"a"},"spec":{)"
      R"("schedulingPolicy":{"gang":{"minCount":4}},)"
      R"("schedulingConstraints":{"topology":[{"key":"example.com/rack"}]},)"
      R"("resourceClaims":[{"name":"dev","resourceClaimTemplateName":"t"}],)"
      R"("priorityClassName":"high","priority":1000},)"
      R"("status":{"resourceClaimStatuses":[{"name":"dev","resourceClaimName":"g-dev-x"}]}})";
  CHECK(rewritten<PodGroup>(json) == json);
}

TEST_CASE("a PodGroup that is no gang has the basic policy") {
  const std::string json =
      R"({"kind":"PodGroup","apiVersion":"scheduling.k8s.io/v1beta1","metadata":{"name":"g"},)"
      R"("spec":{"schedulingPolicy":{"basic":{}}}})";
  CHECK(rewritten<PodGroup>(json) == json);
}

TEST_CASE("a Workload: whose pods it speaks of, and how they start") {
  const std::string gang =
      R"({"kind":"Workload","apiVersion":"scheduling.k8s.io/v1beta1",)"
      R"("metadata":{"name":"w","namespace":"a"},"spec":{)"
      R"("controllerRef":{"apiGroup":"batch","kind":"Job","name":"train"},"podGroupTemplates":[)"
      R"({"name":"workers","schedulingPolicy":{"gang":{"minCount":3}},)"
      R"("schedulingConstraints":{"topology":[{"key":"rack"}]}},)"
      R"({"name":"others","schedulingPolicy":{"basic":{}}}]}})";
  CHECK(rewritten<KubeWorkload>(gang) == gang);
  const std::string nobodys =
      R"({"kind":"Workload","apiVersion":"scheduling.k8s.io/v1beta1","metadata":{"name":"w"},)"
      R"("spec":{"podGroupTemplates":[{"name":"a","schedulingPolicy":{"basic":{}}}]}})";
  CHECK(rewritten<KubeWorkload>(nobodys) == nobodys);
}

TEST_CASE("a JobSet") {
  const std::string json =
      R"({"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1alpha2","metadata":{"name":"s"},)"
      R"("spec":{"replicatedJobs":[{"name":"workers","replicas":2,)"
      R"("template":{"spec":{"parallelism":4,"completions":4}}}],)"
      R"("startupPolicy":{"startupPolicyOrder":"InOrder"}}})";
  CHECK(rewritten<JobSet>(json) == json);
}

TEST_CASE("a JobSet whose kinds wait for each other, and how far they are") {
  const std::string json =
      R"({"kind":"JobSet","apiVersion":"jobset.x-k8s.io/v1alpha2","metadata":{"name":"s"},)"
      R"("spec":{"replicatedJobs":[{"name":"data","replicas":1,"template":{"spec":{}}},)"
      R"({"name":"node","replicas":2,"dependsOn":[{"name":"data","status":"Complete"}],)"
      R"("template":{"metadata":{"annotations":{"a":"b"}},"spec":{"parallelism":4}}}]},)"
      R"("status":{"replicatedJobsStatus":[{"name":"data","succeeded":1,"failed":0}]}})";
  CHECK(rewritten<JobSet>(json) == json);
}

}  // namespace
}  // namespace dray::wire::group_codec_test
