#include <fmt/format.h>

#include <utility>

#include "dray/sim/api_server.h"

// POST pods/NAME/eviction (k8s.io/kubernetes pkg/registry/core/pod/storage/eviction.go).

namespace dray::sim {
namespace {

std::unexpected<Error> too_many_requests(std::string_view why) {
  return fail(ErrorCode::denied, fmt::format("429 Too Many Requests: {}", why));
}

}  // namespace

/// Running pods may go only as far as their disruption budget says.
Result<void> ApiServer::spend_budget(const Pod& pod, bool dry_run) {
  if (pod.finished() || pod.phase == "Pending" || pod.meta.deleted) return {};
  Entry* found = nullptr;
  for (auto& [key, entry] : shelf(Kind::pod_disruption_budget).objects) {
    const auto& budget = std::get<PodDisruptionBudget>(*entry.object);
    const bool covers = budget.meta.namespace_name == pod.meta.namespace_name && budget.selector &&
                        budget.selector->matches(pod.meta.labels);
    if (!covers) continue;
    if (found != nullptr) {
      return fail(ErrorCode::unavailable, "this pod has more than one PodDisruptionBudget");
    }
    found = &entry;
  }
  if (found == nullptr) return {};
  auto next = std::get<PodDisruptionBudget>(*found->object);
  if (next.disruptions_allowed <= 0) {
    return too_many_requests("cannot evict pod as it would violate the pod's disruption budget");
  }
  if (dry_run) return {};
  --next.disruptions_allowed;
  commit(WatchEvent::Type::modified, *found, std::move(next));
  return {};
}

Result<void> ApiServer::evict(const PodKey& key, const Uid& uid, bool dry_run, Time now) {
  const auto object = get(Kind::pod, key.namespace_name, key.name);
  if (!object) return std::unexpected(object.error());
  const auto& pod = std::get<Pod>(**object);
  // The budget comes first, whichever pod was meant.
  if (auto spent = spend_budget(pod, dry_run); !spent) return spent;
  if (!uid.get().empty() && uid != pod.meta.uid) {
    return fail(ErrorCode::conflict,
                fmt::format("pods \"{}\": precondition failed: UID in precondition: {}, UID in "
                            "object meta: {}",
                            key.name, uid.get(), pod.meta.uid.get()));
  }
  if (dry_run) return {};
  const auto marked = patch(
      Kind::pod, key.namespace_name, key.name, Endpoint::status,
      [&](KubeObject& live) -> Result<void> {
        set_condition(std::get<Pod>(live).conditions,
                      {.type = "DisruptionTarget",
                       .status = "True",
                       .reason = "EvictionByEvictionAPI",
                       .message = "Eviction API: evicting",
                       .last_transition = {}},
                      now);
        return {};
      },
      now);
  if (!marked) return std::unexpected(marked.error());
  return remove(Kind::pod, key.namespace_name, key.name,
                {.uid = pod.meta.uid, .resource_version = {}, .grace_seconds = {}}, now);
}

}  // namespace dray::sim
