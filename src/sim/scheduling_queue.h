#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/sim/kube_scheduler.h"

namespace dray::sim {

/// Who rejected a pod: plugins, as bits.
using Plugins = std::uint32_t;
namespace plugin {
inline constexpr Plugins extender = 1U << 0U;
inline constexpr Plugins node_unschedulable = 1U << 1U;
inline constexpr Plugins node_affinity = 1U << 2U;
inline constexpr Plugins taint_toleration = 1U << 3U;
inline constexpr Plugins node_resources_fit = 1U << 4U;
inline constexpr Plugins node_ports = 1U << 5U;
inline constexpr Plugins volume_binding = 1U << 6U;
}  // namespace plugin

/// Something that may make a rejected pod schedulable.
struct ClusterEvent {
  enum class Type : std::uint8_t {
    target_pod_updated,  ///< the pod itself
    assigned_pod_added,
    assigned_pod_updated,
    assigned_pod_deleted,
    node_added,
    node_updated,
    node_deleted,
    other,  ///< ResourceClaim, DeviceClass: only the extender's rejections care
  };
  Type type = Type::other;
  std::shared_ptr<const KubeObject> before;
  std::shared_ptr<const KubeObject> after;
};

struct QueuedPod {
  std::shared_ptr<const KubeObject> object;
  Time timestamp;
  std::uint64_t sequence = 0;
  std::uint32_t unschedulable_count = 0;
  std::uint32_t consecutive_errors = 0;
  Plugins rejectors = 0;
  std::optional<Time> backoff_expiration;
  Time flushed;

  [[nodiscard]] const Pod& pod() const { return std::get<Pod>(*object); }
  [[nodiscard]] Time unschedulable_since() const { return std::max(timestamp, flushed); }
};

/// backend/queue of kube-scheduler 1.37: activeQ by priority and time; backoffQ in windows of one
/// second, popped early when activeQ is empty; the errors' backoffQ, which is not; the pool of
/// unschedulable and of gated pods. Events that come while a pod is in its scheduling cycle are
/// replayed when it returns.
class SchedulingQueue {
 public:
  /// Whether the event may help the pod (a plugin's QueueingHint).
  using Hint = std::function<bool(const QueuedPod&, const ClusterEvent&)>;

  SchedulingQueue(const KubeSchedulerOptions& options, Hint hint)
      : options_(options), hint_(std::move(hint)) {}

  void add(std::shared_ptr<const KubeObject> pod, Time now);
  void update(const std::shared_ptr<const KubeObject>& before,
              std::shared_ptr<const KubeObject> after, Time now);
  void remove(const Uid& uid);
  /// To all rejected pods, or those of at most `priority`.
  void move_all(const ClusterEvent& event, Time now,
                std::optional<std::int32_t> priority = std::nullopt);

  [[nodiscard]] std::optional<QueuedPod> pop();
  /// The pod of the cycle is done with: it goes to binding, or is dropped.
  void done();
  /// A pod comes back from a failed attempt, with `rejectors` set (none: an error).
  void add_unschedulable(QueuedPod pod, Time now);

  void tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;
  [[nodiscard]] KubeScheduler::Queues sizes() const;

 private:
  enum class Place : std::uint8_t { active, backoff, error_backoff, unschedulable, gated };
  struct Entry {
    QueuedPod queued;
    Place place;
  };
  using Order = std::tuple<std::int64_t, Time, std::uint64_t, Uid>;  ///< -priority, time, sequence
  using BackoffOrder = std::tuple<Time, Order>;

  void put(QueuedPod queued, Place place);
  QueuedPod take(std::map<Uid, Entry>::iterator entry);
  void requeue(QueuedPod queued, bool worth, Time now);
  void move_to_active(QueuedPod queued);
  [[nodiscard]] static Order order_of(const QueuedPod& queued);
  /// When the back-off ends; nothing: there is none.
  [[nodiscard]] std::optional<Time> backoff_of(QueuedPod& queued) const;
  [[nodiscard]] bool backing_off(QueuedPod& queued, Time now) const;
  void flush_backoff(std::set<BackoffOrder>& queue, Time now);
  void flush_unschedulable(Time now);

  KubeSchedulerOptions options_;
  Hint hint_;
  std::map<Uid, Entry> entries_;
  std::set<Order> active_;
  std::set<BackoffOrder> backoff_;
  std::set<BackoffOrder> error_backoff_;
  std::set<std::pair<Time, Uid>> unschedulable_;  ///< by the time of the last attempt or flush
  std::size_t gated_ = 0;
  std::optional<Uid> in_cycle_;
  std::vector<ClusterEvent> events_in_cycle_;
  std::uint64_t sequence_ = 0;
};

}  // namespace dray::sim
