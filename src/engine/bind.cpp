#include <algorithm>
#include <utility>

#include "engine/state.h"

// The bind verb: idempotent by pod uid, answered only when the API server has said so.

namespace dray::engine {
namespace {

constexpr std::size_t decisions_kept = 1024;

}  // namespace

void Engine::State::answer(RequestId id, std::string error) {
  effects.emplace_back(AnswerBind{id, std::move(error)});
}

void Engine::State::bind(RequestId id, const extender::BindRequest& request, Time now) {
  if (!leading) return answer(id, std::string(text(Reason::not_leader)));
  const auto name = "pod " + request.pod.to_string();
  if (auto* track = find_track(request.pod, request.uid)) {
    return bind_tracked(*track, id, request.node, now);
  }
  const auto pod = cluster.pod(request.pod);
  if (!pod) return answer(id, name + " is not known to dray");
  if (pod->meta.uid != request.uid) return answer(id, name + " has another uid now");
  if (pod->node_name == request.node) return answer(id, "");
  if (pod->node_name) return answer(id, name + " is bound to another node");
  if (pod->meta.deleted) return answer(id, name + " is being deleted");
  if (!passes_through(*cluster.snapshot(), *pod)) {
    return answer(id, name + " has claims, but its scheduler is \"" + pod->scheduler_name +
                          "\" and not \"" + options.scheduler_name + "\"");
  }
  bind_tracked(track_pod(*pod, true), id, request.node, now);
}

void Engine::State::bind_tracked(PodTrack& track, RequestId id, const NodeName& node, Time now) {
  const auto name = "pod " + track.key.to_string();
  if (const auto run = bindings.find(track.uid); run != bindings.end()) {
    if (run->second.binding.placement().node != node) {
      return answer(id, name + " is being bound to another node");
    }
    return run->second.waiting.push_back(id);
  }
  if (track.stage == Stage::bound) {
    const bool here = track.reservation && track.reservation->node == node;
    return answer(id, here ? "" : name + " is bound to another node");
  }
  if (track.passes) {
    return start_binding(track, id,
                         {.pod = track.key, .pod_uid = track.uid, .node = node, .claims = {}}, now);
  }
  if (track.reservation && track.reservation->node != node) {
    return answer(id, name + ": " + std::string(text(Reason::reserved_elsewhere)));
  }
  if (!track.reservation) plan_on_the_spot(track, {node}, now);
  if (!track.reservation) {
    return answer(id, name + ", node " + node.get() + ": " + std::string(text(track.reason)));
  }
  start_binding(track, id, *track.reservation, now);
}

void Engine::State::start_binding(PodTrack& track, RequestId id, Placement placement, Time now) {
  PodClaims claims;
  for (const auto& want : placement.claims) {
    auto claim = cluster.claim(want.claim);
    if (!claim && !want.extended) {
      release(track);
      return answer(id, "claim " + want.claim.to_string() + " does not exist any more");
    }
    claims.push_back(std::move(claim));
  }
  const auto uid = track.uid;
  if (!track.reservation) cluster.assume(placement);  // its room counts until the watch shows it
  track.stage = Stage::binding;
  arm(track, std::nullopt);
  auto& run = bindings
                  .try_emplace(uid, BindingRun{Binding(std::move(placement), epoch, now),
                                               {id},
                                               track.detail,
                                               track.warnings,
                                               {}})
                  .first->second;
  const auto commands = run.binding.start(claims, now);
  carry(uid, commands, now);
}

void Engine::State::carry(const Uid& uid, const Binding::Commands& commands, Time now) {
  for (const auto& command : commands) send(command.write, ForBinding{uid, command.token});
  const auto run = bindings.find(uid);
  if (run == bindings.end()) return;
  if (run->second.binding.finished()) return settle_binding(uid, now);
  arm_binding(uid, run->second.binding.next_tick());
}

void Engine::State::arm_binding(const Uid& uid, std::optional<Time> at) {
  auto& timer = bindings.at(uid).timer;
  if (timer) binding_timers.erase({*timer, uid});
  timer = at;
  if (at) binding_timers.insert({*at, uid});
}

/// What works but may not be meant is told in Events, once the pod is bound.
void Engine::State::warn(const BindingRun& run) {
  const auto& placement = run.binding.placement();
  for (const auto& warning : run.warnings) {
    send(RecordEvent{
        placement.pod, placement.pod_uid, {"Warning", "DoubtfulDevices", "Binding", warning}});
  }
}

void Engine::State::settle_binding(const Uid& uid, Time now) {
  arm_binding(uid, std::nullopt);
  const auto entry = bindings.extract(uid);
  const auto& run = entry.mapped();
  const auto result = *run.binding.result();
  for (const auto id : run.waiting) answer(id, run.binding.error());
  const auto found = tracks.find(uid);
  if (result == Binding::Result::bound) {
    decided.push_back({run.binding.placement().pod, run.binding.placement(), run.detail});
    if (decided.size() > decisions_kept) decided.pop_front();
    ++counts.binds_done;
    warn(run);
  } else if (result != Binding::Result::waiting) {
    ++counts.binds_undone;
  }
  if (found == tracks.end()) {  // the watch was faster, or the pod is gone
    if (result == Binding::Result::bound) {
      return let_go(run.binding.placement(), run.binding.claim_versions());
    }
    return cluster.forget(uid);
  }
  auto& track = found->second;
  arm(track, std::nullopt);
  if (result == Binding::Result::bound) {
    track.stage = Stage::bound;
    track.reservation = run.binding.placement();
    track.claim_versions = run.binding.claim_versions();
    return;
  }
  track.detail = run.binding.error();
  if (track.passes) {
    cluster.forget(uid);
    track.stage = Stage::offered;
  } else if (result == Binding::Result::failed || result == Binding::Result::waiting) {
    track.stage = Stage::offered;
    track.asked = true;  // it comes back by itself, after its back-off
    arm(track, now + options.reservation_life);
  } else {
    track.told_no = true;
    release(track);
  }
}

}  // namespace dray::engine
