#include "engine/books/room_book.h"

#include <algorithm>
#include <utility>

#include "dray/planner/pod_claims.h"

namespace dray::engine {
namespace {

const planner::Member* member_of(const planner::Job& job, const Uid& pod) {
  const auto found = std::ranges::find_if(
      job.members, [&](const planner::Member& each) { return each.pod->meta.uid == pod; });
  return found == job.members.end() ? nullptr : &*found;
}

/// A pod that is gone, or done, stands in its claim for a while.
bool still_uses(const cluster::ClusterState& cluster, const ClaimConsumer& user) {
  if (!user.api_group.empty()) return true;
  const auto pod = cluster.pod(user.uid);
  return pod && !pod->finished();
}

}  // namespace

void RoomBook::hold(const Uid& job, std::vector<Placement> placements) {
  if (placements.empty()) {
    holds_.erase(job);
  } else {
    holds_[job] = std::move(placements);
  }
}

std::vector<planner::Hold> RoomBook::holds() const {
  std::vector<planner::Hold> all;
  all.reserve(holds_.size());
  for (const auto& [job, placements] : holds_) all.push_back({job, placements});
  return all;
}

void RoomBook::keep(std::optional<planner::KeptRoom> room) {
  kept_ = room ? std::make_shared<const planner::KeptRoom>(*std::move(room)) : nullptr;
}

void RoomBook::moved(const std::string& lineage, std::vector<Placement> placements, Time now) {
  moved_.emplace(lineage, Moved{std::move(placements), now + moved_room_life});
}

void RoomBook::refresh(const planner::JobList& jobs, Time now) {
  std::erase_if(holds_, [&](const auto& entry) { return jobs.find(entry.first) == nullptr; });
  std::erase_if(moved_, [&](const auto& entry) { return entry.second.until <= now; });
  if (moved_.empty()) return;
  for (const auto& job : jobs) {
    if (std::ranges::none_of(job->members, planner::waits, &planner::Member::state)) continue;
    const auto entry = moved_.find(job->lineage);
    if (entry == moved_.end()) continue;
    holds_[job->uid] = std::move(entry->second.placements);
    moved_.erase(entry);
  }
}

void RoomBook::pod_finished(const planner::Job& job, const Pod& pod, Time now) {
  const auto* member = member_of(job, pod.meta.uid);
  if (member != nullptr && member->state != planner::MemberState::done) leave(pod, now);
}

void RoomBook::pod_gone(const planner::Job& job, const Uid& pod, Time now) {
  const auto* member = member_of(job, pod);
  if (member != nullptr) leave(*member->pod, now);
}

void RoomBook::leave(const Pod& pod, Time now) {
  if (!pod.node_name) return;
  const auto claims = planner::claims_of(*cluster_.snapshot(), pod);
  if (!claims) return;
  for (const auto& claim : *claims) {
    leaving_[claim->key()] = {claim->meta.uid, pod.meta.uid, *pod.node_name,
                              now + leaving_patience};
  }
}

std::vector<planner::LeavingClaim> RoomBook::leaving_claims(Time now) {
  std::erase_if(leaving_, [&](const auto& entry) {
    const auto& [key, left] = entry;
    const auto claim = cluster_.claim(key);
    return now >= left.until || !claim || claim->meta.uid != left.claim || !claim->allocation ||
           std::ranges::any_of(claim->reserved_for, [&](const auto& user) {
             return user.uid != left.user && still_uses(cluster_, user);
           });
  });
  std::vector<planner::LeavingClaim> claims;
  claims.reserve(leaving_.size());
  for (const auto& [key, left] : leaving_) claims.push_back({key, left.node});
  return claims;
}

void RoomBook::reset() {
  holds_.clear();
  kept_.reset();
  moved_.clear();
}

}  // namespace dray::engine
