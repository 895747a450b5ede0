#include "sim/pod_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/model/workload_size.h"
#include "dray/sim/kubelet.h"

namespace dray::sim {
namespace {

JobSet job_set_of(const PodOwner& owner) {
  JobSet set;
  set.meta = owner.meta;
  if (owner.form != PodOwnerForm::job_set) return set;
  set.in_order = owner.order == "InOrder";
  for (const auto& job : owner.templates) {
    set.jobs.push_back({.name = job.name,
                        .replicas = job.replicas.value_or(1),
                        .parallelism = job.parallelism,
                        .completions = job.completions,
                        .depends_on = job.depends_on,
                        .annotations = job.annotations});
  }
  return set;
}

LeaderWorkerSet leader_worker_set_of(const PodOwner& owner) {
  LeaderWorkerSet set;
  set.meta = owner.meta;
  set.startup_policy = owner.order;
  return set;
}

void add_need(std::string& after, const std::string& step, std::string_view state,
              std::int64_t count) {
  if (!after.empty()) after += "; ";
  after += fmt::format("{} {} {}", step, state, count);
}

void annotate(Labels& annotations, const char* key, std::string value) {
  if (!value.empty()) annotations.insert_or_assign(key, std::move(value));
}

}  // namespace

PodSteps::PodSteps(const PodOwner& owner, bool known)
    : owner_(owner), known_(known), set_(job_set_of(owner)) {}

std::string PodSteps::step(const std::string& name) const {
  return fmt::format("{}/{}/{}/{}", owner_.kind, owner_.meta.namespace_name, owner_.meta.name,
                     name);
}

std::int64_t PodSteps::pods_at_once_of(const std::string& kind) const {
  const auto* job = find_job(set_, kind);
  if (job == nullptr) return 1;
  return std::int64_t{job->replicas} * pods_at_once(job->parallelism, job->completions);
}

std::int64_t PodSteps::pods_in_all_of(const std::string& kind) const {
  const auto* job = find_job(set_, kind);
  if (job == nullptr || !job->completions) return pods_at_once_of(kind);
  return pods_at_once_of(kind) > 0 ? std::int64_t{job->replicas} * *job->completions : 0;
}

bool PodSteps::others_wait_for_end_of(const std::string& kind) const {
  return std::ranges::any_of(set_.jobs, [&](const ReplicatedJob& job) {
    return std::ranges::any_of(job.depends_on, [&](const JobDependency& on) {
      return on.name == kind && on.status == "Complete";
    });
  });
}

/// A kind that does not exist is waited for without end, as JobSet's controller does.
std::string PodSteps::after_others(const std::string& kind) const {
  std::string after;
  const auto* job = find_job(set_, kind);
  if (job == nullptr) return after;
  if (set_.in_order && job != &set_.jobs.front()) {
    const auto& before = std::prev(job)->name;
    add_need(after, step(before), "ready", pods_at_once_of(before));
  }
  for (const auto& on : job->depends_on) {
    const bool complete = on.status == "Complete";
    add_need(after, step(on.name), complete ? "complete" : "ready",
             complete ? pods_in_all_of(on.name) : pods_at_once_of(on.name));
  }
  return after;
}

Labels PodSteps::of_job(const std::string& kind, std::int32_t index, std::int32_t pod) const {
  Labels annotations;
  const auto* job = find_job(set_, kind);
  if (!known_ || job == nullptr) return annotations;
  const bool staged = set_.in_order || std::ranges::any_of(set_.jobs, [](const auto& each) {
                        return !each.depends_on.empty();
                      });
  auto steps = staged ? step(kind) : std::string();
  auto after = after_others(kind);
  if (starts_with_leader(set_, *job)) {
    const auto leader = step(fmt::format("{}/{}/leader", kind, index));
    if (pod == 0) steps += (steps.empty() ? "" : " ") + leader;
    if (pod != 0) add_need(after, leader, "scheduled", 1);
  }
  annotate(annotations, step_annotation, std::move(steps));
  annotate(annotations, after_annotation, std::move(after));
  if (others_wait_for_end_of(kind)) {
    annotate(annotations, assumed_seconds_annotation, std::to_string(assumed_run_seconds));
  }
  return annotations;
}

Labels PodSteps::of_replica(std::int32_t replica, std::int32_t pod) const {
  Labels annotations;
  const auto set = leader_worker_set_of(owner_);
  if (!known_ || !starts_with_leader(set)) return annotations;
  const auto leader = step(fmt::format("{}/leader", replica));
  if (pod == 0) {
    annotate(annotations, step_annotation, leader);
    return annotations;
  }
  std::string after;
  add_need(after, leader, set.startup_policy == "LeaderReady" ? "ready" : "scheduled", 1);
  annotate(annotations, after_annotation, std::move(after));
  return annotations;
}

Labels PodSteps::of_ordinal(std::int32_t ordinal) const {
  Labels annotations;
  if (!known_ || owner_.order == "Parallel") return annotations;
  annotate(annotations, step_annotation, step(std::to_string(ordinal)));
  std::string after;
  if (ordinal > 0) add_need(after, step(std::to_string(ordinal - 1)), "ready", 1);
  annotate(annotations, after_annotation, std::move(after));
  return annotations;
}

Labels PodSteps::of_training(bool launcher) const {
  Labels annotations;
  if (!known_ || owner_.order != "WaitForWorkersReady") return annotations;
  if (!launcher) {
    annotate(annotations, step_annotation, step("workers"));
    return annotations;
  }
  std::int64_t workers = 0;
  for (const auto& set : owner_.templates) {
    if (set.name != "Launcher" && set.pod) workers += set.replicas.value_or(1);
  }
  std::string after;
  if (workers > 0) add_need(after, step("workers"), "ready", workers);
  annotate(annotations, after_annotation, std::move(after));
  return annotations;
}

std::string assumed_ends(const PodOwner& owner) {
  std::string kinds;
  for (const auto& job : owner.templates) {
    const bool waited_for = std::ranges::any_of(owner.templates, [&](const PodSet& other) {
      return std::ranges::any_of(other.depends_on, [&](const JobDependency& on) {
        return on.name == job.name && on.status == "Complete";
      });
    });
    const bool says = job.pod && job.pod->meta.annotations.contains(run_seconds_annotation);
    if (waited_for && !says) kinds += (kinds.empty() ? "" : ", ") + job.name;
  }
  if (kinds.empty()) return {};
  return fmt::format(
      "others start when {} is complete: where neither the annotation {} nor --run-time says how "
      "long its pods run, they end after {}s",
      kinds, run_seconds_annotation, assumed_run_seconds);
}

}  // namespace dray::sim
