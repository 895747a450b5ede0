#include "kube/api_path.h"

#include <array>
#include <utility>

#include "net/http.h"

namespace dray::kube {
namespace {

using namespace std::string_view_literals;

constexpr std::array resource_versions{"v1"sv, "v1beta2"sv, "v1beta1"sv};
constexpr std::array rule_versions{"v1"sv, "v1beta2"sv, "v1alpha3"sv};
constexpr std::array group_versions{"v1beta1"sv, "v1alpha3"sv};

constexpr std::array kept_kinds{
    Kind::node,           Kind::name_space,        Kind::pod,
    Kind::resource_slice, Kind::resource_claim,    Kind::resource_claim_template,
    Kind::device_class,   Kind::device_taint_rule, Kind::pod_disruption_budget,
    Kind::priority_class, Kind::pod_group,         Kind::coscheduling_group,
    Kind::volcano_group,  Kind::job_set,           Kind::kai_queue,
    Kind::kai_pod_group,  Kind::kai_topology};

std::string group_path(const KindInfo& info, std::string_view version) {
  auto path = info.group.empty() ? std::string("/api/") : "/apis/" + std::string(info.group) + "/";
  path += version;
  return path;
}

}  // namespace

std::span<const Kind> cluster_kinds() {
  return kept_kinds;
}

bool is_always_served(Kind kind) {
  return kind < Kind::device_taint_rule || kind == Kind::pod_disruption_budget ||
         kind == Kind::priority_class;
}

std::span<const std::string_view> served_versions(Kind kind) {
  if (kind == Kind::device_taint_rule) return rule_versions;
  if (kind == Kind::pod_group) return group_versions;
  const auto& info = kind_table[std::to_underlying(kind)];
  if (info.group == "resource.k8s.io") return resource_versions;
  return {&info.version, 1};
}

std::string collection_path(Kind kind, std::string_view version) {
  const auto& info = kind_info(kind);
  return group_path(info, version) + "/" + std::string(info.plural);
}

std::string collection_path(Kind kind, std::string_view version, std::string_view namespace_name) {
  const auto& info = kind_info(kind);
  if (namespace_name.empty()) return collection_path(kind, version);
  return group_path(info, version) + "/namespaces/" + net::percent_encode(namespace_name) + "/" +
         std::string(info.plural);
}

std::string object_path(Kind kind, std::string_view version, std::string_view namespace_name,
                        std::string_view name) {
  return collection_path(kind, version, namespace_name) + "/" + net::percent_encode(name);
}

}  // namespace dray::kube
