#include "planner/place/decisions.h"

#include <algorithm>
#include <utility>

namespace dray::planner {
namespace {

void add(JobOutcome& made, std::vector<Placement>& to, std::span<const Placed> placed) {
  for (const auto& each : placed) {
    to.push_back(each.placement);
    made.warnings.insert(made.warnings.end(), each.warnings.begin(), each.warnings.end());
  }
}

void say(JobOutcome& made, Reason reason, std::string detail) {
  made.reason = reason;
  made.detail = std::move(detail);
  for (const auto& warning : made.warnings) made.detail += "; " + warning;
}

}  // namespace

const JobOutcome* Decisions::find(const PlanJob& job) const {
  if (job.slot >= places_.size() || places_[job.slot] == 0) return nullptr;
  return &outcomes_[places_[job.slot] - 1];
}

JobOutcome& Decisions::outcome(const PlanJob& job) {
  if (job.slot >= places_.size()) places_.resize(std::max(job.slot + 1, 2 * job.slot), 0);
  auto& place = places_[job.slot];
  if (place == 0) {
    auto& made = outcomes_.emplace_back();
    made.job = job.job->uid;
    for (const auto& member : job.job->members) {
      if (member.state == MemberState::waiting) made.pods.push_back(member.pod->meta.uid);
    }
    place = static_cast<std::uint32_t>(outcomes_.size());
  }
  return outcomes_[place - 1];
}

void Decisions::wait(const PlanJob& job, Reason reason, std::string detail) {
  auto& made = outcome(job);
  made.reason = reason;
  made.detail = std::move(detail);
}

void Decisions::start(const PlanJob& job, std::span<const Placed> placed,
                      const policy::QueueTree& tried) {
  auto& made = outcome(job);
  add(made, made.placements, placed);
  say(made, Reason::none, why_there_.text(placed.front()));
  settle(job, tried);
}

void Decisions::hold(const PlanJob& job, std::span<const Placed> placed,
                     const policy::QueueTree& tried, Left left) {
  auto& made = outcome(job);
  add(made, made.held, placed);
  say(made, Reason::room_freed, "room is held for it");
  for (const auto& each : placed) keep(*each.task, left);
  settle(job, tried);
}

void Decisions::settle(const PlanJob& job, const policy::QueueTree& tried) {
  for (auto at = job.queue; at; at = queues_[*at].parent_index) {
    queues_[*at].allocated = tried[*at].allocated;
    queues_[*at].allocated_nonpreemptible = tried[*at].allocated_nonpreemptible;
  }
}

}  // namespace dray::planner
