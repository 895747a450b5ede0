#include <algorithm>
#include <memory>
#include <utility>

#include "dray/cluster/node_match.h"
#include "sim/kube_scheduler_state.h"

// eventhandlers.go: what a change of the cluster does to the cache and the queue.

namespace dray::sim {
namespace {

using Type = ClusterEvent::Type;

const Pod& pod_of(const std::shared_ptr<const KubeObject>& object) {
  return std::get<Pod>(*object);
}

/// The same object, but for its resourceVersion.
bool same_content(const KubeObject& a, KubeObject b) {
  meta_of(b).resource_version = meta_of(a).resource_version;
  return a == b;
}

cluster::ObjectGone gone(const KubeObject& object) {
  const auto& meta = meta_of(object);
  return {kind_of(object), meta.namespace_name, meta.name, meta.uid};
}

}  // namespace

void KubeScheduler::State::observe(const WatchEvent& event, Time now) {
  if (event.object == nullptr) return;
  const bool deleted = event.type == WatchEvent::Type::deleted;
  switch (event.kind) {
    case Kind::pod:
      // Its informer does not know finished pods.
      if (deleted || pod_of(event.object).finished()) return pod_gone(event.object, now);
      return pod_changed(event, now);
    case Kind::node:
      return node_changed(event, now);
    case Kind::resource_claim:
      return queue.move_all({Type::other, nullptr, event.object}, now);
    case Kind::device_class:
      if (deleted) {
        cache.apply(gone(*event.object));
      } else {
        cache.apply(cluster::ObjectChanged{*event.object});
      }
      return queue.move_all({Type::other, nullptr, event.object}, now);
    default:
      return;
  }
}

void KubeScheduler::State::pod_changed(const WatchEvent& event, Time now) {
  const auto& next = pod_of(event.object);
  auto& known = pods[next.key()];
  const auto before = known;
  if (before != nullptr && pod_of(before).meta.uid != next.meta.uid) {
    pod_gone(before, now);
    return pod_changed(event, now);
  }
  known = event.object;
  cache.apply(cluster::ObjectChanged{*event.object});
  const bool was_assigned = before != nullptr && pod_of(before).node_name.has_value();
  if (next.node_name) {
    if (!was_assigned) return assigned_pod_added(event.object, now);
    return queue.move_all({Type::assigned_pod_updated, before, event.object}, now);
  }
  if (!ours(next)) return;
  if (before == nullptr) return queue.add(event.object, now);
  waiting_pod_updated(before, event.object, now);
}

void KubeScheduler::State::assigned_pod_added(const std::shared_ptr<const KubeObject>& object,
                                              Time now) {
  const auto& uid = pod_of(object).meta.uid;
  if (assumed.erase(uid) > 0) cache.forget(uid);
  queue.remove(uid);
  queue.move_all({Type::assigned_pod_added, nullptr, object}, now);
}

void KubeScheduler::State::waiting_pod_updated(const std::shared_ptr<const KubeObject>& before,
                                               const std::shared_ptr<const KubeObject>& after,
                                               Time now) {
  const auto& old = pod_of(before);
  const auto& next = pod_of(after);
  if (old.meta.resource_version == next.meta.resource_version) return;
  if (assumed.contains(next.meta.uid)) {
    if (next.meta.deleted && !old.meta.deleted) assumed_pod_deleted(next.meta.uid, now);
    return;
  }
  queue.update(before, after, now);
  if (old.nominated_node && old.nominated_node != next.nominated_node) {
    queue.move_all({Type::assigned_pod_deleted, before, nullptr}, now, old.priority);
  }
}

void KubeScheduler::State::assumed_pod_deleted(const Uid& uid, Time now) {
  const auto object = std::move(assumed.extract(uid).mapped().object);
  cache.forget(uid);
  queue.move_all({Type::assigned_pod_deleted, object, nullptr}, now);
}

void KubeScheduler::State::pod_gone(const std::shared_ptr<const KubeObject>& object, Time now) {
  const auto& last = pod_of(object);
  const auto known = pods.find(last.key());
  if (known == pods.end() || pod_of(known->second).meta.uid != last.meta.uid) return;
  const auto before = known->second;
  pods.erase(known);
  const auto& uid = last.meta.uid;
  if (pod_of(before).node_name) {
    cache.apply(gone(*before));
    return queue.move_all({Type::assigned_pod_deleted, before, nullptr}, now);
  }
  queue.remove(uid);
  if (assumed.contains(uid)) {
    assumed_pod_deleted(uid, now);
  } else if (pod_of(before).nominated_node) {
    queue.move_all({Type::assigned_pod_deleted, before, nullptr}, now, pod_of(before).priority);
  }
  cache.apply(gone(*before));
}

void KubeScheduler::State::node_changed(const WatchEvent& event, Time now) {
  const NodeName name(meta_of(*event.object).name);
  if (event.type == WatchEvent::Type::deleted) {
    queue.move_all({Type::node_deleted, event.object, nullptr}, now);
    nodes.erase(name);
    return cache.apply(gone(*event.object));
  }
  auto& known = nodes[name];
  const auto before = std::exchange(known, event.object);
  cache.apply(cluster::ObjectChanged{*event.object});
  if (before == nullptr) return queue.move_all({Type::node_added, nullptr, event.object}, now);
  if (same_content(*before, *event.object)) return;
  queue.move_all({Type::node_updated, before, event.object}, now);
}

/// The QueueingHints of the plugins that rejected the pod. The extender's is to queue on anything;
/// the in-tree ones' are coarser here than theirs: they may wake a pod for nothing, never the other
/// way round.
bool KubeScheduler::State::hint(const QueuedPod& queued, const ClusterEvent& event) {
  if ((queued.rejectors & plugin::extender) != 0) return true;
  switch (event.type) {
    case Type::target_pod_updated: {
      const bool tolerates_more =
          pod_of(event.before).tolerations != pod_of(event.after).tolerations;
      return tolerates_more &&
             (queued.rejectors & (plugin::taint_toleration | plugin::node_unschedulable)) != 0;
    }
    case Type::assigned_pod_deleted:
      return (queued.rejectors & (plugin::node_resources_fit | plugin::node_ports)) != 0;
    case Type::node_added:
    case Type::node_updated:
      return node_may_help(queued, std::get<Node>(*event.after));
    default:
      return false;
  }
}

bool KubeScheduler::State::node_may_help(const QueuedPod& queued, const Node& node) {
  const auto snapshot = cache.snapshot();
  const auto index = snapshot->node(NodeName(node.meta.name));
  if (!index) return false;
  Plugins by = 0;
  const cluster::NodeFit fit(queued.pod(), *snapshot);
  if (refusal(queued.pod(), fit, cluster::AllocatedState(snapshot), *index, by).empty())
    return true;
  return (queued.rejectors & ~by) != 0;
}

}  // namespace dray::sim
