#include "dray/model/object.h"

#include <optional>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

#include "enumerators.h"

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
  CHECK(kind_info(kind_for<BatchJob>).name == "Job");
  CHECK(kind_info(kind_for<LeaderWorkerSet>).name == "LeaderWorkerSet");
  CHECK(kind_info(kind_for<RayCluster>).name == "RayCluster");
  CHECK(kind_info(kind_for<PyTorchJob>).name == "PyTorchJob");
  CHECK(kind_info(kind_for<TensorFlowJob>).name == "TFJob");
  CHECK(kind_info(kind_for<MpiJob>).name == "MPIJob");
  CHECK(kind_info(kind_for<XgBoostJob>).name == "XGBoostJob");
  CHECK(kind_info(kind_for<PaddleJob>).name == "PaddleJob");
  CHECK(kind_info(kind_for<JaxJob>).name == "JAXJob");
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

TEST_CASE("every kind has its row") {
  REQUIRE(kind_table.size() == model_test::count_enumerators<Kind>());
  for (const auto& info : kind_table) {
    CAPTURE(info.name, info.group);
    CHECK(&kind_info(info.kind) == &info);
    CHECK(info.versions.size() > 0);
    CHECK(find_kind(info.group, info.name) == info.kind);
    CHECK(find_plural(info.group, info.plural) == info.kind);
  }
}

TEST_CASE("a kind is read in these versions, the best first") {
  struct Row {
    Kind kind;
    std::vector<std::string_view> versions;
  };
  const auto row =
      GENERATE(Row{Kind::node, {"v1"}}, Row{Kind::resource_slice, {"v1", "v1beta2", "v1beta1"}},
               Row{Kind::resource_claim, {"v1", "v1beta2", "v1beta1"}},
               Row{Kind::resource_claim_template, {"v1", "v1beta2", "v1beta1"}},
               Row{Kind::device_class, {"v1", "v1beta2", "v1beta1"}},
               Row{Kind::device_taint_rule, {"v1", "v1beta2", "v1alpha3"}},
               Row{Kind::pod_group, {"v1beta1", "v1alpha3"}}, Row{Kind::kai_queue, {"v2"}});
  const auto& versions = kind_info(row.kind).versions;
  CAPTURE(kind_info(row.kind).name);
  CHECK(std::vector<std::string_view>(versions.begin(), versions.end()) == row.versions);
  for (const auto version : row.versions) CHECK(versions.contains(version));
  CHECK_FALSE(versions.contains("v1alpha1"));
  CHECK_FALSE(versions.contains(""));
}

TEST_CASE("what is there wherever dray makes sense is always served, all else is not") {
  const auto always = [](Kind kind) { return kind_info(kind).always_served; };
  for (const auto kind : {Kind::node, Kind::name_space, Kind::pod, Kind::resource_slice,
                          Kind::resource_claim, Kind::resource_claim_template, Kind::device_class,
                          Kind::pod_disruption_budget, Kind::priority_class}) {
    CAPTURE(kind_info(kind).name);
    CHECK(always(kind));
  }
  for (const auto kind : {Kind::device_taint_rule, Kind::lease, Kind::config_map, Kind::pod_group,
                          Kind::coscheduling_group, Kind::volcano_group, Kind::job_set,
                          Kind::kai_queue, Kind::kai_pod_group, Kind::kai_topology}) {
    CAPTURE(kind_info(kind).name);
    CHECK_FALSE(always(kind));
  }
}

TEST_CASE("an object is kept by the cluster state, by the engine's books or by nobody") {
  const auto keeper = [](Kind kind) { return kind_info(kind).kept_by; };
  for (const auto kind :
       {Kind::node, Kind::name_space, Kind::pod, Kind::resource_slice, Kind::resource_claim,
        Kind::resource_claim_template, Kind::device_class, Kind::device_taint_rule}) {
    CAPTURE(kind_info(kind).name);
    CHECK(keeper(kind) == KeptBy::cluster);
  }
  for (const auto kind : {Kind::pod_disruption_budget, Kind::priority_class, Kind::pod_group,
                          Kind::coscheduling_group, Kind::volcano_group, Kind::job_set,
                          Kind::kai_queue, Kind::kai_pod_group, Kind::kai_topology}) {
    CAPTURE(kind_info(kind).name);
    CHECK(keeper(kind) == KeptBy::books);
  }
  CHECK(keeper(Kind::lease) == KeptBy::nobody);
  CHECK(keeper(Kind::config_map) == KeptBy::nobody);
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
