#include "engine/books/queue_users.h"

#include <algorithm>
#include <utility>

namespace dray::engine {

QueueUsers::QueueUsers(const policy::PolicyConfig& config) {
  std::map<std::string, const policy::QueueConfig*, std::less<>> queues;
  for (const auto& queue : config.queues) queues.emplace(queue.name.get(), &queue);
  for (const auto& queue : config.queues) {
    const auto* at = &queue;
    // A cycle is an error of the policy, and ends here all the same.
    for (std::size_t steps = 0; at != nullptr && steps < queues.size(); ++steps) {
      if (!at->namespaces.empty() || !at->service_accounts.empty()) {
        rules_.emplace(queue.name.get(), Rule{at->namespaces, at->service_accounts});
        break;
      }
      const auto above = at->parent ? queues.find(at->parent->get()) : queues.end();
      at = above == queues.end() ? nullptr : above->second;
    }
  }
}

bool QueueUsers::allows(std::string_view queue, const Pod& pod) const {
  const auto rule = rules_.find(queue);
  if (rule == rules_.end()) return true;
  const auto has = [](const std::vector<std::string>& list, const std::string& value) {
    return std::ranges::find(list, value) != list.end();
  };
  const auto& space = pod.meta.namespace_name;
  const auto account = pod.service_account.empty() ? "default" : pod.service_account;
  return has(rule->second.namespaces, space) ||
         has(rule->second.service_accounts, space + "/" + account);
}

Labels QueueUsers::lines() const {
  Labels made;
  for (const auto& [queue, rule] : rules_) {
    auto& text = made["queue." + queue];
    for (const auto& name : rule.namespaces) text += "namespace " + name + "\n";
    for (const auto& name : rule.service_accounts) text += "serviceaccount " + name + "\n";
  }
  return made;
}

}  // namespace dray::engine
