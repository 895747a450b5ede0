#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "dray/model/claim.h"
#include "dray/model/config_map.h"
#include "dray/model/device.h"
#include "dray/model/disruption.h"
#include "dray/model/kai.h"
#include "dray/model/lease.h"
#include "dray/model/node.h"
#include "dray/model/pod.h"
#include "dray/model/pod_group.h"
#include "dray/model/provisioning_request.h"
#include "dray/model/workload.h"

namespace dray {

/// Any object that dray keeps. Its alternatives stand in the order of Kind.
using KubeObject =
    std::variant<Node, Namespace, Pod, ResourceSlice, ResourceClaim, ResourceClaimTemplate,
                 DeviceClass, DeviceTaintRule, Lease, ConfigMap, PodDisruptionBudget, PriorityClass,
                 PodGroup, CoschedulingGroup, VolcanoGroup, JobSet, KaiQueue, KaiPodGroup,
                 KaiTopology, BatchJob, LeaderWorkerSet, RayCluster, PyTorchJob, TensorFlowJob,
                 MpiJob, XgBoostJob, PaddleJob, JaxJob, ProvisioningRequest, KubeWorkload>;

/// The kinds of objects that dray knows; what is true of each stands in kind_table. An enumerator
/// numbers an alternative of KubeObject, and means nothing else.
enum class Kind : std::uint8_t {
  node,
  name_space,
  pod,
  resource_slice,
  resource_claim,
  resource_claim_template,
  device_class,
  device_taint_rule,
  lease,
  config_map,
  pod_disruption_budget,
  priority_class,
  pod_group,
  coscheduling_group,
  volcano_group,
  job_set,
  kai_queue,
  kai_pod_group,
  kai_topology,
  batch_job,
  leader_worker_set,
  ray_cluster,
  pytorch_job,
  tensor_flow_job,
  mpi_job,
  xgboost_job,
  paddle_job,
  jax_job,
  provisioning_request,
  workload,
};

/// Who keeps the objects of a kind that the watches bring.
enum class KeptBy : std::uint8_t {
  cluster,  ///< ClusterState: what a Snapshot shows
  books,    ///< the engine's books of jobs, groups, queues and budgets
  nobody,   ///< not watched: dray reads its own one when it needs it
};

/// The versions of its API group in which a kind is read, the best first: that one is written.
class ApiVersions {
 public:
  /// At most three, the best first.
  constexpr ApiVersions(std::initializer_list<std::string_view> versions) {
    for (const auto version : versions) versions_[count_++] = version;
  }
  /// The versions, the best first.
  [[nodiscard]] constexpr auto begin() const { return versions_.begin(); }
  [[nodiscard]] constexpr auto end() const { return versions_.begin() + count_; }
  /// How many there are.
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  /// One of them; `i` below size().
  [[nodiscard]] constexpr std::string_view operator[](std::size_t i) const { return versions_[i]; }
  /// Whether it is one of them.
  [[nodiscard]] constexpr bool contains(std::string_view version) const {
    for (const auto known : *this) {
      if (known == version) return true;
    }
    return false;
  }

 private:
  std::array<std::string_view, 3> versions_;
  std::uint8_t count_ = 0;
};

/// Where a kind lives in the Kubernetes API, and what dray does with it.
struct KindInfo {
  Kind kind;
  std::string_view name;
  std::string_view group;  ///< empty: the core group
  ApiVersions versions;
  std::string_view plural;
  bool namespaced;
  KeptBy kept_by;
  /// Served wherever dray makes sense. DeviceTaintRule is young, groups and queues come with other
  /// projects: without them dray starts all the same.
  bool always_served;
};

namespace detail {
inline constexpr bool yes = true;
inline constexpr bool no = false;
inline constexpr ApiVersions v1{"v1"};
inline constexpr ApiVersions dra_versions{"v1", "v1beta2", "v1beta1"};
inline constexpr ApiVersions taint_rule_versions{"v1", "v1beta2", "v1alpha3"};
inline constexpr ApiVersions pod_group_versions{"v1beta1", "v1alpha3"};

/// In the order of Kind. After the plural: namespaced, kept by, always served.
inline constexpr auto kind_rows = std::to_array<KindInfo>({
    {Kind::node, "Node", "", v1, "nodes", no, KeptBy::cluster, yes},
    {Kind::name_space, "Namespace", "", v1, "namespaces", no, KeptBy::cluster, yes},
    {Kind::pod, "Pod", "", v1, "pods", yes, KeptBy::cluster, yes},
    {Kind::resource_slice, "ResourceSlice", "resource.k8s.io", dra_versions, "resourceslices", no,
     KeptBy::cluster, yes},
    {Kind::resource_claim, "ResourceClaim", "resource.k8s.io", dra_versions, "resourceclaims", yes,
     KeptBy::cluster, yes},
    {Kind::resource_claim_template, "ResourceClaimTemplate", "resource.k8s.io", dra_versions,
     "resourceclaimtemplates", yes, KeptBy::cluster, yes},
    {Kind::device_class, "DeviceClass", "resource.k8s.io", dra_versions, "deviceclasses", no,
     KeptBy::cluster, yes},
    {Kind::device_taint_rule, "DeviceTaintRule", "resource.k8s.io", taint_rule_versions,
     "devicetaintrules", no, KeptBy::cluster, no},
    {Kind::lease, "Lease", "coordination.k8s.io", v1, "leases", yes, KeptBy::nobody, no},
    {Kind::config_map, "ConfigMap", "", v1, "configmaps", yes, KeptBy::nobody, no},
    {Kind::pod_disruption_budget, "PodDisruptionBudget", "policy", v1, "poddisruptionbudgets", yes,
     KeptBy::books, yes},
    {Kind::priority_class, "PriorityClass", "scheduling.k8s.io", v1, "priorityclasses", no,
     KeptBy::books, yes},
    {Kind::pod_group, "PodGroup", "scheduling.k8s.io", pod_group_versions, "podgroups", yes,
     KeptBy::books, no},
    {Kind::coscheduling_group, "PodGroup", "scheduling.x-k8s.io", ApiVersions{"v1alpha1"},
     "podgroups", yes, KeptBy::books, no},
    {Kind::volcano_group, "PodGroup", "scheduling.volcano.sh", ApiVersions{"v1beta1"}, "podgroups",
     yes, KeptBy::books, no},
    {Kind::job_set, "JobSet", "jobset.x-k8s.io", ApiVersions{"v1alpha2"}, "jobsets", yes,
     KeptBy::books, no},
    {Kind::kai_queue, "Queue", "scheduling.run.ai", ApiVersions{"v2"}, "queues", no, KeptBy::books,
     no},
    {Kind::kai_pod_group, "PodGroup", "scheduling.run.ai", ApiVersions{"v2alpha2"}, "podgroups",
     yes, KeptBy::books, no},
    {Kind::kai_topology, "Topology", "kai.scheduler", ApiVersions{"v1alpha1"}, "topologies", no,
     KeptBy::books, no},
    {Kind::batch_job, "Job", "batch", v1, "jobs", yes, KeptBy::books, yes},
    {Kind::leader_worker_set, "LeaderWorkerSet", "leaderworkerset.x-k8s.io", v1, "leaderworkersets",
     yes, KeptBy::books, no},
    {Kind::ray_cluster, "RayCluster", "ray.io", ApiVersions{"v1", "v1alpha1"}, "rayclusters", yes,
     KeptBy::books, no},
    {Kind::pytorch_job, "PyTorchJob", "kubeflow.org", v1, "pytorchjobs", yes, KeptBy::books, no},
    {Kind::tensor_flow_job, "TFJob", "kubeflow.org", v1, "tfjobs", yes, KeptBy::books, no},
    {Kind::mpi_job, "MPIJob", "kubeflow.org", ApiVersions{"v2beta1", "v1"}, "mpijobs", yes,
     KeptBy::books, no},
    {Kind::xgboost_job, "XGBoostJob", "kubeflow.org", v1, "xgboostjobs", yes, KeptBy::books, no},
    {Kind::paddle_job, "PaddleJob", "kubeflow.org", v1, "paddlejobs", yes, KeptBy::books, no},
    {Kind::jax_job, "JAXJob", "kubeflow.org", v1, "jaxjobs", yes, KeptBy::books, no},
    {Kind::provisioning_request, "ProvisioningRequest", "autoscaling.x-k8s.io", v1,
     "provisioningrequests", yes, KeptBy::books, no},
    {Kind::workload, "Workload", "scheduling.k8s.io", pod_group_versions, "workloads", yes,
     KeptBy::books, no},
});
}  // namespace detail

/// Every kind, each once.
inline constexpr std::span<const KindInfo> kind_table = detail::kind_rows;
static_assert(kind_table.size() == std::variant_size_v<KubeObject>);

/// The row of a kind; constant time.
[[nodiscard]] constexpr const KindInfo& kind_info(Kind kind) {
  return kind_table[std::to_underlying(kind)];
}

/// `v1`, `resource.k8s.io/v1`: the version that dray writes.
[[nodiscard]] inline std::string api_version_of(const KindInfo& info) {
  auto text = std::string(info.group);
  if (!text.empty()) text += '/';
  return text += info.versions[0];
}

/// The kind of that name in that API group, if dray knows it.
[[nodiscard]] constexpr std::optional<Kind> find_kind(std::string_view group,
                                                      std::string_view name) {
  for (const auto& info : kind_table) {
    if (info.group == group && info.name == name) return info.kind;
  }
  return std::nullopt;
}

/// The kind served under that resource name (`nodes`), if dray knows it.
[[nodiscard]] constexpr std::optional<Kind> find_plural(std::string_view group,
                                                        std::string_view plural) {
  for (const auto& info : kind_table) {
    if (info.group == group && info.plural == plural) return info.kind;
  }
  return std::nullopt;
}

/// The kind of an object.
[[nodiscard]] constexpr Kind kind_of(const KubeObject& object) {
  return static_cast<Kind>(object.index());
}

namespace detail {
template <class T, class... Ts>
constexpr std::size_t index_in(const std::variant<Ts...>*) {
  std::size_t i = 0;
  (void)((std::is_same_v<T, Ts> || (++i, false)) || ...);
  return i;
}
}  // namespace detail

/// The kind of a model type: `kind_for<Pod>`.
template <class T>
inline constexpr Kind kind_for =
    static_cast<Kind>(detail::index_in<T>(static_cast<const KubeObject*>(nullptr)));

/// The metadata of an object of whatever kind.
[[nodiscard]] inline const ObjectMeta& meta_of(const KubeObject& object) {
  return std::visit([](const auto& o) -> const ObjectMeta& { return o.meta; }, object);
}
/// The same, to change it.
[[nodiscard]] inline ObjectMeta& meta_of(KubeObject& object) {
  return std::visit([](auto& o) -> ObjectMeta& { return o.meta; }, object);
}

/// `Pod default/p0`: how errors and logs name an object.
[[nodiscard]] inline std::string describe(const KubeObject& object) {
  const auto& meta = meta_of(object);
  auto text = std::string(kind_info(kind_of(object)).name) + " ";
  if (!meta.namespace_name.empty()) text += meta.namespace_name + "/";
  return text + meta.name;
}

}  // namespace dray
