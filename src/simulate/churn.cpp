#include "dray/simulate/churn.h"

#include <array>
#include <utility>

namespace dray::simulate {
namespace {

constexpr std::array names{std::pair{std::string_view("fails"), ChurnKind::fails},
                           std::pair{std::string_view("returns"), ChurnKind::returns},
                           std::pair{std::string_view("cordoned"), ChurnKind::cordoned},
                           std::pair{std::string_view("uncordoned"), ChurnKind::uncordoned},
                           std::pair{std::string_view("changes"), ChurnKind::changes}};

}  // namespace

std::optional<ChurnKind> find_churn(std::string_view name) {
  for (const auto& [known, kind] : names) {
    if (known == name) return kind;
  }
  return std::nullopt;
}

ChurnTargets churn_targets(const Cluster& cluster) {
  ChurnTargets targets{.nodes = {}, .objects = !cluster.objects.empty()};
  for (const auto& node : cluster.nodes) targets.nodes.insert(node.name);
  return targets;
}

ChurnTargets churn_targets(const std::vector<KubeObject>& cluster) {
  ChurnTargets targets{.nodes = {}, .objects = true};
  for (const auto& object : cluster) {
    if (kind_of(object) == Kind::node) targets.nodes.insert(meta_of(object).name);
  }
  return targets;
}

Result<void> check_churn(const std::vector<Churn>& churn, const ChurnTargets& of) {
  for (const auto& one : churn) {
    if (one.kind == ChurnKind::changes) {
      if (!of.objects) {
        return fail(ErrorCode::invalid, "only a cluster of Kubernetes objects has what changes");
      }
      for (const auto& object : one.objects) {
        const auto kind = kind_of(object);
        if (kind != Kind::resource_slice && kind != Kind::device_class &&
            kind != Kind::device_taint_rule) {
          return fail(ErrorCode::invalid,
                      describe(object) +
                          ": ResourceSlices, DeviceClasses and DeviceTaintRules "
                          "may change");
        }
      }
    } else if (!of.nodes.contains(one.node)) {
      return fail(ErrorCode::invalid, "no node " + one.node + " in the cluster");
    }
  }
  return {};
}

}  // namespace dray::simulate
