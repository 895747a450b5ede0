#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "dray/model/object.h"
#include "dray/simulate/pods_run.h"
#include "simulate/pods/job_turns.h"
#include "simulate/pods/of_node.h"
#include "simulate/pods/staged_pods.h"

namespace dray::simulate {
namespace {

/// What Kubernetes makes by itself: claims of templates, and of extended resources.
bool made_for_a_pod(const ResourceClaim& claim) {
  return std::ranges::any_of(claim.meta.owners, [](const auto& owner) {
    return owner.kind == "Pod" || owner.kind == "PodGroup";
  });
}

/// As somebody creates it.
ObjectMeta fresh(ObjectMeta meta) {
  meta.resource_version = ResourceVersion();
  meta.created.reset();
  meta.deleted.reset();
  meta.finalizers.clear();
  std::erase_if(meta.annotations,
                [](const auto& each) { return each.first.starts_with("dray.dev/reservation"); });
  return meta;
}

Pod fresh(const Pod& pod) {
  Pod made = pod;
  made.meta = fresh(pod.meta);
  made.node_name.reset();
  std::erase_if(made.scheduling_gates,
                [](const auto& gate) { return gate == engine::Options().gate; });
  made.phase = "Pending";
  made.conditions.clear();
  made.nominated_node.reset();
  made.resource_claim_statuses.clear();
  made.extended_resource_claim.reset();
  made.node_allocatable_claims.clear();
  return made;
}

/// Of the cluster and not of the workload.
bool of_cluster(const KubeObject& object) {
  switch (kind_of(object)) {
    case Kind::node:
    case Kind::name_space:
    case Kind::resource_slice:
    case Kind::device_class:
    case Kind::device_taint_rule:
    case Kind::lease:
    case Kind::config_map:
    case Kind::priority_class:
    case Kind::kai_queue:
    case Kind::kai_topology:
      return true;
    default:
      return false;
  }
}

/// What is left in the cluster of those who served it.
bool of_the_service(const KubeObject& object) {
  return kind_of(object) == Kind::lease || kind_of(object) == Kind::config_map;
}

std::optional<KubeObject> of_workload(const KubeObject& object) {
  if (of_cluster(object)) return std::nullopt;
  auto copy = object;
  if (auto* claim = std::get_if<ResourceClaim>(&copy)) {
    if (made_for_a_pod(*claim)) return std::nullopt;
    claim->allocation.reset();
    claim->reserved_for.clear();
  }
  std::visit([](auto& one) { one.meta = fresh(one.meta); }, copy);
  return copy;
}

/// By one of these, named as describe() does.
bool is_owned_by(const Pod& pod, const std::set<std::string>& objects) {
  return std::ranges::any_of(pod.meta.owners, [&](const auto& owner) {
    return objects.contains(owner.kind + " " + pod.meta.namespace_name + "/" + owner.name);
  });
}

}  // namespace

bool comes_with_the_node(const Pod& pod) {
  return std::ranges::any_of(pod.meta.owners, [](const auto& owner) {
    return owner.kind == "DaemonSet" || owner.kind == "Node";
  });
}

PodWorkload pods_of(const std::vector<KubeObject>& objects, std::optional<Duration> apart) {
  PodWorkload workload;
  std::optional<Time> first;
  JobTurns turns;
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod == nullptr || comes_with_the_node(*pod)) continue;
    if (const auto created = pod->meta.created)
      first = first ? std::min(*first, *created) : *created;
  }
  for (const auto& object : objects) {
    if (const auto* pod = std::get_if<Pod>(&object)) {
      if (comes_with_the_node(*pod)) continue;
      const auto created = pod->meta.created;
      const bool later = turns.is_later(*pod);
      workload.pods.push_back({.pod = fresh(*pod),
                               .at = created ? *created - *first : Duration(0),
                               .later = later,
                               .staged = !later && StagedPods::is_staged(*pod)});
    } else if (auto needed = of_workload(object)) {
      workload.objects.push_back(std::move(*needed));
    }
  }
  std::ranges::stable_sort(workload.pods, {}, &PodWorkload::Arrival::at);
  if (apart) {
    Duration at{0};
    for (auto& arrival : workload.pods) {
      if (!arrival.later && !arrival.staged) arrival.at = std::exchange(at, at + *apart);
    }
  }
  return workload;
}

std::vector<KubeObject> cluster_without(const std::vector<KubeObject>& objects,
                                        const PodWorkload& workload) {
  std::set<std::string> brought;
  std::set<PodKey> pods;
  for (const auto& object : workload.objects) brought.insert(describe(object));
  for (const auto& arrival : workload.pods) pods.insert(arrival.pod.key());
  for (const auto& object : objects) {
    const auto* pod = std::get_if<Pod>(&object);
    if (pod != nullptr && is_owned_by(*pod, brought)) pods.insert(pod->key());
  }
  std::vector<KubeObject> cluster;
  for (const auto& object : objects) {
    if (of_the_service(object) || brought.contains(describe(object))) continue;
    if (const auto* pod = std::get_if<Pod>(&object); pod != nullptr && pods.contains(pod->key())) {
      continue;
    }
    const auto* claim = std::get_if<ResourceClaim>(&object);
    const bool of_pods =
        claim != nullptr && std::ranges::any_of(claim->meta.owners, [&](const auto& owner) {
          return owner.kind == "Pod" && pods.contains({claim->meta.namespace_name, owner.name});
        });
    if (!of_pods) cluster.push_back(object);
  }
  return cluster;
}

}  // namespace dray::simulate
