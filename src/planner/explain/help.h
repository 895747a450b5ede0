#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dray/planner/explanation.h"
#include "dray/planner/job_watch.h"
#include "planner/explain/trials.h"

namespace dray::planner {

/// Whether the one may know the other's name: they share a namespace or a queue.
[[nodiscard]] bool same_tenant(const Job& a, const Job& b);
/// Whether the answer about `job` may name `other`.
[[nodiscard]] bool may_name(const Question& question, const Job& job, const Job& other);

/// What a pod lacks before it can be planned at all: what to make, by name.
[[nodiscard]] std::vector<std::string> help_for_lack(const cluster::Snapshot& snapshot,
                                                     const Pod& pod, Reason reason);

/// What would help a job that waits. Each thing is tried: a plan is made with that one change.
class WhatHelps {
 public:
  struct Found {
    std::string nearest;             ///< the node that lacks least, and who is in the way
    std::vector<std::string> helps;  ///< sentences
  };

  /// `plan`: of the question's input, in which `watch` saw the job find nothing.
  /// `trials`: that made `plan`. `options`: of the planner's allocator.
  WhatHelps(const Question& question, const Job& job, const Plan& plan, const JobWatch& watch,
            Trials& trials, const alloc::AllocatorOptions& options)
      : question_(question),
        job_(job),
        plan_(plan),
        watch_(watch),
        trials_(trials),
        options_(options) {
    for (const auto& outcome : plan.jobs) given_.emplace(outcome.job.get(), &outcome);
  }

  [[nodiscard]] Found find();

 private:
  /// What a plan of a changed input makes of the job.
  struct Tried {
    JobOutcome outcome;
    JobWatch watch;
    Plan plan;

    [[nodiscard]] bool helped() const { return gets_something(outcome); }
    /// `goes to n3`, after a change: "it then"
    [[nodiscard]] std::string where() const;
  };
  [[nodiscard]] Tried read(Plan plan, JobWatch watch) const;
  /// Nothing helps where no more may be tried.
  [[nodiscard]] Tried try_out(const PlanInput& changed, std::size_t cost = Trials::with_evictions);
  [[nodiscard]] Tried try_free_room(const PlanInput& changed);
  [[nodiscard]] Tried try_policy(const std::function<void(policy::Policy&)>& change);
  [[nodiscard]] Tried try_job(const std::function<void(Job&)>& change);
  [[nodiscard]] Tried try_pods(const std::function<void(Pod&)>& change);

  [[nodiscard]] bool help_devices();
  void raise_bounds();
  void change_nodes();
  void start_with_fewer();
  void change_request(const NodesAlike& group);
  using Jobs = std::vector<std::shared_ptr<const Job>>;
  void end_jobs();
  [[nodiscard]] bool fits_without(const Jobs& others);
  [[nodiscard]] std::size_t ends(const Jobs& others) const;
  [[nodiscard]] bool end_one(const Jobs& others);
  [[nodiscard]] bool end_several(Jobs others);
  [[nodiscard]] std::string names_of(const Jobs& jobs) const;
  [[nodiscard]] Jobs others_with_room() const;
  /// What the plan gives the job; null: nothing was decided about it.
  [[nodiscard]] const JobOutcome* given(const Job& job) const {
    const auto found = given_.find(job.uid.get());
    return found == given_.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool is_near(const Job& other) const;
  using Names = std::vector<std::string>;
  [[nodiscard]] Names devices_on(const Names& nodes, const Job& job) const;
  [[nodiscard]] std::string in_the_way(const Jobs& others, const Tried& tried) const;
  void evict();
  void evict_by_policy();
  void raise_quota();
  [[nodiscard]] std::string victims(const Plan& plan) const;

  const Question& question_;
  const Job& job_;
  const Plan& plan_;
  const JobWatch& watch_;
  Trials& trials_;
  const alloc::AllocatorOptions& options_;
  std::unordered_map<std::string_view, const JobOutcome*> given_;  ///< by the job's uid
  Found found_;
};

}  // namespace dray::planner
