#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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

namespace dray {

/// Any object that dray keeps. Its alternatives stand in the order of Kind.
using KubeObject =
    std::variant<Node, Namespace, Pod, ResourceSlice, ResourceClaim, ResourceClaimTemplate,
                 DeviceClass, DeviceTaintRule, Lease, ConfigMap, PodDisruptionBudget, PriorityClass,
                 PodGroup, CoschedulingGroup, VolcanoGroup, JobSet, KaiQueue, KaiPodGroup,
                 KaiTopology>;

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
};

/// Where a kind lives in the Kubernetes API; `version` is the one that dray writes.
struct KindInfo {
  std::string_view name;
  std::string_view group;  ///< empty: the core group
  std::string_view version;
  std::string_view plural;
  bool namespaced = false;
};

inline constexpr std::array<KindInfo, std::variant_size_v<KubeObject>> kind_table{{
    {"Node", "", "v1", "nodes", false},
    {"Namespace", "", "v1", "namespaces", false},
    {"Pod", "", "v1", "pods", true},
    {"ResourceSlice", "resource.k8s.io", "v1", "resourceslices", false},
    {"ResourceClaim", "resource.k8s.io", "v1", "resourceclaims", true},
    {"ResourceClaimTemplate", "resource.k8s.io", "v1", "resourceclaimtemplates", true},
    {"DeviceClass", "resource.k8s.io", "v1", "deviceclasses", false},
    {"DeviceTaintRule", "resource.k8s.io", "v1", "devicetaintrules", false},
    {"Lease", "coordination.k8s.io", "v1", "leases", true},
    {"ConfigMap", "", "v1", "configmaps", true},
    {"PodDisruptionBudget", "policy", "v1", "poddisruptionbudgets", true},
    {"PriorityClass", "scheduling.k8s.io", "v1", "priorityclasses", false},
    {"PodGroup", "scheduling.k8s.io", "v1beta1", "podgroups", true},
    {"PodGroup", "scheduling.x-k8s.io", "v1alpha1", "podgroups", true},
    {"PodGroup", "scheduling.volcano.sh", "v1beta1", "podgroups", true},
    {"JobSet", "jobset.x-k8s.io", "v1alpha2", "jobsets", true},
    {"Queue", "scheduling.run.ai", "v2", "queues", false},
    {"PodGroup", "scheduling.run.ai", "v2alpha2", "podgroups", true},
    {"Topology", "kai.scheduler", "v1alpha1", "topologies", false},
}};

[[nodiscard]] constexpr const KindInfo& kind_info(Kind kind) {
  return kind_table[std::to_underlying(kind)];
}

/// `v1`, `resource.k8s.io/v1`.
[[nodiscard]] inline std::string api_version_of(const KindInfo& info) {
  auto text = std::string(info.group);
  if (!text.empty()) text += '/';
  return text += info.version;
}

/// The kind of that name in that API group, if dray knows it.
[[nodiscard]] constexpr std::optional<Kind> find_kind(std::string_view group,
                                                      std::string_view name) {
  for (std::size_t i = 0; i < kind_table.size(); ++i) {
    if (kind_table[i].group == group && kind_table[i].name == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

/// The kind served under that resource name (`nodes`), if dray knows it.
[[nodiscard]] constexpr std::optional<Kind> find_plural(std::string_view group,
                                                        std::string_view plural) {
  for (std::size_t i = 0; i < kind_table.size(); ++i) {
    if (kind_table[i].group == group && kind_table[i].plural == plural) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

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

[[nodiscard]] inline const ObjectMeta& meta_of(const KubeObject& object) {
  return std::visit([](const auto& o) -> const ObjectMeta& { return o.meta; }, object);
}
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
