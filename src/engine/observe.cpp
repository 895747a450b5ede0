#include <algorithm>
#include <charconv>
#include <utility>

#include "dray/model/pod_marks.h"
#include "engine/state.h"

// What the watch shows: objects come, change and go; leadership is won and lost.

namespace dray::engine {
namespace {

/// Devices of a pod that is gone for so long are not on their way to anybody.
constexpr Duration leaving_patience = std::chrono::minutes(2);

/// The API server's versions of one kind count up (KEP-5504); 0 where it is no number.
std::uint64_t number(const ResourceVersion& version) {
  std::uint64_t value = 0;
  const auto& text = version.get();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

std::shared_ptr<const Pod> Engine::State::pod_of(const PodTrack& track) const {
  auto pod = cluster.pod(track.key);
  if (!pod || pod->meta.uid != track.uid) return nullptr;
  return pod;
}

PodTrack* Engine::State::find_track(const PodKey& key, const Uid& uid) {
  const auto found = track_by_key.find(key);
  if (found == track_by_key.end() || found->second != uid) return nullptr;
  return &tracks.at(uid);
}

PodTrack& Engine::State::track_pod(const Pod& pod, bool seen, Time now) {
  const auto key = pod.key();
  if (const auto old = track_by_key.find(key);
      old != track_by_key.end() && old->second != pod.meta.uid) {
    drop_pod(Uid(old->second), now);
  }
  track_by_key[key] = pod.meta.uid;
  auto& track = tracks[pod.meta.uid];
  track.key = key;
  track.uid = pod.meta.uid;
  track.seen = seen;
  track.passes = passes(pod);
  return track;
}

void Engine::State::drop_pod(const Uid& uid, Time now) {
  const auto found = tracks.find(uid);
  if (found == tracks.end()) return;
  auto& track = found->second;
  arm(track, std::nullopt);
  // A binding under way goes on to its end: it alone knows what is to be undone.
  if (track.stage == Stage::bound && track.reservation) {
    let_go(std::move(*track.reservation), track.claim_versions);
  } else if (!bindings.contains(uid)) {
    cluster.forget(uid);
  }
  if (const auto key = track_by_key.find(track.key);
      key != track_by_key.end() && key->second == uid) {
    track_by_key.erase(key);
  }
  sharing.erase(uid);
  const bool unbound = track.stage != Stage::bound && !bindings.contains(uid);
  tracks.erase(found);
  if (unbound) gang_member_left(uid, now);
  book.touch(uid);
  plan_wanted = true;
}

/// A placement became real. Pods and claims are watched apart: its devices stay taken until the
/// watch has caught up with what was written to each claim, else they would look free for a moment.
void Engine::State::let_go(Placement placement, const std::vector<ResourceVersion>& versions) {
  const auto uid = placement.pod_uid;
  lingering[uid] = {std::move(placement), versions};
  forget_what_shows();
}

void Engine::State::forget_what_shows() {
  std::erase_if(lingering, [this](const auto& entry) {
    const auto& [placement, versions] = entry.second;
    for (std::size_t i = 0; i < placement.claims.size() && i < versions.size(); ++i) {
      const auto claim = cluster.claim(placement.claims[i].claim);
      // A claim that the binding made is not there before the watch shows it.
      if (!claim && placement.claims[i].extended && cluster.pod(entry.first)) return false;
      if (!claim || claim->meta.uid != placement.claims[i].claim_uid) continue;
      if (number(claim->meta.resource_version) < number(versions[i])) return false;
    }
    cluster.forget(entry.first);
    return true;
  });
}

void Engine::State::observe(const cluster::ObjectChanged& change, Time now) {
  const auto before = cluster.generation();
  cluster.apply(change);
  if (const auto* slice = std::get_if<ResourceSlice>(&change.object)) offers.put(*slice);
  if (observe_policy_object(change.object, now)) return;
  if (const auto* pod = std::get_if<Pod>(&change.object)) {
    observe_pod(*pod, now);
  } else if (cluster.generation() != before) {
    plan_wanted = true;
    // Resources that a class stands behind make a pod one with devices.
    if (kind_of(change.object) == Kind::device_class) readmit_all(now);
  }
  if (!lingering.empty() && kind_of(change.object) == Kind::resource_claim) forget_what_shows();
}

void Engine::State::observe(const cluster::ObjectGone& change, Time now) {
  cluster.apply(change);
  if (change.kind == Kind::resource_slice) offers.erase(change.name);
  if (forget_policy_object(change, now)) return;
  plan_wanted = true;
  if (change.kind == Kind::resource_claim) {
    share_gone({change.namespace_name, change.name});
    if (!lingering.empty()) forget_what_shows();
  }
  if (change.kind != Kind::pod) return;
  const auto job = book.job_of(change.uid);
  if (job) expect_claims_to_go(*job, change.uid, now);
  book.erase(change.uid);
  budgets.erase(change.uid);
  evicting.erase(change.uid);
  blocked.erase(change.uid);
  const auto uid = track_by_key.find(PodKey{change.namespace_name, change.name});
  if (uid != track_by_key.end()) drop_pod(Uid(uid->second), now);
  if (job) release_short_gang(job->uid, now);
}

/// The room that a pod leaves is whole only when its claims have lost their devices as well, which
/// a controller does later: who waits for that room must not think that it is somebody else's.
void Engine::State::expect_claims_to_go(const planner::Job& job, const Uid& uid, Time now) {
  const auto member = std::ranges::find_if(
      job.members, [&](const planner::Member& each) { return each.pod->meta.uid == uid; });
  if (member == job.members.end() || !member->pod->node_name) return;
  const auto claims = planner::claims_of(*cluster.snapshot(), *member->pod);
  if (!claims) return;
  for (const auto& claim : *claims) {
    leaving[claim->key()] = {claim->meta.uid, uid, *member->pod->node_name, now + leaving_patience};
  }
}

/// Those of them that have devices still, and no other user.
std::vector<planner::LeavingClaim> Engine::State::leaving_claims(Time now) {
  std::erase_if(leaving, [&](const auto& entry) {
    const auto& [key, left] = entry;
    const auto claim = cluster.claim(key);
    return now >= left.until || !claim || claim->meta.uid != left.claim || !claim->allocation ||
           std::ranges::any_of(claim->reserved_for,
                               [&](const auto& user) { return user.uid != left.user; });
  });
  std::vector<planner::LeavingClaim> claims;
  for (const auto& [key, left] : leaving) claims.push_back({key, left.node});
  return claims;
}

void Engine::State::observe_pod(const Pod& pod, Time now) {
  const bool ours = pod.scheduler_name == options.scheduler_name && !pod.finished();
  admit(pod, now);
  auto* track = find_track(pod.key(), pod.meta.uid);
  if (pod.finished()) plan_wanted = true;  // its room and devices are free
  if (!ours || pod.node_name) {
    if (track != nullptr) drop_pod(Uid(pod.meta.uid), now);
    return;
  }
  if (track == nullptr) track = &track_pod(pod, true, now);
  if (track->stage == Stage::waiting) plan_wanted = true;
  track->seen = true;
  watch_share(pod);
  observe_tracked(*track, pod, now);
}

void Engine::State::observe_tracked(PodTrack& track, const Pod& pod, Time now) {
  const bool gated = gated_by(pod, options.gate);
  if (pod.meta.deleted && !bindings.contains(track.uid)) {
    gang_member_left(Uid(track.uid), now);
    release(track);
    if (const auto job = book.job_of(track.uid)) release_short_gang(job->uid, now);
    return;
  }
  switch (track.stage) {
    case Stage::waiting:
      track.passes = passes(pod);
      if (track.passes && leading && pod.scheduling_gates.size() <= 1) offer(track, now);
      return;
    case Stage::nominating:
    case Stage::lifting:
      if (!gated) offered(track, pod, now);
      return;
    case Stage::offered:
      keep_nominated(track, pod);
      // Rejected by in-tree plugins alone: filter was never called, and will not be.
      if (track.reservation && !track.asked && called_unschedulable(pod) &&
          scheduling_verdict(pod) != track.verdict_at_offer) {
        refuse_reserved_node(track, now);
      }
      return;
    case Stage::binding:
    case Stage::bound:
      return;
  }
}

void Engine::State::lead(const LeadershipChanged& change, Time now) {
  leading = change.leading;
  epoch = change.epoch;
  for (auto& [uid, run] : bindings) {
    for (const auto id : run.waiting) answer(id, std::string(text(Reason::not_leader)));
    if (!tracks.contains(uid)) cluster.forget(uid);
  }
  for (const auto& [job, run] : gangs) {
    for (const auto& [uid, ids] : run.waiting) answer(ids, std::string(text(Reason::not_leader)));
  }
  bindings.clear();
  binding_timers.clear();
  gangs.clear();
  gang_of.clear();
  gang_timers.clear();
  eviction_runs.clear();
  eviction_timers.clear();
  for (const auto& [uid, set] : std::exchange(evicting, {})) book.touch(uid);
  holds.clear();
  moved.clear();
  lingering.clear();
  writes.clear();
  releasing.clear();
  usage.lead(leading, now);
  planned_on.reset();
  ++plan_generation;  // a plan made under the old leadership is not taken
  for (auto& [uid, share] : sharing) share = {};
  for (auto& [uid, track] : tracks) {
    track.reservation ? release(track) : arm(track, std::nullopt);
    cluster.forget(uid);
    track.stage = Stage::waiting;
    track.told_no = true;
    book.touch(uid);
  }
  plan_wanted = true;
  if (!leading) return;
  for (auto& [uid, track] : tracks) {
    if (const auto pod = pod_of(track)) observe_tracked(track, *pod, now);
  }
}

}  // namespace dray::engine
