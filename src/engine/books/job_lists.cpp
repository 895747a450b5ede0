#include "engine/books/job_lists.h"

#include <algorithm>
#include <utility>

namespace dray::engine {
namespace {

bool waits(const planner::Member& member) {
  return member.state == planner::MemberState::waiting;
}

std::shared_ptr<const planner::Job> without_wishes(std::shared_ptr<const planner::Job> job) {
  if (std::ranges::none_of(job->members, waits)) return job;
  auto quiet = *job;
  for (auto& member : quiet.members) {
    if (waits(member)) member.state = planner::MemberState::blocked;
  }
  return std::make_shared<const planner::Job>(std::move(quiet));
}

}  // namespace

void JobLists::changed(const Uid& job) {
  all_changed_.insert(job);
  holders_changed_.insert(job);
}

const planner::JobList& JobLists::all() {
  all_.update(std::exchange(all_changed_, {}), find_);
  return all_;
}

const planner::JobList& JobLists::holders() {
  holders_.update(std::exchange(holders_changed_, {}), [this](const Uid& uid) {
    auto job = find_(uid);
    const bool holds =
        job && std::ranges::any_of(job->members, planner::has_room, &planner::Member::state);
    return holds ? without_wishes(std::move(job)) : nullptr;
  });
  return holders_;
}

}  // namespace dray::engine
