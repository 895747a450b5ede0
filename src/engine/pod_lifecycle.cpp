#include "engine/pod_lifecycle.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "dray/model/pod_marks.h"

namespace dray::engine {

PodLifecycle::PodLifecycle(Options options, cluster::ClusterState& cluster, const JobBook& jobs)
    : options_(std::move(options)), cluster_(cluster), jobs_(jobs), bound_(cluster) {}

const PodLife* PodLifecycle::find(const Uid& pod) const {
  const auto found = pods_.find(pod);
  return found == pods_.end() ? nullptr : &found->second;
}

const PodLife* PodLifecycle::find(const PodKey& key) const {
  const auto found = by_name_.find(key);
  return found == by_name_.end() ? nullptr : find(found->second);
}

const PodLife* PodLifecycle::find(const PodKey& key, const Uid& uid) const {
  const auto* pod = find(key);
  return pod != nullptr && pod->uid == uid ? pod : nullptr;
}

std::shared_ptr<const Pod> PodLifecycle::object(const PodLife& pod) const {
  auto object = cluster_.pod(pod.key);
  if (!object || object->meta.uid != pod.uid) return nullptr;
  return object;
}

bool PodLifecycle::waits(const Uid& pod) const {
  const auto* life = find(pod);
  return life != nullptr && life->state == PodState::waiting;
}

std::optional<NodeName> PodLifecycle::reserved_node(const Uid& pod) const {
  const auto* life = find(pod);
  if (life == nullptr || !life->reservation) return std::nullopt;
  return life->reservation->node;
}

bool PodLifecycle::is_bound(const Uid& pod) const {
  const auto* life = find(pod);
  if (life != nullptr && life->state == PodState::bound) return true;
  const auto object = cluster_.pod(pod);
  return object && object->node_name && !object->meta.deleted;
}

PodLife& PodLifecycle::follow(const Pod& pod, bool seen, Commands& out) {
  const auto key = pod.key();
  if (const auto old = by_name_.find(key); old != by_name_.end() && old->second != pod.meta.uid) {
    drop(Uid(old->second), out);
  }
  by_name_[key] = pod.meta.uid;
  auto& life = pods_[pod.meta.uid];
  life.key = key;
  life.uid = pod.meta.uid;
  life.seen = seen;
  return life;
}

Commands PodLifecycle::appeared(const Pod& pod) {
  Commands out;
  follow(pod, true, out);
  return out;
}

Commands PodLifecycle::requested(const Pod& pod, Time now) {
  Commands out;
  auto& life = follow(pod, false, out);
  life.bypasses = true;
  life.state = PodState::offered;
  timers_.arm(life.uid, now + options_.reservation_life);
  return out;
}

Commands PodLifecycle::step(const Pod& pod, bool leading, Time now) {
  Commands out;
  auto& life = pods_.at(pod.meta.uid);
  life.seen = true;
  switch (life.state) {
    case PodState::waiting:
      if (life.bypasses && leading && pod.scheduling_gates.size() <= 1) offer(life, now, out);
      break;
    case PodState::nominating:
    case PodState::lifting:
      if (!gated_by(pod, options_.gate)) offered(life, pod, now, out);
      break;
    case PodState::offered:
      keep_nominated(life, pod, out);
      // Rejected by in-tree plugins alone: filter was never called, and will not be.
      if (life.reservation && !life.offer.asked && called_unschedulable(pod) &&
          scheduling_verdict(pod) != life.offer.verdict) {
        refuse_node(life, now, out);
      }
      break;
    case PodState::binding:
    case PodState::bound:
      break;
  }
  return out;
}

Commands PodLifecycle::deleted(const Uid& pod) {
  Commands out;
  auto& life = pods_.at(pod);
  life.seen = true;
  release(life, out);
  return out;
}

Commands PodLifecycle::drop(const Uid& pod) {
  Commands out;
  drop(Uid(pod), out);
  return out;
}

void PodLifecycle::drop(const Uid& pod, Commands& out) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return;
  auto& life = found->second;
  timers_.arm(pod, std::nullopt);
  const bool bound = life.state == PodState::bound;
  if (bound && life.reservation) {
    bound_.add(std::move(*life.reservation), std::move(life.claim_versions));
  }
  if (const auto name = by_name_.find(life.key); name != by_name_.end() && name->second == pod) {
    by_name_.erase(name);
  }
  pods_.erase(found);
  out.emplace_back(PodDropped{pod, bound});
}

void PodLifecycle::set_bypasses(const Uid& pod, bool bypasses) {
  pods_.at(pod).bypasses = bypasses;
}

void PodLifecycle::set_reason(const Uid& pod, Reason reason) {
  pods_.at(pod).wait.reason = reason;
}

void PodLifecycle::set_detail(const Uid& pod, const std::string& detail) {
  pods_.at(pod).wait.detail = detail;
}

Commands PodLifecycle::reserve(const Placement& placement, const std::string& detail,
                               const std::vector<std::string>& warnings) {
  auto& life = pods_.at(placement.pod_uid);
  timers_.arm(life.uid, std::nullopt);
  cluster_.assume(placement);
  life.reservation = placement;
  life.warnings = warnings;
  life.wait.reason = Reason::none;
  life.wait.detail = detail;
  life.attempts = 0;
  return {JobChanged{life.uid}};
}

Commands PodLifecycle::release(const Uid& pod) {
  Commands out;
  release(pods_.at(pod), out);
  return out;
}

void PodLifecycle::release(PodLife& pod, Commands& out) {
  timers_.arm(pod.uid, std::nullopt);
  pod.state = PodState::waiting;
  if (!pod.reservation) return;
  cluster_.forget(pod.uid);
  pod.reservation.reset();
  pod.wait.reason = Reason::planning;
  out.emplace_back(JobChanged{pod.uid});
  out.emplace_back(PlanNow{});
}

Commands PodLifecycle::give_up(const Uid& pod) {
  Commands out;
  auto& life = pods_.at(pod);
  life.filter_refused = true;
  release(life, out);
  return out;
}

Commands PodLifecycle::refuse_node(const Uid& pod, Time now) {
  Commands out;
  refuse_node(pods_.at(pod), now, out);
  return out;
}

void PodLifecycle::refuse_node(PodLife& pod, Time now, Commands& out) {
  const auto node = pod.reservation->node;
  ResourceVersion version;
  if (const auto* facts = cluster_.find_node(node)) version = facts->resource_version;
  pod.refused[node] = {std::move(version), now + refusal_life};
  pod.filter_refused = true;
  release(pod, out);
  pod.wait.reason = Reason::node_refused;
  out.emplace_back(ReservationEnded{pod.uid});
}

void PodLifecycle::filter_answered(const Uid& pod, Time now) {
  auto& life = pods_.at(pod);
  if (life.fixed()) return;
  life.state = PodState::offered;
  life.offer.asked = true;
  life.filter_refused = false;
  timers_.arm(pod, now + reservation_life(life));
}

void PodLifecycle::filter_refused(const Uid& pod) {
  pods_.at(pod).filter_refused = true;
}

void PodLifecycle::bind_begun(const Uid& pod) {
  pods_.at(pod).state = PodState::binding;
  timers_.arm(pod, std::nullopt);
}

Commands PodLifecycle::bind_ended(const BindEnded& ended, Time now) {
  Commands out;
  const auto& uid = ended.placement.pod_uid;
  const auto found = pods_.find(uid);
  if (found == pods_.end()) {
    if (ended.result == Binding::Result::bound) {  // the watch was faster
      bound_.add(ended.placement, ended.claim_versions);
    } else {  // the pod is gone
      cluster_.forget(uid);
    }
    out.emplace_back(PlanNow{});  // its room may have been free for a while
    return out;
  }
  auto& life = found->second;
  timers_.arm(uid, std::nullopt);
  if (ended.result == Binding::Result::bound) {
    life.state = PodState::bound;
    life.reservation = ended.placement;
    life.claim_versions = ended.claim_versions;
    // Only a request has shown it: if it goes while the watch is away, no event will ever tell.
    if (!life.seen) timers_.arm(uid, now + reservation_life(life));
    return out;
  }
  life.wait.detail = ended.error;
  if (life.bypasses) {
    cluster_.forget(uid);
    life.state = PodState::offered;
  } else if (ended.result == Binding::Result::refused) {
    life.filter_refused = true;
    release(life, out);
  } else {
    bind_again(life, now);
  }
  return out;
}

void PodLifecycle::bind_refused(const Uid& pod, const std::string& error, Time now) {
  const auto found = pods_.find(pod);
  if (found == pods_.end() || found->second.state != PodState::binding) return;
  found->second.wait.detail = error;
  bind_again(found->second, now);
}

/// kube-scheduler comes back by itself, after its back-off.
void PodLifecycle::bind_again(PodLife& pod, Time now) {
  pod.state = PodState::offered;
  pod.offer.asked = true;
  timers_.arm(pod.uid, now + reservation_life(pod));
}

Commands PodLifecycle::tick(Time now) {
  Commands out;
  const auto pod = timers_.take_due(now);
  if (!pod) return out;
  auto& life = pods_.at(*pod);
  switch (life.state) {
    case PodState::nominating:
    case PodState::lifting:
      offer(life, now, out);
      break;
    case PodState::offered:
      ran_out(life, now, out);
      break;
    case PodState::waiting:
      if (!life.seen) {
        drop(*pod, out);
        break;
      }
      if (!life.refused.empty()) out.emplace_back(PlanNow{});
      report(life, now, out);
      break;
    case PodState::bound:
      if (!life.seen) drop(*pod, out);
      break;
    case PodState::binding:
      break;
  }
  return out;
}

void PodLifecycle::ran_out(PodLife& pod, Time now, Commands& out) {
  if (!pod.seen) return drop(Uid(pod.uid), out);  // a pod that only a request has ever shown
  if (!pod.reservation) return;
  const auto object = this->object(pod);
  if (object && object->nominated_node == pod.reservation->node && pod.offer.asked) {
    return timers_.arm(pod.uid, now + reservation_life(pod));
  }
  ++expired_;
  if (!pod.offer.asked) return refuse_node(pod, now, out);
  pod.filter_refused = true;
  release(pod, out);
  out.emplace_back(ReservationEnded{pod.uid});
}

Commands PodLifecycle::reset() {
  Commands out;
  for (auto& [uid, life] : pods_) {
    release(life, out);
    cluster_.forget(uid);
    life.filter_refused = true;
    out.emplace_back(JobChanged{uid});
  }
  bound_.reset();
  return out;
}

/// kube-scheduler lets a whole PodGroup wait after a failure, up to 10 s times the root of its
/// size; its reservations live longer than that.
Duration PodLifecycle::reservation_life(const PodLife& pod) const {
  const auto object = this->object(pod);
  const auto job = object && object->pod_group ? jobs_.job_of(pod.uid) : nullptr;
  if (!job) return options_.reservation_life;
  const auto back_off = std::chrono::seconds(10) * std::sqrt(job->members.size());
  return options_.reservation_life + std::chrono::duration_cast<Duration>(back_off);
}

}  // namespace dray::engine
