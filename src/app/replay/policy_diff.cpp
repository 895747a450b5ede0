#include "app/replay/policy_diff.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string_view>

#include "dray/engine/pod_queue.h"

namespace dray::app {
namespace {

std::string outcome_words(const planner::JobOutcome& outcome) {
  const auto nodes = [](const std::vector<Placement>& placements) {
    std::set<std::string_view> names;
    for (const auto& placement : placements) names.insert(placement.node.get());
    return fmt::format("{}", fmt::join(names, ", "));
  };
  if (!outcome.placements.empty()) {
    return fmt::format("{} of {} pods placed on {}", outcome.placements.size(), outcome.pods.size(),
                       nodes(outcome.placements));
  }
  if (!outcome.held.empty()) return "room is made for it on " + nodes(outcome.held);
  auto text = "waits: " + std::string(plain_text(outcome.reason));
  if (!outcome.detail.empty()) text += ": " + outcome.detail;
  return text;
}

/// What the plan says of each job that it speaks of.
std::map<Uid, std::string> outcomes_by_job(const planner::Plan& plan,
                                           const planner::PlanInput& input) {
  std::map<Uid, std::string> made;
  for (const auto& outcome : plan.jobs) made[outcome.job] = outcome_words(outcome);
  for (const auto& eviction : plan.evictions) {
    const auto taker = eviction.beneficiary ? input.jobs.find(*eviction.beneficiary) : nullptr;
    made[eviction.job] = fmt::format(
        "evicted ({}){}", name(eviction.cause),
        taker ? " for " + taker->name + ": " + eviction.detail : ": " + eviction.detail);
  }
  return made;
}

}  // namespace

std::optional<planner::PlanInput> PolicyDiff::changed(const planner::PlanInput& input) {
  const auto& topologies = input.policy ? input.policy->topologies : policy::Topologies();
  const auto& aliases = input.policy ? input.policy->level_aliases : policy::LevelAliases();
  if (!policy_ || policy_->topologies != topologies || policy_->level_aliases != aliases) {
    auto compiled = policy::compile(config_, topologies, aliases);
    if (!compiled) {
      problem_ = compiled.error().message;
      return std::nullopt;
    }
    policy_ = std::make_shared<const policy::Policy>(*std::move(compiled));
  }
  auto made = input;
  made.policy = policy_;
  made.usage = nullptr;
  planner::JobList::Items jobs;
  for (const auto& job : input.jobs) {
    auto copy = std::make_shared<planner::Job>(*job);
    copy->queue = config_.queues.empty()
                      ? policy::QueueName(std::string(policy::default_queue))
                      : policy::QueueName(engine::queue_of(config_.pod_queues, job->first()));
    jobs.push_back(std::move(copy));
  }
  made.jobs = planner::JobList(std::move(jobs));
  return made;
}

void PolicyDiff::see(const planner::PlanInput& input, const planner::Plan& plan,
                     const engine::Options& options) {
  if (!planner_) {
    planner_ = std::make_unique<planner::Planner>(engine::allocator_options(options, 2));
  }
  const auto other = changed(input);
  if (!other) return;
  ++plans_;
  const auto was = outcomes_by_job(plan, input);
  const auto would = outcomes_by_job(planner_->plan(*other), *other);
  std::set<Uid> jobs;
  for (const auto& [job, words] : was) jobs.insert(job);
  for (const auto& [job, words] : would) jobs.insert(job);
  const auto said = [](const auto& all, const Uid& job) -> std::string {
    const auto found = all.find(job);
    return found == all.end() ? "stays as it is" : found->second;
  };
  for (const auto& uid : jobs) {
    if (told_.contains(uid) || said(was, uid) == said(would, uid)) continue;
    told_.insert(uid);
    const auto old = input.jobs.find(uid);
    const auto now = other->jobs.find(uid);
    found_.push_back({old ? old->name : uid.get(), input.now, old ? old->queue.get() : "",
                      now ? now->queue.get() : "", said(was, uid), said(would, uid)});
  }
}

}  // namespace dray::app
