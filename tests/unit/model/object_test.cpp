#include "dray/model/object.h"

#include <optional>

#include <catch2/catch.hpp>

namespace dray::object_test {
namespace {

TEST_CASE("the kind table stands in the order of the variant") {
  CHECK(kind_info(kind_for<Node>).name == "Node");
  CHECK(kind_info(kind_for<Namespace>).name == "Namespace");
  CHECK(kind_info(kind_for<Pod>).name == "Pod");
  CHECK(kind_info(kind_for<ResourceSlice>).name == "ResourceSlice");
  CHECK(kind_info(kind_for<ResourceClaim>).name == "ResourceClaim");
  CHECK(kind_info(kind_for<ResourceClaimTemplate>).name == "ResourceClaimTemplate");
  CHECK(kind_info(kind_for<DeviceClass>).name == "DeviceClass");
  CHECK(kind_info(kind_for<DeviceTaintRule>).name == "DeviceTaintRule");
  CHECK(kind_info(kind_for<Lease>).name == "Lease");
  CHECK(kind_info(kind_for<ConfigMap>).name == "ConfigMap");
  CHECK(kind_info(kind_for<PodDisruptionBudget>).name == "PodDisruptionBudget");
  CHECK(kind_info(kind_for<PriorityClass>).name == "PriorityClass");
  CHECK(kind_info(kind_for<PodGroup>).group == "scheduling.k8s.io");
  CHECK(kind_info(kind_for<CoschedulingGroup>).group == "scheduling.x-k8s.io");
  CHECK(kind_info(kind_for<VolcanoGroup>).group == "scheduling.volcano.sh");
  CHECK(kind_info(kind_for<JobSet>).name == "JobSet");
  CHECK(kind_info(kind_for<KaiQueue>).name == "Queue");
  CHECK(kind_info(kind_for<KaiPodGroup>).group == "scheduling.run.ai");
  CHECK(kind_info(kind_for<KaiTopology>).name == "Topology");
}

TEST_CASE("kinds are found by group and name or plural") {
  CHECK(find_kind("resource.k8s.io", "ResourceSlice") == Kind::resource_slice);
  CHECK(find_kind("", "ResourceSlice") == std::nullopt);
  CHECK(find_plural("", "pods") == Kind::pod);
  CHECK(find_plural("apps", "pods") == std::nullopt);
  CHECK(find_kind("scheduling.run.ai", "PodGroup") == Kind::kai_pod_group);
  CHECK(find_kind("scheduling.k8s.io", "PodGroup") == Kind::pod_group);
  CHECK(api_version_of(kind_info(Kind::pod_group)) == "scheduling.k8s.io/v1beta1");
  CHECK(api_version_of(kind_info(Kind::pod)) == "v1");
  CHECK(api_version_of(kind_info(Kind::lease)) == "coordination.k8s.io/v1");
}

TEST_CASE("objects are described by kind and key") {
  Pod pod;
  pod.meta.namespace_name = "default";
  pod.meta.name = "p0";
  CHECK(describe(pod) == "Pod default/p0");
  Node node;
  node.meta.name = "n0";
  KubeObject object = node;
  CHECK(describe(object) == "Node n0");
  CHECK(kind_of(object) == Kind::node);
}

}  // namespace
}  // namespace dray::object_test
