#include <algorithm>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/pod_lifecycle.h"

// How a pod with a place is handed to kube-scheduler, and what the owner of one without is told.

namespace dray::engine {
namespace {

Condition reserved_condition() {
  return {.type = admitted_condition,
          .status = "True",
          .reason = "Reserved",
          .message = "dray: devices are reserved for the pod",
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
  if (pod.wait.reported != Reason::none) {
    set_admitted(pod, reserved_condition(), now, out);
    pod.wait.reported = Reason::none;
  }
  Labels annotations;
  if (pod.reservation) annotations.emplace(reservation_annotation, pod.reservation->node.get());
  out.emplace_back(Send{LiftGate{pod.key, pod.uid, std::move(annotations)}, ForLift{pod.uid}});
}

/// The pod has no gate (any more): kube-scheduler comes by itself, or is woken if it gave up.
void PodLifecycle::offered(PodLife& pod, const Pod& object, Time now, Commands& out) {
  pod.state = PodState::offered;
  pod.offer.asked = false;
  pod.attempts = 0;
  pod.offer.verdict = scheduling_verdict(object);
  if (!pod.reservation) return;
  timers_.arm(pod.uid, now + reservation_life(pod));
  if (!std::exchange(pod.filter_refused, false)) return;
  // An annotation that is there already would change nothing, and wake nobody.
  const auto hint = object.meta.annotations.find(reservation_annotation);
  if (hint != object.meta.annotations.end() && hint->second != pod.reservation->node.get()) {
    out.emplace_back(
        Send{AnnotatePod{pod.key, pod.uid, {{reservation_annotation, pod.reservation->node.get()}}},
             ForNothing{}});
    return;
  }
  set_admitted(pod, reserved_condition(), now, out);
}

Commands PodLifecycle::lift_written(const Uid& pod, const WriteOutcome& outcome, Time now) {
  Commands out;
  const auto found = pods_.find(pod);
  if (found == pods_.end()) return out;
  auto& life = found->second;
  if (!outcome) life.exposed = false;
  if (life.state != PodState::nominating && life.state != PodState::lifting) return out;
  const auto object = this->object(life);
  if (!object) return out;
  if (!outcome) {
    // Whatever went wrong, the watch shows the pod as it is before the next attempt.
    ++life.attempts;
    life.wait.detail = "lifting the gate: " + outcome.error().message;
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

Commands PodLifecycle::expose(const Uid& pod) {
  auto& life = pods_.at(pod);
  life.exposed = true;
  return {Send{LiftGate{life.key, life.uid, {}}, ForLift{life.uid}}};
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
  report(life, now, out);
  return out;
}

Commands PodLifecycle::waits_for_room(const Uid& pod, Reason reason, const std::string& detail,
                                      Time now) {
  auto& life = pods_.at(pod);
  // Nothing else would tell that a refused node may be tried again.
  std::erase_if(life.refused, [&](const auto& entry) { return entry.second.until <= now; });
  std::optional<Time> first;
  for (const auto& [node, refusal] : life.refused) {
    if (!first || refusal.until < *first) first = refusal.until;
  }
  timers_.arm(pod, first);
  return waits(pod, reason, detail, false, now);
}

void PodLifecycle::waits_quietly(const Uid& pod, Reason reason, const std::string& detail,
                                 Time now) {
  auto& life = pods_.at(pod);
  life.wait.reason = reason;
  life.wait.detail = detail;
  if (!timers_.armed(pod)) timers_.arm(pod, now + claim_patience);
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

}  // namespace dray::engine
