#include <algorithm>
#include <functional>
#include <utility>

#include "planner/state/claim_use.h"
#include "planner/state/jobs.h"

// What tasks that wait ask for: their claims, and their shapes.

namespace dray::planner {

/// The claims of those that wait may be others than in the last plan.
void JobTable::refresh_waiting(PlanJob& job) {
  if (stays_settled(job)) return;
  const auto asked = amounts_of(job);
  CountedClaims counted;
  for (const auto& task : job.tasks) {
    if (task.state == policy::TaskState::pending) continue;
    for (const auto& claim : task.claims) counted.emplace(claim->key(), task.pod().meta.uid);
  }
  for (auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending) continue;
    if (task.shape != nullptr && task.pod().resource_claims.empty() && !task.shape->singular) {
      continue;
    }
    const auto before = std::move(task.claims);
    ++read_.claims;
    read_claims(task);
    const bool same = task.demand != nullptr && !task.not_ready && before == task.claims;
    if (!same || task.shape == nullptr || task.shape->singular) {
      task.shape = task.not_ready ? nullptr : shape_of(task, counted);
    }
    task.demand = task.shape != nullptr ? demands_.intern(task.shape->demand) : nullptr;
    task.asked = task.demand;
  }
  if (const auto asks = amounts_of(job); job.queue && asks != asked) {
    leaves_[job.queue->get()].go(asked);
    leaves_[job.queue->get()].come(asks);
  }
  tolerations_.remove_requests(job.tolerations);
  for (const auto& task : job.tasks) tolerations_.add_requests(task.claims, job.tolerations);
  settle(job);
  if (job.gang) pass_over_unready(job);
}

bool JobTable::stays_settled(const PlanJob& job) const {
  return job.settled && std::ranges::none_of(*job.settled, [this](std::uint16_t part) {
           return changed_claims_[part];
         });
}

void JobTable::settle(PlanJob& job) {
  auto& parts = job.settled.emplace();
  for (const auto& task : job.tasks) {
    if (task.state != policy::TaskState::pending) continue;
    if (task.shape == nullptr || task.shape->singular) return job.settled.reset();
    for (const auto& claim : task.claims) {
      parts.push_back(static_cast<std::uint16_t>(cluster::Snapshot::claim_part(claim->key())));
    }
  }
}

/// Members whose claims are not there yet do not hold up those that make a gang without them, as in
/// upstream, where PreEnqueue keeps them out of the gang. Where they are needed they stay: the gang
/// waits for them, and says so.
void JobTable::pass_over_unready(PlanJob& job) {
  const auto mark_unready = [&](policy::TaskState state) {
    bool any = false;
    for (auto& task : job.tasks) {
      if (task.state != policy::TaskState::pending || task.slot == nullptr) continue;
      const bool unready = task.shape == nullptr;
      task.slot->state = unready ? state : policy::TaskState::pending;
      any = any || unready;
    }
    return any;
  };
  if (!mark_unready(policy::TaskState::other)) return;
  const auto chunk = job.next_chunk(false);
  if (chunk.empty() || !job.reaches_minimum(chunk)) mark_unready(policy::TaskState::pending);
}

Kept<Shape>::Value JobTable::shape_of_victim(const Task& task) {
  victims_ = true;
  CountedClaims counted;
  return shape_of(task, counted);
}

Kept<Shape>::Value JobTable::shape_of(const Task& task, CountedClaims& counted) {
  const auto& pod = task.member->pod;
  auto resources = class_resources(*snapshot_, *pod);
  const bool leaves = task.state == policy::TaskState::yielding;
  const bool singular = !resources.empty() || is_singular(*snapshot_, *pod, task.claims, leaves);
  if (!singular) {
    if (auto known = shapes_.find(*pod, task.claims)) return known;
  }
  return shapes_.add({.pod = pod,
                      .fit = cluster::NodeFit(*pod, *snapshot_),
                      .claims = task.claims,
                      .class_resources = std::move(resources),
                      .demand = singular ? demands_.read(pod, task.claims, counted)
                                         : demands_.read_as_asked(pod, task.claims, counted),
                      .partial = asks_for_part(task.claims),
                      .singular = singular});
}

/// Those that are set aside, where claims have changed: they may ask for something else by now.
void JobTable::refresh_aside() {
  if (std::ranges::find(changed_claims_, true) == changed_claims_.end()) return;
  std::vector<Kept<Shape>::Value> before;
  for (std::size_t i = 0; i < order_.aside.size(); ++i) {
    const auto part = order_.claims[i];
    if (part == no_part || (part != any_part && !changed_claims_[part])) continue;
    auto* job = order_.aside[i];
    if (stays_settled(*job)) continue;
    before.clear();
    for (const auto& task : job->tasks) before.push_back(task.shape);
    refresh_waiting(*job);
    const bool same = std::ranges::equal(before, job->tasks, {}, {}, &Task::shape);
    if (!same) order_.aside_by.changed.push_back(job);
  }
  if (!order_.aside_by.changed.empty()) mark_aside();
}

/// Rows say who is aside, and where the claims of these are kept.
void JobTable::mark_aside() {
  for (auto& chunk : jobs_) {
    chunk.place.reset();
    for (auto& row : chunk.rows) {
      if (!row.waits) continue;
      row.aside = row.job->aside == PlanJob::Aside::yes;
      row.claims = any_part;
      const auto& parts = row.job->settled;
      if (!row.aside || !parts) continue;
      if (parts->empty()) {
        row.claims = no_part;
      } else if (std::ranges::count(*parts, parts->front()) == std::ssize(*parts)) {
        row.claims = parts->front();
      }
    }
  }
  put_in_order();
}

void JobTable::set_aside(const Reported& reported, std::uint64_t hardware,
                         const std::function<bool(PlanJob&)>& is_infeasible) {
  auto& by = order_.aside_by;
  const bool same = reported == by.reported && hardware == by.hardware;
  const auto changed = std::exchange(by.changed, {});
  if (same && !by.jobs_moved && changed.empty()) return;
  by = {.reported = reported, .hardware = hardware, .became_feasible = same && by.became_feasible};
  const auto is_listed = [&](const PlanJob& job) {
    if (!reported) return false;
    const auto at = std::ranges::lower_bound(
        *reported, job.job->uid, {}, [](const auto& each) -> const Uid& { return each->uid; });
    return at != reported->end() && *at == job.job;
  };
  const auto belongs_aside = [&](PlanJob& job) {
    if (!is_listed(job)) return false;
    const bool still = is_infeasible(job);
    by.became_feasible = by.became_feasible || !still;
    return still;
  };
  bool moved = false;
  for (auto* job : same ? changed : order_.aside) {
    if (belongs_aside(*job)) continue;
    put_aside(*job, PlanJob::Aside::no);
    moved = true;
  }
  for (auto* job : order_.waiting) {
    const auto before = std::exchange(job->aside, PlanJob::Aside::no);
    if ((same && before == PlanJob::Aside::no) || !belongs_aside(*job)) continue;
    put_aside(*job, PlanJob::Aside::yes);
    moved = true;
  }
  if (moved) mark_aside();
}

void JobTable::put_aside(PlanJob& job, PlanJob::Aside aside) {
  if (job.queue) leaves_[job.queue->get()].go(amounts_of(job));
  job.aside = aside;
  if (job.queue) leaves_[job.queue->get()].come(amounts_of(job));
}

}  // namespace dray::planner
