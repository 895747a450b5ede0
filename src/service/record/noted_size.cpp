#include "service/record/noted_size.h"

#include <numeric>
#include <string>
#include <variant>
#include <vector>

namespace dray::service {
namespace {

/// Of a small string or list beside its content: what an allocation costs.
constexpr std::size_t entry_bytes = 64;
/// Of an object's other fields, and of a device's.
constexpr std::size_t usual_fields = 2048;
constexpr std::size_t usual_device = 1024;

std::size_t size_of(const Labels& labels) {
  std::size_t size = 0;
  for (const auto& [key, value] : labels) size += key.size() + value.size() + entry_bytes;
  return size;
}

std::size_t size_of(const std::vector<NodeName>& names) {
  return std::accumulate(names.begin(), names.end(), std::size_t{0},
                         [](std::size_t size, const NodeName& name) {
                           return size + name.get().size() + entry_bytes;
                         });
}

std::size_t size_of(const KubeObject& object) {
  const auto& meta = meta_of(object);
  auto size = sizeof(KubeObject) + usual_fields + size_of(meta.labels) + size_of(meta.annotations);
  if (const auto* slice = std::get_if<ResourceSlice>(&object)) {
    size += slice->devices.size() * usual_device;
  }
  if (const auto* map = std::get_if<ConfigMap>(&object)) size += size_of(map->data);
  return size;
}

std::size_t size_of(const engine::Event& event) {
  if (const auto* change = std::get_if<cluster::ObjectChanged>(&event)) {
    return size_of(change->object);
  }
  if (const auto* unreadable = std::get_if<cluster::ObjectUnreadable>(&event)) {
    return size_of(unreadable->object);
  }
  return usual_fields;
}

std::size_t size_of(const extender::FilterRequest& request) {
  auto size = sizeof(request) + usual_fields + size_of(request.pod.meta.labels) +
              size_of(request.pod.meta.annotations);
  if (request.node_names) size += size_of(*request.node_names);
  if (request.nodes) size += request.nodes->size() * (sizeof(extender::OfferedNode) + usual_fields);
  return size;
}

std::size_t size_of(const extender::FilterResponse& answer) {
  auto size = sizeof(answer) + size_of(answer.node_names);
  for (const auto* refusals : {&answer.failed, &answer.failed_unresolvable}) {
    for (const auto& [reason, nodes] : *refusals) size += reason.size() + size_of(nodes);
  }
  return size;
}

}  // namespace

std::size_t noted_size(const RecordInput& input, const engine::Effects& effects,
                       const std::optional<extender::FilterResponse>& answer) {
  auto size = sizeof(RecordInput) + effects.size() * (sizeof(engine::Effect) + usual_fields);
  if (const auto* event = std::get_if<engine::Event>(&input)) size += size_of(*event);
  if (const auto* filter = std::get_if<FilterInput>(&input)) size += size_of(*filter->request);
  if (const auto* known = std::get_if<KnownMap>(&input)) size += size_of(known->map.data);
  if (answer) size += size_of(*answer);
  return size;
}

}  // namespace dray::service
