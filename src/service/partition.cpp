#include "service/partition.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "dray/model/reason.h"
#include "service/label_selector.h"

namespace dray::service {
namespace {

bool is_divided(Kind kind) {
  return kind == Kind::node || kind == Kind::resource_slice || kind == Kind::resource_claim;
}

const KubeObject* object_of(const kube::WatchEvent& event) {
  if (const auto* changed = std::get_if<cluster::ObjectChanged>(&event)) return &changed->object;
  const auto* unreadable = std::get_if<cluster::ObjectUnreadable>(&event);
  return unreadable == nullptr ? nullptr : &unreadable->object;
}

}  // namespace

Result<void> Partition::check(const PartitionOptions& options) {
  const auto selector = parse_label_selector(options.nodes);
  if (!selector) return std::unexpected(selector.error());
  return {};
}

Partition::Partition(const PartitionOptions& options)
    : nodes_text_(options.nodes),
      nodes_(parse_label_selector(options.nodes).value_or(LabelSelector())),
      drivers_(options.drivers.begin(), options.drivers.end()) {}

bool Partition::is_ours(const KubeObject& object) const {
  if (const auto* node = std::get_if<Node>(&object)) return nodes_.matches(node->meta.labels);
  if (drivers_.empty()) return true;
  if (const auto* slice = std::get_if<ResourceSlice>(&object)) {
    return drivers_.contains(slice->driver.get());
  }
  const auto* claim = std::get_if<ResourceClaim>(&object);
  if (claim == nullptr || !claim->allocation || claim->allocation->devices.empty()) return true;
  return std::ranges::any_of(claim->allocation->devices, [this](const AllocatedDevice& device) {
    return drivers_.contains(device.device.driver.get());
  });
}

Partition::Verdict Partition::judge(const KubeObject& object) {
  const auto& meta = meta_of(object);
  const Key key{kind_of(object), meta.namespace_name, meta.name};
  const std::lock_guard lock(mutex_);
  if (is_ours(object)) {
    known_.insert(key);
    return Verdict::ours;
  }
  return known_.erase(key) > 0 ? Verdict::left : Verdict::others;
}

std::optional<kube::WatchEvent> Partition::see(kube::WatchEvent event) {
  if (whole()) return event;
  if (const auto* gone = std::get_if<cluster::ObjectGone>(&event)) {
    const std::lock_guard lock(mutex_);
    const bool told =
        !is_divided(gone->kind) || known_.erase({gone->kind, gone->namespace_name, gone->name}) > 0;
    return told ? std::optional(std::move(event)) : std::nullopt;
  }
  const auto* object = object_of(event);
  if (object == nullptr || !is_divided(kind_of(*object))) return event;
  switch (judge(*object)) {
    case Verdict::ours:
      return event;
    case Verdict::left:
      break;
    case Verdict::others:
      return std::nullopt;
  }
  const auto& meta = meta_of(*object);
  return cluster::ObjectGone{kind_of(*object), meta.namespace_name, meta.name, meta.uid};
}

void Partition::keep_own(extender::FilterResponse& response) const {
  if (whole()) return;
  const std::lock_guard lock(mutex_);
  const auto others = std::ranges::stable_partition(response.node_names, [&](const auto& node) {
    return known_.contains(Key{Kind::node, "", node.get()});
  });
  if (others.empty()) return;
  auto& refused = response.failed_unresolvable[std::string(text(Reason::node_unknown))];
  refused.insert(refused.end(), others.begin(), others.end());
  response.node_names.erase(others.begin(), others.end());
}

}  // namespace dray::service
