#include "dray/engine/pod_queue.h"

namespace dray::engine {

std::string queue_of(const policy::PodQueues& rules, const Pod& pod) {
  for (const auto& label : rules.labels) {
    const auto found = pod.meta.labels.find(label);
    if (found != pod.meta.labels.end() && !found->second.empty()) return found->second;
  }
  const auto space = rules.namespaces.find(pod.meta.namespace_name);
  if (space != rules.namespaces.end()) return space->second.get();
  return rules.otherwise ? rules.otherwise->get() : "";
}

}  // namespace dray::engine
