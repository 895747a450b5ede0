#include "tests/cases/kai_world.h"

#include <algorithm>

#include "dray/cluster/state.h"
#include "tests/cases/kai_jobs.h"
#include "tests/cases/kai_parts.h"
#include "tests/cases/kai_policy.h"
#include "tests/objects/cluster.h"

namespace dray::cases {

KaiWorld::KaiWorld(const Json& json)
    : json_(json),
      now_(test_start),
      traits_(KaiTraits::of(json)),
      objects_(json, traits_),
      policy_(read_kai_policy(json, traits_, objects_.classes)) {}

planner::PlanInput KaiWorld::input(const planner::Actions& actions) {
  cluster::ClusterState state;
  for (const auto& made : objects_.classes) testing::put(state, made);
  for (const auto& node : objects_.nodes) testing::put(state, node);
  for (const auto& slice : objects_.slices) testing::put(state, slice);
  for (const auto& [name, claim] : objects_.claims) testing::put(state, claim.object);
  planner::PlanInput input;
  for (const auto& json : json_.at("jobs")) {
    const auto stale = stale_.find(json.at("name").get<std::string>());
    auto job = kai_job(json, objects_, now_,
                       stale == stale_.end() ? std::nullopt : std::optional(stale->second));
    for (const auto& member : job->members) {
      if (member.state != planner::MemberState::done) testing::put(state, *member.pod);
    }
    input.jobs.put(std::move(job));
  }
  input.snapshot = state.snapshot();
  input.policy = policy_;
  input.actions = actions;
  input.holds = holds_;
  input.refused = refused_by_pods(objects_);
  input.budget = {
      .jobs = 100'000, .nodes_tried = 10'000'000, .evictions = 100'000, .scenarios = 100'000};
  input.now = now_;
  return input;
}

void KaiWorld::put(const Placement& placement, const char* status) {
  auto& task = objects_.tasks.at(placement.pod_uid.get());
  task.status = status;
  task.node = placement.node.get();
  task.devices.clear();
  for (const auto& part : placement.claims) {
    for (const auto& device : part.allocation.devices) task.devices.push_back(device.device);
  }
}

void KaiWorld::bind(const Placement& placement) {
  put(placement, "Binding");
  ++counts.binds;
  for (const auto& part : placement.claims) {
    auto& claim = objects_.claims.at(part.claim.name).object;
    claim.allocation = part.allocation;
    claim.reserved_for.push_back(testing::consumer(placement.pod.name, placement.pod_uid));
  }
}

void KaiWorld::apply(const planner::Plan& plan) {
  holds_.clear();
  for (const auto& eviction : plan.evictions) {
    log_ += std::string(name(eviction.cause)) + ": " + eviction.detail + "; ";
    for (const auto& pod : eviction.pods) objects_.tasks.at(pod.get()).status = "Releasing";
    counts.evictions += eviction.pods.size();
    for (const auto& placement : eviction.moved) put(placement, "Pipelined");
    counts.pipelines += eviction.moved.size();
  }
  reasons_.clear();
  for (const auto& job : plan.jobs) {
    if (job.reason != Reason::none) {
      reasons_[job.job.get()] = std::string(name(job.reason)) + ": " + job.detail;
    }
    for (const auto& placement : job.placements) bind(placement);
    for (const auto& placement : job.held) put(placement, "Pipelined");
    counts.pipelines += job.held.size();
    if (!job.held.empty()) holds_.push_back({job.job, job.held});
  }
  stale_.clear();
  for (const auto& gang : plan.stale) stale_[gang.job.get()] = gang.since;
}

void KaiWorld::release(KaiTask& task) {
  for (const auto& name : task.claims) {
    auto& claim = objects_.claims.at(name).object;
    std::erase_if(claim.reserved_for, [&](const auto& user) { return user.uid == Uid(task.uid); });
    if (claim.reserved_for.empty()) claim.allocation.reset();
  }
  task.devices.clear();
  task.node.clear();
  task.status = "Pending";
}

bool KaiWorld::is_deleted(const KaiTask& task) const {
  const auto& jobs = json_.at("jobs");
  const auto job =
      std::ranges::find_if(jobs, [&](const auto& json) { return json.at("name") == task.job; });
  return get_or(*job, "deletedInTest", false);
}

void KaiWorld::settle(Duration pause) {
  now_ += pause;
  for (auto& [uid, task] : objects_.tasks) {
    if (task.status == "Binding") task.status = "Running";
    if (task.status == "Releasing" && !is_deleted(task)) release(task);
    if (task.status != "Pipelined") continue;
    // A task that is moved has its devices still; one that waits for others' has none.
    const bool holds_devices =
        objects_.claims.empty() || std::ranges::any_of(task.claims, [&](const auto& claim) {
          return objects_.claims.at(claim).object.allocation.has_value();
        });
    if (holds_devices) release(task);
    task.devices.clear();
    task.node.clear();
    task.status = "Pending";
  }
}

std::string KaiWorld::reason_of(const std::string& job) const {
  const auto at = reasons_.find(job);
  return at == reasons_.end() ? std::string() : at->second;
}

}  // namespace dray::cases
