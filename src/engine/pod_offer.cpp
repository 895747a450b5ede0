#include <algorithm>
#include <cmath>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/pod_lifecycle.h"

// How a pod with a place is handed to kube-scheduler, and what the owner of one without is told.

namespace dray::engine {
namespace {

Condition reserved_condition(Mode mode) {
  return {.type = admitted_condition,
          .status = "True",
          .reason = mode == Mode::allocate ? "Reserved" : "Admitted",
          .message = mode == Mode::allocate ? "dray: devices are reserved for the pod"
                                            : "dray: there is room for the pod",
          .last_transition = {}};
}

Duration lift_backoff(std::uint32_t attempts) {
  return std::chrono::milliseconds(50) * (1 << std::min<std::uint32_t>(attempts, 7));
}

void set_admitted(const PodLife& pod, Condition condition, Time now, Commands& out) {
  condition.last_transition = now;
  out.emplace_back(Send{SetPodCondition{pod.key, pod.uid, std::move(condition)}, ForNothing{}});
}

}  // namespace

Commands PodLifecycle::offer(const Uid& pod, Time now) {
  Commands out;
  const auto found = pods_.find(pod);
  if (found != pods_.end()) offer(found->second, now, out);
  return out;
}

Commands PodLifecycle::offer_due(Time now) {
  Commands out;
  for (auto pods = lifts_.take_due(now); !pods.empty(); pods = lifts_.take_due(now)) {
    for (const auto& uid : pods) {
      const auto found = pods_.find(uid);
      const bool is_held = found != pods_.end() && found->second.reservation &&
                           found->second.state == PodState::waiting;
      if (is_held) {
        offer(found->second, now, out);
      } else {
        lifts_.left(uid);
      }
    }
  }
  return out;
}

void PodLifecycle::offer(PodLife& pod, Time now, Commands& out) {
  const auto object = this->object(pod);
  if (!object) {
    timers_.arm(pod.uid, now + options_.reservation_life);
    pod.state = PodState::offered;
    return;
  }
  if (!gated_by(*object, options_.gate)) return offered(pod, *object, now, out);
  if (pod.reservation && cluster_.totals().nodes >= options_.nominate_from_nodes &&
      object->nominated_node != pod.reservation->node) {
    pod.state = PodState::nominating;
    out.emplace_back(Send{NominateNode{pod.key, pod.uid, pod.reservation->node}, ForLift{pod.uid}});
    return;
  }
  lift(pod, now, out);
}

void PodLifecycle::lift(PodLife& pod, Time now, Commands& out) {
  pod.state = PodState::lifting;
  pod.filter_refused = false;  // that its gate goes wakes it
  if (pod.wait.reported != Reason::none) {
    set_admitted(pod, reserved_condition(options_.mode), now, out);
    pod.wait.reported = Reason::none;
  }
  Labels annotations;
  if (pod.reservation && options_.mode == Mode::allocate)
    annotations.emplace(reservation_annotation, pod.reservation->node.get());
  out.emplace_back(Send{LiftGate{pod.key, pod.uid, std::move(annotations)}, ForLift{pod.uid}});
}

/// The pod has no gate (any more): kube-scheduler comes by itself, or is woken if it gave up.
void PodLifecycle::offered(PodLife& pod, const Pod& object, Time now, Commands& out) {
  pod.state = PodState::offered;
  pod.offer.asked = false;
  pod.attempts = 0;
  pod.offer.verdict = scheduling_verdict(object);
  if (!pod.reservation) return;
  wait_for_requests(pod, now);
  if (std::exchange(pod.filter_refused, false)) wake(pod, object, now, out);
}

void PodLifecycle::refused_unseen(const Uid& pod, Time now) {
  if (now >= unseen_swept_ + options_.reservation_life) {
    std::erase_if(unseen_, [&](const auto& entry) { return entry.second <= unseen_swept_; });
    unseen_swept_ = now;
  }
  unseen_.insert_or_assign(pod, now);
}

void PodLifecycle::wait_for_requests(PodLife& pod, Time now) {
  pod.offer.until = now + reservation_life(pod);
  pod.offer.wake_at.reset();
  timers_.arm(pod.uid, pod.offer.until);
}

void PodLifecycle::wake(PodLife& pod, const Pod& object, Time now, Commands& out) {
  pod.offer.woken_from = object.meta.resource_version;
  pod.offer.waking = true;
  // An annotation that is there already would change nothing, and wake nobody.
  const auto hint = object.meta.annotations.find(reservation_annotation);
  if (options_.mode == Mode::allocate && hint != object.meta.annotations.end() &&
      hint->second != pod.reservation->node.get()) {
    out.emplace_back(
        Send{AnnotatePod{pod.key, pod.uid, {{reservation_annotation, pod.reservation->node.get()}}},
             ForWake{pod.uid}});
    return;
  }
  auto condition = reserved_condition(options_.mode);
  condition.last_transition = now;
  out.emplace_back(
      Send{SetPodCondition{pod.key, pod.uid, std::move(condition), true}, ForWake{pod.uid}});
}

/// The pod that came back, if one did. A binding that names its version binds what it says: where
/// it names other claims than those that are reserved, its version is not taken.
const Pod* PodLifecycle::note_version(PodLife& pod, const WriteOutcome& outcome) {
  const auto* written = outcome ? std::get_if<Pod>(&*outcome) : nullptr;
  if (written == nullptr) return nullptr;
  const bool as_placed = pod.reservation && !uses_other_claims(*written, *pod.reservation);
  if (as_placed) pod.offer.written = written->meta.resource_version;
  return written;
}

/// A condition's time has whole seconds: one that is written again within the same is the same, and
/// the API server tells nobody.
Commands PodLifecycle::wake_written(const Uid& pod, const WriteOutcome& outcome, Time now) {
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return {};
  auto& life = found->second;
  life.offer.waking = false;
  const auto* written = note_version(life, outcome);
  if (life.state != PodState::offered || life.offer.asked || !life.reservation) return {};
  const bool same = written != nullptr && written->meta.resource_version == life.offer.woken_from;
  if (outcome && !same) return {};
  const auto pause = std::max<Duration>(lift_backoff(++life.attempts), std::chrono::seconds(1));
  life.offer.wake_at = now + pause;
  timers_.arm(pod, std::min(*life.offer.wake_at, life.offer.until));
  return {};
}

Commands PodLifecycle::lift_written(const Uid& pod, const WriteOutcome& outcome, Time now) {
  Commands out;
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return out;
  auto& life = found->second;
  note_version(life, outcome);
  if (!outcome) life.exposed = false;
  if (life.state != PodState::nominating && life.state != PodState::lifting) return out;
  const auto object = this->object(life);
  if (!object) return out;
  if (!outcome) {
    // Whatever went wrong, the watch shows the pod as it is before the next attempt.
    ++life.attempts;
    life.wait.detail = "lifting the gate: " + outcome.error().message;
    if (surely_refused(outcome.error()) && gave_up(life, life.wait.detail, now, out)) return out;
    timers_.arm(pod, now + lift_backoff(life.attempts));
  } else if (life.state == PodState::nominating) {
    lift(life, now, out);
  } else {
    offered(life, *object, now, out);
  }
  return out;
}

/// kube-scheduler clears the nominated node when a cycle fails; while the reservation lives, it is
/// set again, so that the next cycle tries that node first.
void PodLifecycle::keep_nominated(PodLife& pod, const Pod& object, Commands& out) {
  if (!pod.reservation || cluster_.totals().nodes < options_.nominate_from_nodes) return;
  if (object.nominated_node == pod.reservation->node) {
    pod.offer.nominated = false;
  } else if (!std::exchange(pod.offer.nominated, true)) {
    out.emplace_back(Send{NominateNode{pod.key, pod.uid, pod.reservation->node}, ForNothing{}});
  }
}

Commands PodLifecycle::expose(const Uid& pod, Labels annotations) {
  auto& life = pods_.at(pod);
  life.exposed = true;
  return {Send{LiftGate{life.key, life.uid, std::move(annotations)}, ForLift{life.uid}}};
}

Commands PodLifecycle::waits(const Uid& pod, Reason reason, const std::string& detail, bool again,
                             Time now) {
  Commands out;
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return out;
  auto& life = found->second;
  life.wait.reason = reason;
  life.wait.detail = detail;
  if (again) life.wait.reported = Reason::none;
  // No plan changes what is not supported; and `again` is for who looks at the pod by its changes.
  if (again || reason == Reason::unsupported || life.state != PodState::waiting) {
    report(life, now, out);
    if (life.state == PodState::waiting) tell_by(life, now);
  } else {
    tell_by(life, now + (reason == Reason::planning ? claim_patience : options_.tell_after));
  }
  return out;
}

Commands PodLifecycle::waits_for_room(const Uid& pod, Reason reason, const std::string& detail,
                                      Time now) {
  auto& life = pods_.at(pod);
  // Said before, and told or about to be.
  const auto& wait = life.wait;
  if (life.refused.empty() && wait.reason == reason && wait.detail == detail &&
      (wait.tell_at || wait.reported == reason)) {
    return {};
  }
  return waits(pod, reason, detail, false, now);
}

void PodLifecycle::waits_quietly(const Uid& pod, Reason reason, const std::string& detail,
                                 Time now) {
  auto& life = pods_.at(pod);
  life.wait.reason = reason;
  life.wait.detail = detail;
  tell_by(life, now + claim_patience);
}

/// Whatever the Reason is by then is told. Said again, the patience does not begin anew.
void PodLifecycle::tell_by(PodLife& pod, Time at) {
  auto& wait = pod.wait;
  const auto object = this->object(pod);
  const bool is_gated = object && !object->scheduling_gates.empty();
  if (!is_gated || wait.reason == wait.reported) {
    wait.tell_at.reset();
  } else {
    wait.tell_at = std::min(wait.tell_at.value_or(at), at);
  }
  arm_waiting(pod);
}

/// Nothing else would tell that a refused node may be tried again: what has run out stays until
/// tick() has asked for a plan, since the last one may have been made before.
void PodLifecycle::arm_waiting(const PodLife& pod) {
  auto first = pod.wait.tell_at;
  for (const auto& [node, refusal] : pod.refused) {
    if (!first || refusal.until < *first) first = refusal.until;
  }
  timers_.arm(pod.uid, first);
}

/// Tells a gated pod's owner why it waits; only when the Reason changes, since each patch is a
/// write (an ungated pod hears it from kube-scheduler, and a patch would wake it for nothing).
void PodLifecycle::report(PodLife& pod, Time now, Commands& out) {
  const auto object = this->object(pod);
  auto& wait = pod.wait;
  if (!object || object->scheduling_gates.empty() || wait.reason == wait.reported) return;
  wait.reported = wait.reason;
  auto message = std::string(text(wait.reason));
  if (!wait.detail.empty()) message += ": " + wait.detail;
  set_admitted(pod,
               {.type = admitted_condition,
                .status = "False",
                .reason = std::string(name(wait.reason)),
                .message = std::move(message),
                .last_transition = {}},
               now, out);
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
