#include "engine/books/job_lists.h"

#include <algorithm>
#include <utility>

namespace dray::engine {
namespace {

std::shared_ptr<const planner::Job> without_wishes(std::shared_ptr<const planner::Job> job) {
  if (std::ranges::none_of(job->members, planner::waits, &planner::Member::state)) return job;
  auto quiet = *job;
  for (auto& member : quiet.members) {
    if (planner::waits(member.state)) member.state = planner::MemberState::blocked;
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

void JobLists::update_holders(const std::set<Uid>& changed) {
  holders_.update(changed, [this](const Uid& uid) {
    auto job = find_(uid);
    const bool holds =
        job && std::ranges::any_of(job->members, planner::has_room, &planner::Member::state);
    return holds ? without_wishes(std::move(job)) : nullptr;
  });
}

const planner::JobList& JobLists::holders() {
  update_holders(std::exchange(holders_changed_, {}));
  return holders_;
}

bool JobLists::read_ahead(std::size_t most) {
  if (holders_changed_.size() <= most) return false;
  std::set<Uid> some;
  while (most-- > 0) some.insert(some.end(), holders_changed_.extract(holders_changed_.begin()));
  update_holders(some);
  return true;
}

}  // namespace dray::engine
