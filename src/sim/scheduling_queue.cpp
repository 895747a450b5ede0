#include "sim/scheduling_queue.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace dray::sim {
namespace {

constexpr auto window = std::chrono::seconds(1);
constexpr auto flush_period = std::chrono::seconds(30);

Time align(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time);
}

const Uid& uid_of(const KubeObject& object) {
  return meta_of(object).uid;
}

}  // namespace

SchedulingQueue::Order SchedulingQueue::order_of(const QueuedPod& queued) {
  return {-std::int64_t{queued.pod().priority}, queued.timestamp, queued.sequence,
          queued.pod().meta.uid};
}

void SchedulingQueue::put(QueuedPod queued, Place place) {
  const auto uid = queued.pod().meta.uid;
  const auto order = order_of(queued);
  const auto until = queued.backoff_expiration.value_or(Time());
  switch (place) {
    case Place::active:
      active_.insert(order);
      break;
    case Place::backoff:
      backoff_.emplace(until, order);
      break;
    case Place::error_backoff:
      error_backoff_.emplace(until, order);
      break;
    case Place::unschedulable:
      unschedulable_.emplace(queued.unschedulable_since(), uid);
      break;
    case Place::gated:
      ++gated_;
      break;
  }
  entries_.insert_or_assign(uid, Entry{std::move(queued), place});
}

QueuedPod SchedulingQueue::take(std::map<Uid, Entry>::iterator entry) {
  auto queued = std::move(entry->second.queued);
  const auto order = order_of(queued);
  const auto until = queued.backoff_expiration.value_or(Time());
  switch (entry->second.place) {
    case Place::active:
      active_.erase(order);
      break;
    case Place::backoff:
      backoff_.erase({until, order});
      break;
    case Place::error_backoff:
      error_backoff_.erase({until, order});
      break;
    case Place::unschedulable:
      unschedulable_.erase({queued.unschedulable_since(), entry->first});
      break;
    case Place::gated:
      --gated_;
      break;
  }
  entries_.erase(entry);
  return queued;
}

void SchedulingQueue::add(std::shared_ptr<const KubeObject> pod, Time now) {
  if (entries_.contains(uid_of(*pod))) return;
  QueuedPod queued;
  queued.object = std::move(pod);
  queued.timestamp = now;
  queued.sequence = ++sequence_;
  move_to_active(std::move(queued));
}

/// PreEnqueue: a pod with gates waits for them, whatever else happens.
void SchedulingQueue::move_to_active(QueuedPod queued) {
  const bool gated = !queued.pod().scheduling_gates.empty();
  put(std::move(queued), gated ? Place::gated : Place::active);
}

void SchedulingQueue::update(const std::shared_ptr<const KubeObject>& before,
                             std::shared_ptr<const KubeObject> after, Time now) {
  const ClusterEvent event{ClusterEvent::Type::target_pod_updated, before, after};
  const auto uid = uid_of(*after);
  if (in_cycle_ == uid) {
    events_in_cycle_.push_back(event);
    return;
  }
  const auto entry = entries_.find(uid);
  if (entry == entries_.end()) return add(std::move(after), now);
  const auto place = entry->second.place;
  auto queued = take(entry);
  queued.object = std::move(after);
  switch (place) {
    case Place::gated:
      return move_to_active(std::move(queued));
    case Place::unschedulable: {
      const bool worth = hint_(queued, event);
      return requeue(std::move(queued), worth, now);
    }
    default:
      return put(std::move(queued), place);
  }
}

void SchedulingQueue::remove(const Uid& uid) {
  const auto entry = entries_.find(uid);
  if (entry != entries_.end()) take(entry);
}

void SchedulingQueue::move_all(const ClusterEvent& event, Time now,
                               std::optional<std::int32_t> priority) {
  if (in_cycle_) events_in_cycle_.push_back(event);
  std::vector<Uid> worth;
  for (const auto& [since, uid] : unschedulable_) {
    const auto& queued = entries_.at(uid).queued;
    if (priority && queued.pod().priority > *priority) continue;
    if (hint_(queued, event)) worth.push_back(uid);
  }
  for (const auto& uid : worth) requeue(take(entries_.find(uid)), true, now);
}

std::optional<Time> SchedulingQueue::backoff_of(QueuedPod& queued) const {
  const auto count =
      queued.consecutive_errors > 0 ? queued.consecutive_errors : queued.unschedulable_count;
  if (count == 0 || options_.max_backoff == Duration::zero()) return std::nullopt;
  if (!queued.backoff_expiration) {
    auto duration = options_.initial_backoff;
    for (std::uint32_t i = 1; i < count && duration < options_.max_backoff; ++i) duration *= 2;
    duration = std::min(duration, options_.max_backoff);
    queued.backoff_expiration = align(queued.timestamp + duration);
  }
  return queued.backoff_expiration;
}

bool SchedulingQueue::backing_off(QueuedPod& queued, Time now) const {
  const auto until = backoff_of(queued);
  return until && *until >= align(now);
}

void SchedulingQueue::requeue(QueuedPod queued, bool worth, Time now) {
  if (!worth) return put(std::move(queued), Place::unschedulable);
  if (!backing_off(queued, now)) return move_to_active(std::move(queued));
  const auto place = queued.rejectors == 0 ? Place::error_backoff : Place::backoff;
  put(std::move(queued), place);
}

std::optional<QueuedPod> SchedulingQueue::pop() {
  Uid uid;
  if (!active_.empty()) {
    uid = std::get<3>(*active_.begin());
  } else if (!backoff_.empty()) {
    uid = std::get<3>(std::get<1>(*backoff_.begin()));
  } else {
    return std::nullopt;
  }
  in_cycle_ = uid;
  events_in_cycle_.clear();
  return take(entries_.find(uid));
}

void SchedulingQueue::done() {
  in_cycle_.reset();
  events_in_cycle_.clear();
}

void SchedulingQueue::add_unschedulable(QueuedPod queued, Time now) {
  const auto uid = queued.pod().meta.uid;
  const bool was_in_cycle = in_cycle_ == uid;
  auto missed = was_in_cycle ? std::exchange(events_in_cycle_, {}) : std::vector<ClusterEvent>();
  if (was_in_cycle) in_cycle_.reset();
  if (entries_.contains(uid)) return;
  if (queued.rejectors == 0) {
    ++queued.consecutive_errors;
  } else {
    ++queued.unschedulable_count;
    queued.consecutive_errors = 0;
  }
  queued.timestamp = now;
  queued.sequence = ++sequence_;
  queued.backoff_expiration.reset();
  queued.flushed = Time();
  // A pod that is not in a cycle (its bind failed) has missed who knows what.
  const bool worth =
      queued.rejectors == 0 || !was_in_cycle ||
      std::ranges::any_of(missed, [&](const auto& event) { return hint_(queued, event); });
  requeue(std::move(queued), worth, now);
}

void SchedulingQueue::flush_backoff(std::set<BackoffOrder>& queue, Time now) {
  while (!queue.empty() && std::get<0>(*queue.begin()) < align(now)) {
    move_to_active(take(entries_.find(std::get<3>(std::get<1>(*queue.begin())))));
  }
}

void SchedulingQueue::flush_unschedulable(Time now) {
  const auto due = std::chrono::floor<std::chrono::seconds>(now);
  const auto last_flush = due - due.time_since_epoch() % flush_period;
  std::vector<Uid> stale;
  for (const auto& [since, uid] : unschedulable_) {
    if (last_flush - since <= options_.max_unschedulable) break;
    stale.push_back(uid);
  }
  for (const auto& uid : stale) {
    auto queued = take(entries_.find(uid));
    queued.flushed = now;
    requeue(std::move(queued), true, now);
  }
}

void SchedulingQueue::tick(Time now) {
  flush_backoff(backoff_, now);
  flush_backoff(error_backoff_, now);
  flush_unschedulable(now);
}

std::optional<Time> SchedulingQueue::next_tick() const {
  std::optional<Time> next;
  const auto earlier = [&](Time time) {
    if (!next || time < *next) next = time;
  };
  if (!backoff_.empty()) earlier(std::get<0>(*backoff_.begin()) + window);
  if (!error_backoff_.empty()) earlier(std::get<0>(*error_backoff_.begin()) + window);
  if (!unschedulable_.empty()) {
    const auto stale = std::chrono::floor<std::chrono::seconds>(unschedulable_.begin()->first +
                                                                options_.max_unschedulable);
    earlier(stale - stale.time_since_epoch() % flush_period + flush_period);
  }
  return next;
}

KubeScheduler::Queues SchedulingQueue::sizes() const {
  return {.active = active_.size(),
          .backoff = backoff_.size() + error_backoff_.size(),
          .unschedulable = unschedulable_.size(),
          .gated = gated_,
          .binding = 0};
}

}  // namespace dray::sim
