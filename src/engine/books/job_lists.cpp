#include "engine/books/job_lists.h"

#include <algorithm>
#include <utility>

namespace dray::engine {
namespace {

constexpr std::size_t few = 64;

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
  note(all_, job);
  note(holders_, job);
}

/// With each that comes two of the others are looked at: in the end as many are left as matter.
void JobLists::note(Kept& kept, const Uid& job) const {
  for (int looks = 0; looks < 2 && kept.changed.size() > few; ++looks) look_at_next(kept);
  kept.changed.insert(job);
}

/// Of a job that the list does not have, and that is not there any more, nothing is to be told.
void JobLists::look_at_next(Kept& kept) const {
  auto at = kept.changed.upper_bound(kept.looked_at);
  if (at == kept.changed.end()) at = kept.changed.begin();
  kept.looked_at = *at;
  if (!find_(*at) && !kept.list.find(*at)) kept.changed.erase(at);
}

const planner::JobList& JobLists::all() {
  all_.list.update(std::exchange(all_.changed, {}), find_);
  return all_.list;
}

void JobLists::update_holders(const std::set<Uid>& changed) {
  holders_.list.update(changed, [this](const Uid& uid) {
    auto job = find_(uid);
    const bool holds =
        job && std::ranges::any_of(job->members, planner::has_room, &planner::Member::state);
    return holds ? without_wishes(std::move(job)) : nullptr;
  });
}

const planner::JobList& JobLists::holders() {
  update_holders(std::exchange(holders_.changed, {}));
  return holders_.list;
}

bool JobLists::read_ahead(std::size_t most) {
  auto& changed = holders_.changed;
  if (changed.size() <= most) return false;
  std::set<Uid> some;
  while (most-- > 0) some.insert(some.end(), changed.extract(changed.begin()));
  update_holders(some);
  return true;
}

}  // namespace dray::engine
