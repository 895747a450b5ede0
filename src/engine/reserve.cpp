#include <algorithm>
#include <cmath>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/state.h"

// Reservations: how a placement is held, handed to kube-scheduler, and given up.

namespace dray::engine {
namespace {

constexpr Duration refusal_life = std::chrono::seconds(60);

Condition reserved_condition() {
  return {.type = admitted_condition,
          .status = "True",
          .reason = "Reserved",
          .message = "dray: devices are reserved for the pod",
          .last_transition = {}};
}

Duration backoff(std::uint32_t attempts) {
  return std::chrono::milliseconds(50) * (1 << std::min<std::uint32_t>(attempts, 7));
}

}  // namespace

void Engine::State::arm(PodTrack& track, std::optional<Time> at) {
  if (track.timer) timers.erase({*track.timer, track.uid});
  track.timer = at;
  if (at) timers.insert({*at, track.uid});
}

void Engine::State::reserve(PodTrack& track, Placement placement) {
  arm(track, std::nullopt);
  cluster.assume(placement);
  track.reservation = std::move(placement);
  track.reason = Reason::none;
  track.attempts = 0;
  book.touch(track.uid);
}

void Engine::State::release(PodTrack& track) {
  arm(track, std::nullopt);
  track.stage = Stage::waiting;
  if (!track.reservation) return;
  cluster.forget(track.uid);
  track.reservation.reset();
  track.reason = Reason::planning;
  book.touch(track.uid);
  plan_wanted = true;
}

void Engine::State::offer(PodTrack& track, Time now) {
  const auto pod = pod_of(track);
  if (!pod) {
    arm(track, now + options.reservation_life);
    track.stage = Stage::offered;
    return;
  }
  if (!gated_by(*pod, options.gate)) return offered(track, *pod, now);
  if (track.reservation && cluster.totals().nodes >= options.nominate_from_nodes &&
      pod->nominated_node != track.reservation->node) {
    track.stage = Stage::nominating;
    return send(NominateNode{track.key, track.uid, track.reservation->node}, ForLift{track.uid});
  }
  lift(track, *pod, now);
}

void Engine::State::lift(PodTrack& track, const Pod& pod, Time now) {
  track.stage = Stage::lifting;
  if (track.reported != Reason::none) {
    set_admitted(track, reserved_condition(), now);
    track.reported = Reason::none;
  }
  Labels annotations;
  if (track.reservation) {
    annotations.emplace(reservation_annotation, track.reservation->node.get());
  }
  send(LiftGate{pod.key(), track.uid, std::move(annotations)}, ForLift{track.uid});
}

/// The pod has no gate (any more): kube-scheduler comes by itself, or is woken if it was told no.
void Engine::State::offered(PodTrack& track, const Pod& pod, Time now) {
  track.stage = Stage::offered;
  track.asked = false;
  track.attempts = 0;
  track.verdict_at_offer = scheduling_verdict(pod);
  if (track.reservation) arm(track, now + reservation_life(track));
  if (!track.reservation || !std::exchange(track.told_no, false)) return;
  // An annotation that is there already would change nothing, and wake nobody.
  const auto hint = pod.meta.annotations.find(reservation_annotation);
  if (hint != pod.meta.annotations.end() && hint->second != track.reservation->node.get()) {
    return send(AnnotatePod{
        track.key, track.uid, {{reservation_annotation, track.reservation->node.get()}}});
  }
  set_admitted(track, reserved_condition(), now);
}

void Engine::State::lift_written(const Uid& uid, const WriteOutcome& outcome, Time now) {
  const auto found = tracks.find(uid);
  if (found == tracks.end()) return;
  auto& track = found->second;
  if (!outcome) track.exposed = false;
  if (track.stage != Stage::nominating && track.stage != Stage::lifting) return;
  const auto pod = pod_of(track);
  if (!pod) return;
  if (outcome) {
    return track.stage == Stage::nominating ? lift(track, *pod, now) : offered(track, *pod, now);
  }
  // Whatever went wrong, the watch shows the pod as it is before the next attempt.
  ++track.attempts;
  track.detail = "lifting the gate: " + outcome.error().message;
  arm(track, now + backoff(track.attempts));
}

/// kube-scheduler lets a whole PodGroup wait after a failure, up to 10 s times the root of its
/// size; its reservations live longer than that.
Duration Engine::State::reservation_life(const PodTrack& track) const {
  const auto pod = pod_of(track);
  const auto job = pod && pod->pod_group ? book.job_of(track.uid) : nullptr;
  if (!job) return options.reservation_life;
  const auto back_off = std::chrono::seconds(10) * std::sqrt(job->members.size());
  return options.reservation_life + std::chrono::duration_cast<Duration>(back_off);
}

void Engine::State::reservation_ran_out(PodTrack& track, Time now) {
  if (!track.seen)
    return drop_pod(Uid(track.uid), now);  // a pod that only a request has ever shown
  const auto pod = pod_of(track);
  if (!track.reservation) return;
  if (pod && pod->nominated_node == track.reservation->node && track.asked) {
    return arm(track, now + reservation_life(track));
  }
  ++counts.reservations_expired;
  if (!track.asked) return refuse_reserved_node(track, now);
  track.told_no = true;
  release(track);
  release_gang(track, now);
}

/// A gang is planned as one: while it has not begun to run, nobody keeps a place without the
/// others.
void Engine::State::release_gang(const PodTrack& track, Time now) {
  const auto job = uncommitted_gang(track.uid, now);
  if (!job || gangs.contains(job->uid)) return;
  for (const auto& member : job->members) {
    const auto found = tracks.find(member.pod->meta.uid);
    if (found == tracks.end()) continue;
    auto& other = found->second;
    if (!other.reservation || other.stage == Stage::binding || other.stage == Stage::bound) {
      continue;
    }
    other.told_no = true;
    release(other);
  }
}

void Engine::State::refuse_reserved_node(PodTrack& track, Time now) {
  const auto node = track.reservation->node;
  ResourceVersion version;
  if (const auto* facts = cluster.find_node(node)) version = facts->resource_version;
  track.refused[node] = {std::move(version), now + refusal_life};
  track.told_no = true;
  release(track);
  track.reason = Reason::node_refused;
  release_gang(track, now);
}

void Engine::State::set_admitted(PodTrack& track, Condition condition, Time now) {
  condition.last_transition = now;
  send(SetPodCondition{track.key, track.uid, std::move(condition)});
}

/// kube-scheduler clears the nominated node when a cycle fails; while the reservation lives, it is
/// set again, so that the next cycle tries that node first.
void Engine::State::keep_nominated(PodTrack& track, const Pod& pod) {
  if (!track.reservation || cluster.totals().nodes < options.nominate_from_nodes) return;
  if (pod.nominated_node == track.reservation->node) {
    track.nominated = false;
  } else if (!std::exchange(track.nominated, true)) {
    send(NominateNode{track.key, track.uid, track.reservation->node});
  }
}

void Engine::State::wait_for(PodTrack& track, Reason reason, const std::string& detail, Time now) {
  track.reason = reason;
  track.detail = detail;
  report_waiting(track, now);
}

/// Tells a gated pod's owner why it waits; only when the Reason changes, since each patch is a
/// write (an ungated pod hears it from kube-scheduler, and a patch would wake it for nothing).
void Engine::State::report_waiting(PodTrack& track, Time now) {
  const auto pod = pod_of(track);
  if (!pod || pod->scheduling_gates.empty() || track.reason == track.reported) return;
  track.reported = track.reason;
  auto message = std::string(text(track.reason));
  if (!track.detail.empty()) message += ": " + track.detail;
  set_admitted(track,
               {.type = admitted_condition,
                .status = "False",
                .reason = std::string(name(track.reason)),
                .message = std::move(message),
                .last_transition = {}},
               now);
}

}  // namespace dray::engine
