#include "service/record/state_table.h"

#include <utility>
#include <variant>

namespace dray::service {

void StateTable::take(const RecordInput& input) {
  if (const auto* known = std::get_if<KnownMap>(&input)) {
    const auto& meta = known->map.meta;
    maps_[{Kind::config_map, meta.namespace_name, meta.name}] = known->map;
  } else if (const auto* event = std::get_if<engine::Event>(&input)) {
    take_event(*event);
  }
}

void StateTable::take_event(const engine::Event& event) {
  const auto put = [&](const KubeObject& object) {
    const auto& meta = meta_of(object);
    objects_.insert_or_assign({kind_of(object), meta.namespace_name, meta.name}, event);
  };
  if (const auto* changed = std::get_if<cluster::ObjectChanged>(&event)) {
    put(changed->object);
  } else if (const auto* found = std::get_if<cluster::ObjectUnreadable>(&event)) {
    put(found->object);
  } else if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
    objects_.erase({gone->kind, gone->namespace_name, gone->name});
  } else if (std::holds_alternative<engine::Synced>(event)) {
    synced_ = true;
  } else if (const auto* policy = std::get_if<engine::PolicyChanged>(&event)) {
    policy_ = *policy;
  } else if (const auto* change = std::get_if<engine::LeadershipChanged>(&event)) {
    leadership_ = *change;
  } else if (const auto* done = std::get_if<engine::WriteDone>(&event); done && done->outcome) {
    if (const auto* map = std::get_if<ConfigMap>(&*done->outcome)) take(KnownMap{*map});
  }
}

std::vector<RecordInput> StateTable::inputs() const {
  std::vector<RecordInput> made;
  made.reserve(objects_.size() + maps_.size() + 3);
  for (const auto& [key, map] : maps_) made.emplace_back(KnownMap{map});
  if (policy_) made.emplace_back(engine::Event(*policy_));
  for (const auto& [key, event] : objects_) made.emplace_back(event);
  if (synced_) made.emplace_back(engine::Event(engine::Synced{}));
  if (leadership_) made.emplace_back(engine::Event(*leadership_));
  return made;
}

std::vector<KubeObject> StateTable::objects() const {
  std::vector<KubeObject> made;
  made.reserve(objects_.size());
  for (const auto& [key, event] : objects_) {
    if (const auto* changed = std::get_if<cluster::ObjectChanged>(&event)) {
      made.push_back(changed->object);
    } else if (const auto* found = std::get_if<cluster::ObjectUnreadable>(&event)) {
      made.push_back(found->object);
    }
  }
  return made;
}

std::optional<ConfigMap> StateTable::config_map(const ConfigMapKey& key) const {
  const auto found = maps_.find({Kind::config_map, key.namespace_name, key.name});
  if (found == maps_.end()) return std::nullopt;
  return found->second;
}

}  // namespace dray::service
