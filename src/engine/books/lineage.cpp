#include "engine/books/lineage.h"

#include <string_view>

#include "engine/books/pod_mentions.h"

namespace dray::engine {
namespace {

constexpr std::string_view template_hash_label = "pod-template-hash";

/// A ReplicaSet that a Deployment made has another name with each template.
std::string workload_name_of(const Pod& pod, const OwnerReference& owner) {
  const auto hash = pod.meta.labels.find(std::string(template_hash_label));
  if (owner.kind == "ReplicaSet" && hash != pod.meta.labels.end()) {
    const auto suffix = "-" + hash->second;
    if (owner.name.size() > suffix.size() && owner.name.ends_with(suffix)) {
      return "Deployment/" + owner.name.substr(0, owner.name.size() - suffix.size());
    }
  }
  return owner.kind + "/" + owner.name;
}

}  // namespace

std::string lineage_of(const JobKey& key, const Pod& pod) {
  const auto* owner = controller_of(pod);
  // Such a group goes by its owner's uid, which is another one where the owner is made anew.
  const bool by_owner = !key.is_group() || key.source == GroupSource::owner;
  if (by_owner && owner != nullptr) {
    return pod.meta.namespace_name + "/" + workload_name_of(pod, *owner);
  }
  if (!key.is_group()) return pod.key().to_string();
  return std::to_string(static_cast<int>(key.source)) + "/" + key.namespace_name + "/" + key.name +
         "/" + key.part;
}

}  // namespace dray::engine
