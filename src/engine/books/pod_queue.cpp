#include "dray/engine/pod_queue.h"

namespace dray::engine {
namespace {

std::string value_of(const Labels& labels, const std::string& key) {
  const auto found = labels.find(key);
  return found == labels.end() ? "" : found->second;
}

}  // namespace

std::string queue_of(const policy::PodQueues& rules, const Pod& pod,
                     std::span<const Labels* const> owners) {
  for (const auto& label : rules.labels) {
    for (const auto* labels : owners) {
      if (auto queue = value_of(*labels, label); !queue.empty()) return queue;
    }
    if (auto queue = value_of(pod.meta.labels, label); !queue.empty()) return queue;
  }
  const auto space = rules.namespaces.find(pod.meta.namespace_name);
  if (space != rules.namespaces.end()) return space->second.get();
  return rules.otherwise ? rules.otherwise->get() : "";
}

}  // namespace dray::engine
