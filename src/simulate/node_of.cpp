#include "simulate/node_of.h"

namespace dray::simulate {

const std::string* node_of(const KubeObject& object) {
  if (const auto* node = std::get_if<Node>(&object)) return &node->meta.name;
  const auto* slice = std::get_if<ResourceSlice>(&object);
  if (slice != nullptr && slice->scope.node_name) return &slice->scope.node_name->get();
  const auto* pod = std::get_if<Pod>(&object);
  return pod != nullptr && pod->node_name ? &pod->node_name->get() : nullptr;
}

}  // namespace dray::simulate
