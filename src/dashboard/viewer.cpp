#include "dashboard/viewer.h"

#include <algorithm>
#include <string_view>

#include "dashboard/picture.h"

namespace dray::dashboard {
namespace {

/// Of `NAMESPACE/NAME`.
std::string_view namespace_of(std::string_view account) {
  return account.substr(0, account.find('/'));
}

}  // namespace

std::string Viewer::queue_name(const policy::QueueName& queue,
                               const policy::QueueTree& tree) const {
  if (everything || queues.contains(queue.get())) return queue.get();
  const auto place = tree.find(queue.get());
  return place ? "(queue " + std::to_string(place->get() + 1) + ")" : "(a queue of before)";
}

std::set<std::string, std::less<>> queues_of(const std::set<std::string, std::less<>>& namespaces,
                                             const Picture& picture) {
  std::set<std::string, std::less<>> known;
  for (const auto& row : picture.jobs) {
    const auto& members = row.job->members;
    const bool sees = std::ranges::any_of(members, [&](const planner::Member& member) {
      return namespaces.contains(member.pod->meta.namespace_name);
    });
    if (sees) known.insert(row.job->queue.get());
  }
  const auto& policy = *picture.engine.policy;
  for (const auto& [name_space, queue] : policy.config.pod_queues.namespaces) {
    if (namespaces.contains(name_space)) known.insert(queue.get());
  }
  const auto sees = [&](std::string_view name) { return namespaces.contains(name); };
  for (const auto& queue : policy.config.queues) {
    if (std::ranges::any_of(queue.namespaces, sees) ||
        std::ranges::any_of(queue.service_accounts, sees, namespace_of)) {
      known.insert(queue.name.get());
    }
  }
  // Upwards from each; a queue that is known already has its own above it.
  for (const auto& name : std::set(known)) {
    auto at = policy.queues.find(name);
    while (at && policy.queues.queues()[at->get()].parent) {
      const auto& parent = *policy.queues.queues()[at->get()].parent;
      if (!known.insert(parent.get()).second) break;
      at = policy.queues.find(parent.get());
    }
  }
  return known;
}

}  // namespace dray::dashboard
