#include "engine/books/group_pods.h"

#include <utility>

#include "dray/engine/group_marks.h"
#include "engine/books/pod_mentions.h"

namespace dray::engine {

std::map<std::string, std::int32_t> GroupPods::succeeded() const {
  std::map<std::string, std::int32_t> counts;
  for (const auto* pod : all) {
    const auto* owner = controller_of(*pod);
    if (owner != nullptr && has_succeeded(*pod)) ++counts[owner->name];
  }
  return counts;
}

bool has_succeeded(const Pod& pod) {
  return pod.phase == "Succeeded";
}

std::string run_of(const Pod& pod) {
  const auto& labels = pod.meta.labels;
  if (auto set = mark(labels, job_set_label); !set.empty()) {
    return set + "/" + mark(labels, job_set_attempt_label);
  }
  for (const auto* key : {training_job_label, ray_cluster_label}) {
    if (auto name = mark(labels, key); !name.empty()) return name;
  }
  const auto* owner = controller_of(pod);
  return owner == nullptr ? "" : owner->uid.get();
}

}  // namespace dray::engine
