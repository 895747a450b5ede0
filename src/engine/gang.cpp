#include <algorithm>
#include <utility>

#include "engine/state.h"

// The bind verb for gangs: carries a GangCommit.

namespace dray::engine {
namespace {

std::vector<Uid> member_uids(const planner::Job& job) {
  std::vector<Uid> uids;
  uids.reserve(job.members.size());
  for (const auto& member : job.members) uids.push_back(member.pod->meta.uid);
  return uids;
}

bool has_minimum_of(policy::SubGroup gang, const planner::Job& job, const std::set<Uid>& bound) {
  const auto mark = [&](auto& self, policy::SubGroup& group) -> void {
    for (auto& set : group.pod_sets) {
      for (auto& task : set.tasks) {
        const bool there = bound.contains(job.members[task.id].pod->meta.uid);
        task.state = there ? policy::TaskState::placed : policy::TaskState::pending;
      }
    }
    for (auto& sub : group.sub_groups) self(self, sub);
  };
  mark(mark, gang);
  return policy::has_minimum(gang);
}

}  // namespace

/// Members that are bound for good: the API server has them on their nodes.
std::set<Uid> Engine::State::bound_members(const planner::Job& job) const {
  std::set<Uid> bound;
  for (const auto& member : job.members) {
    const auto& uid = member.pod->meta.uid;
    const auto track = tracks.find(uid);
    const auto pod = cluster.pod(uid);
    const bool here = track != tracks.end() && track->second.stage == Stage::bound;
    if (here || (pod && pod->node_name && !pod->meta.deleted)) bound.insert(uid);
  }
  return bound;
}

std::shared_ptr<const planner::Job> Engine::State::uncommitted_gang(const Uid& pod, Time now) {
  book.refresh(now);
  auto job = book.job_of(pod);
  if (!job || gangs.contains(job->uid)) return job;
  auto bound = bound_members(*job);
  bound.insert(pod);
  return has_minimum_of(job->gang, *job, bound) ? nullptr : job;
}

/// A gang whose placed members are too few to start, now that one is gone, gives their places up:
/// nobody else could have them, and they are of no use.
void Engine::State::release_short_gang(const Uid& job, Time now) {
  book.refresh(now);
  const auto found = book.find(job);
  if (!found || gangs.contains(job)) return;
  auto there = bound_members(*found);
  std::vector<PodTrack*> idle;
  for (const auto& member : found->members) {
    const auto track = tracks.find(member.pod->meta.uid);
    if (track == tracks.end() || !track->second.reservation) continue;
    there.insert(track->first);
    const auto stage = track->second.stage;
    if (stage != Stage::binding && stage != Stage::bound) idle.push_back(&track->second);
  }
  if (idle.empty() || has_minimum_of(found->gang, *found, there)) return;
  for (auto* track : idle) {
    track->told_no = true;
    release(*track);
  }
}

void Engine::State::join_gang(PodTrack& track, const std::shared_ptr<const planner::Job>& job,
                              RequestId id, Time now) {
  const auto patience =
      scattered_gangs.contains(job->uid) ? GangCommit::next_patience : GangCommit::first_patience;
  const auto [run, is_new] = gangs.try_emplace(
      job->uid,
      GangRun{
          GangCommit(job->gang, member_uids(*job), bound_members(*job), now, patience), {}, {}});
  const auto uid = track.uid;
  run->second.waiting[uid].push_back(id);
  if (gang_of.contains(uid)) return;  // asked again: joins the first
  gang_of[uid] = job->uid;
  track.stage = Stage::binding;
  arm(track, std::nullopt);
  const auto commands = run->second.commit.arrived(uid);
  carry_gang(job->uid, commands, now);
}

void Engine::State::carry_gang(const Uid& job, const GangCommit::Commands& commands, Time now) {
  const Uid kept = job;  // the run, and whoever named the job, may end on the way
  for (const auto& command : commands) carry_gang(kept, command, now);
  settle_gang(kept, now);
}

void Engine::State::carry_gang(const Uid& job, const GangCommit::Command& command, Time now) {
  const auto requests_of = [&](const Uid& uid) {
    const auto run = gangs.find(job);
    if (run == gangs.end()) return std::vector<RequestId>{};
    auto ids = run->second.waiting.extract(uid);
    return ids.empty() ? std::vector<RequestId>{} : std::move(ids.mapped());
  };
  if (const auto* claims = std::get_if<GangCommit::WriteClaims>(&command)) {
    for (const auto& uid : claims->pods) {
      auto& track = tracks.at(uid);
      start_binding(track, requests_of(uid), *track.reservation, Binding::Pace::when_told, now);
    }
  } else if (const auto* bind = std::get_if<GangCommit::BindPods>(&command)) {
    for (const auto& uid : bind->pods) {
      const auto run = bindings.find(uid);
      if (run != bindings.end()) carry(uid, run->second.binding.proceed(), now);
    }
  } else if (const auto* undo = std::get_if<GangCommit::Undo>(&command)) {
    for (const auto& uid : undo->pods) {
      const auto run = bindings.find(uid);
      if (run != bindings.end()) carry(uid, run->second.binding.abort(undo->error), now);
    }
  } else if (const auto* refuse = std::get_if<GangCommit::Refuse>(&command)) {
    ++counts.gangs_refused;
    for (const auto& uid : refuse->pods) refuse_bind(uid, requests_of(uid), refuse->error, now);
  } else if (const auto* singly = std::get_if<GangCommit::BindSingly>(&command)) {
    for (const auto& uid : singly->pods) {
      gang_of.erase(uid);
      auto& track = tracks.at(uid);
      start_binding(track, requests_of(uid), *track.reservation, Binding::Pace::at_once, now);
    }
  }
}

/// The pod's bind calls are answered with an error; it keeps its reservation.
void Engine::State::refuse_bind(const Uid& uid, const std::vector<RequestId>& ids,
                                const std::string& error, Time now) {
  answer(ids, error);
  gang_of.erase(uid);
  const auto found = tracks.find(uid);
  if (found == tracks.end() || found->second.stage != Stage::binding) return;
  auto& track = found->second;
  track.stage = Stage::offered;
  track.asked = true;  // it comes back by itself, after its back-off
  track.detail = error;
  arm(track, now + reservation_life(track));
}

void Engine::State::gang_claims_written(const Uid& pod, Time now) {
  const auto member = gang_of.find(pod);
  if (member == gang_of.end()) return;
  const auto run = gangs.find(member->second);
  if (run == gangs.end()) return;
  const auto commands = run->second.commit.claims_written(pod);
  carry_gang(member->second, commands, now);
}

void Engine::State::gang_member_ended(const Uid& pod, bool bound, const std::string& error,
                                      Time now) {
  const auto member = gang_of.extract(pod);
  if (member.empty()) return;
  const auto run = gangs.find(member.mapped());
  if (run == gangs.end()) return;
  const auto commands = run->second.commit.ended(pod, bound, error);
  carry_gang(member.mapped(), commands, now);
}

/// The pod is gone, and no binding of it is under way.
void Engine::State::gang_member_left(const Uid& pod, Time now) {
  const auto member = gang_of.extract(pod);
  if (member.empty()) return;
  const auto run = gangs.find(member.mapped());
  if (run == gangs.end()) return;
  const auto ids = run->second.waiting.extract(pod);
  if (!ids.empty()) answer(ids.mapped(), "the pod is gone");
  const auto commands = run->second.commit.left(pod);
  carry_gang(member.mapped(), commands, now);
}

void Engine::State::settle_gang(const Uid& job, Time now) {
  const auto run = gangs.find(job);
  if (run == gangs.end()) return;
  if (!run->second.commit.finished()) return arm_gang(job, run->second.commit.next_tick());
  arm_gang(job, std::nullopt);
  for (const auto& [uid, ids] : run->second.waiting) {
    answer(ids, "dray: the gang's binding ended without the pod");
  }
  std::erase_if(gang_of, [&](const auto& entry) { return entry.second == job; });
  if (run->second.commit.timed_out()) {
    scattered_gangs.insert(job);
  } else {
    scattered_gangs.erase(job);
  }
  gangs.erase(run);
  release_short_gang(job, now);
}

void Engine::State::arm_gang(const Uid& job, std::optional<Time> at) {
  auto& timer = gangs.at(job).timer;
  if (timer) gang_timers.erase({*timer, job});
  timer = at;
  if (at) gang_timers.insert({*at, job});
}

}  // namespace dray::engine
