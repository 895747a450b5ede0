#include "engine/books/gang_rules.h"

namespace dray::engine {

GangRules::GangRules(const policy::PolicyConfig& config) {
  std::map<std::string, const policy::QueueConfig*, std::less<>> queues;
  for (const auto& queue : config.queues) queues.emplace(queue.name.get(), &queue);
  for (const auto& queue : config.queues) {
    const auto* at = &queue;
    // A cycle is an error of the policy, and ends here all the same.
    for (std::size_t steps = 0; at != nullptr && steps < queues.size(); ++steps) {
      if (at->gangs) {
        lists_.emplace(queue.name.get(), std::set(at->gangs->begin(), at->gangs->end()));
        break;
      }
      const auto above = at->parent ? queues.find(at->parent->get()) : queues.end();
      at = above == queues.end() ? nullptr : above->second;
    }
  }
}

bool GangRules::allows(std::string_view queue, policy::GangOwner owner) const {
  const auto list = lists_.find(queue);
  return list == lists_.end() ? owner != policy::GangOwner::job : list->second.contains(owner);
}

}  // namespace dray::engine
