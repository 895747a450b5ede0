#include "planner/evict/claim_sharers.h"

#include <algorithm>
#include <utility>

#include "planner/state/claim_use.h"

namespace dray::planner {
namespace {

bool may_share(const PlanJob& job, const Task& task) {
  if (has_room(task.member->state)) return job.shares_claims;
  return task.shape != nullptr && task.shape->singular;
}

/// Somebody uses the claim who is none of these tasks, or who does not go though it should.
bool used_beyond(const cluster::Snapshot& snapshot, const ResourceClaim& claim,
                 std::span<const std::pair<PlanJob*, Task*>> users) {
  const bool stays = std::ranges::any_of(users, [](const auto& user) {
    return !user.first->queue || user.second->member->state == MemberState::stuck;
  });
  return stays || used_by_others(snapshot, claim, [&](const Uid& user) {
           return std::ranges::any_of(
               users, [&](const auto& each) { return each.second->pod().meta.uid == user; });
         });
}

}  // namespace

ClaimSharers::ClaimSharers(const PlanContext& context, const JobTable& jobs) {
  const auto& snapshot = *context.input.snapshot;
  std::map<ClaimKey, std::shared_ptr<const ResourceClaim>> claims;
  std::vector<Task*> sharing;
  for (auto* job : jobs.all()) {
    if (!job->shares_claims && job->waiting == 0) continue;
    for (auto& task : job->tasks) {
      if (!may_share(*job, task)) continue;
      for (const auto& claim : task.claims) {
        if (!is_shared(*claim, task.pod())) continue;
        users_[claim->key()].emplace_back(job, &task);
        claims.try_emplace(claim->key(), claim);
        if (sharing.empty() || sharing.back() != &task) sharing.push_back(&task);
      }
    }
  }
  for (const auto& [key, claim] : claims) {
    if (used_beyond(snapshot, *claim, users_.at(key))) users_.erase(key);
  }
  // Its only user has it for itself.
  std::erase_if(claims, [&](const auto& entry) {
    const auto users = users_.find(entry.first);
    return users != users_.end() && users->second.size() < 2;
  });
  for (auto* task : sharing) {
    const auto several = [&](const auto& claim) { return claims.contains(claim->key()); };
    task->with_sharers = std::ranges::any_of(task->claims, several) &&
                         std::ranges::all_of(task->claims, [&](const auto& claim) {
                           return !several(claim) || users_.contains(claim->key());
                         });
  }
}

/// Collects a unit.
class ClaimSharers::Walk {
 public:
  Walk(const std::map<ClaimKey, Users>& users, PlanJob& job, std::span<Task* const> tasks)
      : users_(users), first_(job), open_(tasks.begin(), tasks.end()) {
    unit_.push_back({&job, {}});
  }

  std::vector<Part> run() {
    do {
      while (!open_.empty()) {
        auto* task = open_.back();
        open_.pop_back();
        add_users(*task);
      }
      for (std::size_t i = 0; i < unit_.size(); ++i) add_rest(*unit_[i].job);
    } while (!open_.empty());
    for (const auto& [job, tasks] : unit_) {
      for (auto* task : tasks) job->set_state(*task, policy::TaskState::placed);
    }
    std::erase_if(unit_, [](const Part& part) { return part.tasks.empty(); });
    return std::move(unit_);
  }

 private:
  /// Until the walk ends it is marked as those are that go.
  void add(PlanJob& job, Task& task) {
    auto part = std::ranges::find(unit_, &job, &Part::job);
    if (part == unit_.end()) part = unit_.insert(unit_.end(), {&job, {}});
    part->tasks.push_back(&task);
    open_.push_back(&task);
    job.set_state(task, policy::TaskState::yielding);
  }
  void add_users(const Task& task) {
    for (const auto& claim : task.claims) {
      const auto found = users_.find(claim->key());
      if (found == users_.end()) continue;
      for (const auto& [job, user] : found->second) {
        if (user->state == policy::TaskState::placed) add(*job, *user);
      }
    }
  }
  /// A job of which only others take something keeps no part of its minimum.
  void add_rest(PlanJob& job) {
    if (job.placed == 0 || job.has_minimum()) return;
    const auto part = std::ranges::find(unit_, &job, &Part::job);
    if (&job == &first_ && part->tasks.empty()) return;
    for (auto& task : job.tasks) {
      if (task.state == policy::TaskState::placed) add(job, task);
    }
  }

  const std::map<ClaimKey, Users>& users_;
  const PlanJob& first_;
  std::vector<Task*> open_;
  std::vector<Part> unit_;
};

std::vector<ClaimSharers::Part> ClaimSharers::others_of(PlanJob& job,
                                                        std::span<Task* const> tasks) const {
  if (users_.empty()) return {};
  return Walk(users_, job, tasks).run();
}

}  // namespace dray::planner
