#include "dray/simulate/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "dray/cluster/state.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/jobs/device_kinds.h"
#include "simulate/node_of.h"

namespace dray::simulate {
namespace {

constexpr std::int64_t bytes_of_mib = 1 << 20;

bool comes_with_the_node(const Pod& pod) {
  return pod.node_name && !pod.finished() &&
         std::ranges::any_of(pod.meta.owners, [](const auto& owner) {
           return owner.kind == "DaemonSet" || owner.kind == "Node";
         });
}

/// Gives on what a simulated cluster has of the object.
void keep(const KubeObject& object, const ObjectStream::Visit& visit) {
  if (const auto* pod = std::get_if<Pod>(&object)) {
    if (!comes_with_the_node(*pod)) return;
    // Claims are left out, and a pod whose claims are missing would be looked for in vain.
    auto without_claims = *pod;
    without_claims.resource_claims.clear();
    without_claims.resource_claim_statuses.clear();
    visit(without_claims);
  } else if (std::holds_alternative<Node>(object) ||
             std::holds_alternative<ResourceSlice>(object) ||
             std::holds_alternative<DeviceClass>(object) ||
             std::holds_alternative<DeviceTaintRule>(object)) {
    visit(object);
  }
}

/// Why jobs cannot go there; empty: they can.
std::string barred(const cluster::NodeFacts& node, const GpuKind& gpus) {
  if (node.unschedulable) return "cordoned";
  for (const auto& taint : *node.taints) {
    if (taint.effect != "PreferNoSchedule" && taint.key != gpus.node_resource) {
      return "taint " + taint.key;
    }
  }
  return {};
}

GpuNode flat(const cluster::Snapshot& snapshot, cluster::NodeIndex index, std::int64_t devices) {
  const auto& facts = snapshot.facts(index);
  auto amounts = *facts.allocatable;
  if (const auto& use = snapshot.entry(index).use) amounts.subtract(use->requested);
  const auto* model = facts.label(model_label);
  return {facts.name.get(), amounts.milli_cpu, amounts.memory / bytes_of_mib,
          static_cast<std::int32_t>(devices), model != nullptr ? *model : "gpu"};
}

/// `{} of them left out` with the first few, if there are any.
void warn(const std::vector<std::string>& out, std::vector<std::string>& warnings) {
  if (out.empty()) return;
  warnings.push_back(fmt::format("{} {} left out, the first: {}", out.size(),
                                 out.size() == 1 ? "node is" : "nodes are", out.front()));
}

}  // namespace

Result<Cluster> cluster_of(const ObjectStream& objects, const std::string& gpus,
                           std::vector<std::string>& warnings) {
  const auto kept = objects.with(keep);
  cluster::ClusterState state;
  kept.for_each([&](const KubeObject& object) { state.apply(object); });
  const auto snapshot = state.snapshot();
  if (snapshot->node_count() == 0) return fail(ErrorCode::invalid, "no node in it");
  auto kind = choose_kind(*snapshot, gpus);
  if (!kind) return std::unexpected(std::move(kind.error()));
  Cluster cluster;
  cluster.gpus = std::move(*kind);
  ClassDevices devices(*snapshot, cluster.gpus.device_class);
  std::vector<std::string> left_out;
  std::set<std::string> barred_nodes;
  for (const auto index : snapshot->nodes_by_name()) {
    const auto& facts = snapshot->facts(index);
    const auto count = cluster.gpus.device_class.get().empty()
                           ? facts.allocatable->other(cluster.gpus.node_resource)
                           : static_cast<std::int64_t>(devices.on(index).size());
    auto why = barred(facts, cluster.gpus);
    if (count > static_cast<std::int64_t>(most_gpus)) {
      why = fmt::format("more than {} GPUs", most_gpus);
    }
    if (why.empty()) {
      cluster.nodes.push_back(flat(*snapshot, index, count));
    } else {
      left_out.push_back(fmt::format("{} ({})", facts.name.get(), why));
      barred_nodes.insert(facts.name.get());
    }
  }
  warn(left_out, warnings);
  cluster.objects = barred_nodes.empty()
                        ? kept
                        : kept.with([barred_nodes](const auto& object, const auto& visit) {
                            const auto* node = node_of(object);
                            if (node == nullptr || !barred_nodes.contains(*node)) visit(object);
                          });
  return cluster;
}

}  // namespace dray::simulate
