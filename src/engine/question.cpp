#include "dray/planner/explanation.h"
#include "engine/router.h"

namespace dray::engine {

std::optional<planner::Question> Engine::question(const PodKey& key, Time now) {
  return router_->question(key, now);
}

/// The pod of that name, else the first that waits of the job of that name, or of the pods that the
/// owner of that name made.
std::shared_ptr<const Pod> Engine::Router::asked_about(const PodKey& key) const {
  if (auto pod = cluster_.pod(key)) return pod;
  std::shared_ptr<const Pod> found;
  for (const auto& job : admission_.jobs().named(key.to_string())) {
    for (const auto& member : job->members) {
      if (member.state == planner::MemberState::waiting) return member.pod;
      if (!found) found = member.pod;
    }
  }
  return found;
}

std::optional<planner::Question> Engine::Router::question(const PodKey& key, Time now) {
  planner::Question question;
  question.input = inputs().of_all(now);
  question.pod = asked_about(key);
  if (!question.pod) return std::nullopt;
  const auto& pod = *question.pod;
  question.scheduler_name = options_.scheduler_name;
  question.gate = options_.gate;
  if (!admission_.ours(pod)) {
    question.decider = planner::Decider::other_scheduler;
  } else if (admission_.bypasses(pod)) {
    question.decider = planner::Decider::nobody_needed;
  }
  if (const auto job = admission_.jobs().job_of(pod.meta.uid)) question.job = job->uid;
  if (const auto* lacks = admission_.jobs().unformed().find(pod.meta.uid)) question.lacks = *lacks;
  return question;
}

}  // namespace dray::engine
