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

void Engine::State::answer(const std::vector<RequestId>& ids, const std::string& error) {
  for (const auto id : ids) answer(id, error);
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
  if (!passes(*pod)) {
    return answer(id, name + " has claims, but its scheduler is \"" + pod->scheduler_name +
                          "\" and not \"" + options.scheduler_name + "\"");
  }
  bind_tracked(track_pod(*pod, true, now), id, request.node, now);
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
    return start_binding(track, {id},
                         {.pod = track.key, .pod_uid = track.uid, .node = node, .claims = {}},
                         Binding::Pace::at_once, now);
  }
  if (track.reservation && track.reservation->node != node) {
    return answer(id, name + ": " + std::string(text(Reason::reserved_elsewhere)));
  }
  if (!track.reservation) plan_on_the_spot(track, {node}, now);
  if (!track.reservation) {
    return answer(id, name + ", node " + node.get() + ": " + std::string(text(track.reason)));
  }
  if (const auto gang = uncommitted_gang(track.uid, now)) return join_gang(track, gang, id, now);
  start_binding(track, {id}, *track.reservation, Binding::Pace::at_once, now);
}

/// A claim that Kubernetes made for a PodGroup is used by the group, not by its pods (KEP-5729).
std::vector<ClaimConsumer> Engine::State::claim_users(const Pod& pod,
                                                      const planner::PodClaims& claims) const {
  const auto* group =
      pod.pod_group ? book.groups().pod_group(pod.meta.namespace_name, *pod.pod_group) : nullptr;
  std::vector<ClaimConsumer> users;
  for (const auto& claim : claims) {
    const bool of_group =
        group != nullptr && std::ranges::any_of(claim->meta.owners, [&](const auto& owner) {
          return owner.uid == group->meta.uid;
        });
    users.push_back(of_group ? ClaimConsumer{.api_group = "scheduling.k8s.io",
                                             .resource = group_consumer_resource,
                                             .name = group->meta.name,
                                             .uid = group->meta.uid}
                             : consumer_of(pod.key(), pod.meta.uid));
  }
  return users;
}

void Engine::State::start_binding(PodTrack& track, std::vector<RequestId> ids, Placement placement,
                                  Binding::Pace pace, Time now) {
  const auto uid = track.uid;
  planner::PodClaims claims;
  for (const auto& want : placement.claims) {
    auto claim = cluster.claim(want.claim);
    if (!claim && !want.extended) {
      const auto error = "claim " + want.claim.to_string() + " does not exist any more";
      release(track);
      answer(ids, error);
      return gang_member_ended(uid, false, error, now);
    }
    claims.push_back(std::move(claim));
  }
  if (!track.reservation) cluster.assume(placement);  // its room counts until the watch shows it
  track.stage = Stage::binding;
  arm(track, std::nullopt);
  const auto job = book.job_of(uid);
  BindingRun made{Binding(std::move(placement), epoch, now, pace),
                  std::move(ids),
                  track.detail,
                  track.warnings,
                  job ? job->queue.get() : "",
                  job ? job->name : "",
                  {}};
  auto& run = bindings.try_emplace(uid, std::move(made)).first->second;
  const auto pod = pod_of(track);
  const auto commands = run.binding.start(
      claims, now, pod ? claim_users(*pod, claims) : std::vector<ClaimConsumer>{});
  carry(uid, commands, now);
}

void Engine::State::carry(const Uid& uid, const Binding::Commands& commands, Time now) {
  for (const auto& command : commands) send(command.write, ForBinding{uid, command.token});
  const auto run = bindings.find(uid);
  if (run == bindings.end()) return;
  if (run->second.binding.finished()) return settle_binding(uid, now);
  arm_binding(uid, run->second.binding.next_tick());
  if (run->second.binding.waits()) gang_claims_written(uid, now);
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
    decided.push_back(
        {run.binding.placement().pod, run.binding.placement(), run.detail, run.queue, run.job});
    if (decided.size() > decisions_kept) decided.pop_front();
    ++counts.binds_done;
    warn(run);
  } else if (result != Binding::Result::waiting) {
    ++counts.binds_undone;
  }
  if (found != tracks.end()) {
    settle_track(found->second, run, now);
  } else {
    if (result == Binding::Result::bound) {  // the watch was faster
      let_go(run.binding.placement(), run.binding.claim_versions());
    } else {  // the pod is gone
      cluster.forget(uid);
    }
    plan_wanted = true;  // its room may have been free for a while
  }
  book.touch(uid);
  gang_member_ended(uid, result == Binding::Result::bound, run.binding.error(), now);
}

void Engine::State::settle_track(PodTrack& track, const BindingRun& run, Time now) {
  const auto result = *run.binding.result();
  arm(track, std::nullopt);
  if (result == Binding::Result::bound) {
    track.stage = Stage::bound;
    track.reservation = run.binding.placement();
    track.claim_versions = run.binding.claim_versions();
    // Only a request has shown it: if it goes while the watch is away, no event will ever tell.
    if (!track.seen) arm(track, now + reservation_life(track));
    return;
  }
  track.detail = run.binding.error();
  if (track.passes) {
    cluster.forget(track.uid);
    track.stage = Stage::offered;
  } else if (result == Binding::Result::failed || result == Binding::Result::waiting) {
    track.stage = Stage::offered;
    track.asked = true;  // it comes back by itself, after its back-off
    arm(track, now + reservation_life(track));
  } else {
    track.told_no = true;
    release(track);
  }
}

}  // namespace dray::engine
