#include "dray/simulate/cluster.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "dray/cel/selector_memo.h"
#include "dray/cluster/state.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/node_of.h"

namespace dray::simulate {
namespace {

/// Where nothing is said.
constexpr const char* usual_class = "gpu.nvidia.com";
constexpr const char* usual_resource = "nvidia.com/gpu";
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

/// Counts the devices of one class that nodes have.
class DeviceCounter {
 public:
  DeviceCounter(const cluster::Snapshot& snapshot, const ClassName& name)
      : snapshot_(snapshot), class_(snapshot.compiled_class(name)) {}

  std::int64_t on(cluster::NodeIndex node) {
    std::int64_t count = 0;
    for (const auto index : snapshot_.entry(node).pools) {
      const auto& pool = snapshot_.pool(index);
      const auto newest = pool.generations.empty() ? 0 : pool.generations.back().generation;
      const auto [first, last] = pool.of_node(snapshot_.name(node).get());
      for (auto slot = first; slot != last; ++slot) {
        const auto& slice = *pool.slots[slot].slice;
        if (slice.generation != newest) continue;
        count += std::ranges::count_if(slice.devices,
                                       [this](const auto& device) { return counts(device); });
      }
    }
    return count;
  }

  std::int64_t in_all() {
    std::int64_t count = 0;
    for (const auto node : snapshot_.nodes_by_name()) count += on(node);
    return count;
  }

 private:
  bool counts(const cluster::PublishedDevice& device) {
    if (!class_) return false;
    const bool tainted = std::ranges::any_of(device.traits->taints, [](const auto& taint) {
      return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    });
    return !tainted && std::ranges::all_of(class_->selectors, [&](const auto& selector) {
      return selector.program && memo_.match(selector.program, device.shape) == cel::Verdict::yes;
    });
  }

  const cluster::Snapshot& snapshot_;
  std::shared_ptr<const cluster::CompiledClass> class_;
  cel::SelectorMemo memo_;
};

std::int64_t in_all(const cluster::Snapshot& snapshot, const std::string& resource) {
  std::int64_t count = 0;
  for (const auto node : snapshot.nodes_by_name()) {
    count += snapshot.facts(node).allocatable->other(resource);
  }
  return count;
}

/// Every class with devices and every resource of device plugins: `gpu.nvidia.com (64)`.
std::vector<std::string> gpu_kinds(const cluster::Snapshot& snapshot) {
  std::vector<std::string> kinds;
  for (const auto& each : snapshot.classes()) {
    const auto& name = each->object->meta.name;
    const auto count = DeviceCounter(snapshot, ClassName(name)).in_all();
    if (count > 0) kinds.push_back(fmt::format("{} ({})", name, count));
  }
  std::set<std::string> resources;
  for (const auto node : snapshot.nodes_by_name()) {
    for (const auto& [name, amount] : snapshot.facts(node).allocatable->others) {
      if (name.find('/') != std::string::npos && amount > 0) resources.insert(name);
    }
  }
  for (const auto& name : resources) {
    kinds.push_back(fmt::format("{} ({})", name, in_all(snapshot, name)));
  }
  return kinds;
}

Result<GpuKind> choose_kind(const cluster::Snapshot& snapshot, const std::string& gpus) {
  const auto class_name = ClassName(gpus.empty() ? usual_class : gpus);
  const auto resource = gpus.empty() ? std::string(usual_resource) : gpus;
  if (DeviceCounter(snapshot, class_name).in_all() > 0) {
    const auto& behind = snapshot.device_class(class_name)->extended_resource_name;
    return GpuKind{class_name, behind.empty() ? usual_resource : behind};
  }
  if (in_all(snapshot, resource) > 0) return GpuKind{ClassName(), resource};
  const auto kinds = gpu_kinds(snapshot);
  return fail(
      ErrorCode::invalid,
      fmt::format("no node has {}; {}", gpus.empty() ? "gpu.nvidia.com or nvidia.com/gpu" : gpus,
                  kinds.empty()
                      ? "there are no devices at all"
                      : fmt::format("--gpus takes what there is: {}", fmt::join(kinds, ", "))));
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
  DeviceCounter devices(*snapshot, cluster.gpus.device_class);
  std::vector<std::string> left_out;
  std::set<std::string> barred_nodes;
  for (const auto index : snapshot->nodes_by_name()) {
    const auto& facts = snapshot->facts(index);
    const auto count = cluster.gpus.device_class.get().empty()
                           ? facts.allocatable->other(cluster.gpus.node_resource)
                           : devices.on(index);
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
