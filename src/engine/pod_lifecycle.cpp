#include "engine/pod_lifecycle.h"

#include <algorithm>
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

ResourceVersion PodLifecycle::version(const PodLife& pod) const {
  const auto object = this->object(pod);
  const auto shown = object ? object->meta.resource_version : ResourceVersion();
  return is_older(shown, pod.offer.written) ? pod.offer.written : shown;
}

std::shared_ptr<const Pod> PodLifecycle::object(const PodLife& pod) const {
  auto object = cluster_.pod(pod.key);
  if (!object || object->meta.uid != pod.uid) return nullptr;
  return object;
}

bool PodLifecycle::waits(const Uid& pod) const {
  const auto* life = find(pod);
  return life != nullptr && life->state == PodState::waiting && !life->reservation;
}

bool PodLifecycle::denied(const Uid& pod) const {
  const auto* life = find(pod);
  return life != nullptr && life->denials >= most_denials;
}

std::optional<NodeName> PodLifecycle::reserved_node(const Uid& pod) const {
  const auto* life = find(pod);
  if (life == nullptr || !life->reservation) return std::nullopt;
  return life->reservation->node;
}

bool PodLifecycle::is_bound(const Uid& pod) const {
  if (const auto* life = find(pod); life != nullptr && life->state == PodState::bound) return true;
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
  unplaced_.insert(life.uid);
  return life;
}

Commands PodLifecycle::appeared(const Pod& pod) {
  Commands out;
  auto& life = follow(pod, true, out);
  // Who has been given up already, under an earlier leader, say, does not come by itself.
  life.filter_refused = life.filter_refused || unseen_.erase(life.uid) > 0 || not_scheduled(pod);
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
      if (options_.mode == Mode::advise && ended_in_vain(life, pod, out)) break;
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
  lifts_.left(pod);
  timers_.arm(pod, std::nullopt);
  const bool bound = life.state == PodState::bound;
  if (bound && life.reservation) {
    bound_.add(std::move(*life.reservation), std::move(life.claim_versions));
  }
  if (const auto name = by_name_.find(life.key); name != by_name_.end() && name->second == pod) {
    by_name_.erase(name);
  }
  refused_.erase(pod);
  unplaced_.erase(pod);
  reserved_.erase(pod);
  pods_.erase(found);
  out.emplace_back(PodDropped{pod, bound});
}

Commands PodLifecycle::reserve(const Placement& placement, const std::string& detail,
                               const std::vector<std::string>& warnings) {
  auto& life = pods_.at(placement.pod_uid);
  timers_.arm(life.uid, std::nullopt);
  cluster_.assume(placement);
  life.reservation = placement;
  reserved_.insert(life.uid);
  life.warnings = warnings;
  life.wait.reason = Reason::none;
  life.wait.detail = detail;
  life.wait.tell_at.reset();
  life.attempts = 0;
  life.offer.answers = 0;
  return {JobChanged{life.uid}};
}

Commands PodLifecycle::release(const Uid& pod) {
  Commands out;
  release(pods_.at(pod), out);
  return out;
}

void PodLifecycle::release(PodLife& pod, Commands& out) {
  lifts_.left(pod.uid);
  timers_.arm(pod.uid, std::nullopt);
  pod.wait.tell_at.reset();
  pod.state = PodState::waiting;
  unplaced_.insert(pod.uid);
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

void PodLifecycle::refuse_node(PodLife& pod, Time now, Commands& out, Duration life) {
  const auto node = pod.reservation->node;
  ResourceVersion version;
  if (const auto* facts = cluster_.find_node(node)) version = facts->resource_version;
  pod.refused[node] = {std::move(version), now + life};
  refused_.insert(pod.uid);
  pod.filter_refused = true;
  release(pod, out);
  pod.wait.reason = Reason::node_refused;
  out.emplace_back(ReservationEnded{pod.uid, true});
}

/// The API server said no to the placement. One that it keeps saying no to is given up: its room is
/// others', and its owner is told why.
bool PodLifecycle::gave_up(PodLife& pod, const std::string& error, Time now, Commands& out) {
  if (++pod.denials < most_denials || !pod.reservation) return false;
  const auto longer = std::min(pod.denials - most_denials, 5U);
  auto note = "dray: node " + pod.reservation->node.get() + " is given up: " + error;
  refuse_node(pod, now, out, refusal_life * (1 << longer));
  pod.wait.detail = error;
  out.emplace_back(Send{RecordEvent{.pod = pod.key,
                                    .uid = pod.uid,
                                    .event = {.type = "Warning",
                                              .reason = "PlacementRefused",
                                              .action = "Binding",
                                              .note = std::move(note)}},
                        ForNothing{}});
  return true;
}

bool PodLifecycle::offered_in_vain(const Uid& pod, Time now) const {
  const auto& life = pods_.at(pod);
  return life.reservation && !life.fixed() && life.offer.answers >= most_answers &&
         now - life.offer.first_answer >= reservation_life(life);
}

void PodLifecycle::filter_answered(const Uid& pod, Time now) {
  auto& life = pods_.at(pod);
  if (life.fixed()) return;
  life.state = PodState::offered;
  life.offer.asked = true;
  if (life.offer.answers++ == 0) life.offer.first_answer = now;
  life.filter_refused = false;
  wait_for_requests(life, now);
}

void PodLifecycle::filter_refused(const Uid& pod) {
  pods_.at(pod).filter_refused = true;
}

void PodLifecycle::bind_begun(const Uid& pod) {
  auto& life = pods_.at(pod);
  life.state = PodState::binding;
  life.offer.answers = 0;
  timers_.arm(pod, std::nullopt);
}

Commands PodLifecycle::bind_ended(const BindEnded& ended, Time now) {
  Commands out;
  const auto& uid = ended.placement.pod_uid;
  lifts_.ended(uid, ended.result == Binding::Result::bound, now);
  const auto found = pods_.find(uid);
  if (found == pods_.end()) {
    // Bound: the watch was faster. Or what is written stays, which the watch has yet to show.
    if (ended.result == Binding::Result::bound || ended.keeps_claims) {
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
    reserved_.insert(uid);
    life.claim_versions = ended.claim_versions;
    // Only a request has shown it: if it goes while the watch is away, no event will ever tell.
    if (!life.seen) timers_.arm(uid, now + reservation_life(life));
    return out;
  }
  life.wait.detail = ended.error;
  if (life.bypasses) {
    cluster_.forget(uid);
    life.state = PodState::offered;
  } else if (ended.result == Binding::Result::refused && !ended.keeps_claims) {
    life.filter_refused = true;
    release(life, out);
  } else if (!ended.denied || ended.keeps_claims || !gave_up(life, ended.error, now, out)) {
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
  wait_for_requests(pod, now);
}

std::optional<Time> PodLifecycle::next_tick() const {
  const auto next = timers_.next();
  const auto lifts = lifts_.next_tick();
  if (!next || !lifts) return next ? next : lifts;
  return std::min(*next, *lifts);
}

Commands PodLifecycle::tick(Time now) {
  Commands out;
  const auto pod = timers_.take_due(now);
  if (!pod) return offer_due(now);
  auto& life = pods_.at(*pod);
  switch (life.state) {
    case PodState::nominating:
    case PodState::lifting:
      offer(life, now, out);
      break;
    case PodState::offered:
      if (life.offer.wake_at && now < life.offer.until) {
        life.offer.wake_at.reset();
        timers_.arm(*pod, life.offer.until);
        if (const auto shown = object(life)) wake(life, *shown, now, out);
      } else {
        ran_out(life, now, out);
      }
      break;
    case PodState::waiting:
      if (!life.seen) {
        drop(*pod, out);
        break;
      }
      if (std::erase_if(life.refused,
                        [now](const auto& entry) { return entry.second.until <= now; }) > 0) {
        out.emplace_back(PlanNow{});
      }
      if (life.refused.empty()) refused_.erase(*pod);
      if (life.wait.tell_at && *life.wait.tell_at <= now) {
        life.wait.tell_at.reset();
        report(life, now, out);
      }
      arm_waiting(life);
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
    return wait_for_requests(pod, now);
  }
  ++expired_;
  // Nobody asked, though kube-scheduler was woken: the node was rejected before dray was heard.
  if (!pod.offer.asked && pod.offer.heard_of()) return refuse_node(pod, now, out);
  pod.filter_refused = true;
  release(pod, out);
  out.emplace_back(ReservationEnded{pod.uid});
}

Commands PodLifecycle::reset() {
  Commands out;
  lifts_.reset();
  for (auto& [uid, life] : pods_) {
    release(life, out);
    cluster_.forget(uid);
    life.filter_refused = true;
    life.offer.waking = false;  // nobody tells what becomes of it
    out.emplace_back(JobChanged{uid});
  }
  return out;
}

}  // namespace dray::engine
