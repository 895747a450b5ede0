#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/time.h"
#include "dray/policy/policy.h"
#include "dray/simulate/churn.h"
#include "dray/simulate/experiment.h"
#include "dray/simulate/recorded.h"
#include "dray/simulate/strategy.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// What decides in a run of jobs with run times: dray's planner under a policy, or a model of
/// kube-scheduler (jobs in the order of their arrival, later ones while earlier ones do not fit)
/// that chooses nodes by a strategy; or what happened, where the workload was recorded.
struct Scheduler {
  std::string name;  ///< for people
  std::variant<Strategy, std::shared_ptr<const policy::Policy>, std::shared_ptr<const RecordedRun>>
      how;
};

/// What became of a job. Times since the beginning of the trace.
struct JobRecord {
  std::optional<Duration> started;  ///< for the first time
  std::optional<Duration> ended;
  Duration waited{0};  ///< in all, also after evictions
  Duration lost{0};    ///< of its run time, because it was evicted, or a node failed
  std::uint32_t evictions = 0;
  std::uint32_t preemptions = 0;  ///< of the evictions: for a job of higher priority in its queue
  std::uint32_t failures = 0;     ///< a node of it failed, and it began anew
  std::uint32_t moves = 0;        ///< evictions after which it went on elsewhere at once

  bool operator==(const JobRecord&) const = default;
};

/// Parts of the time of a run, all as long, for curves.
inline constexpr std::size_t curve_points = 240;

/// GPUs on average in each part of the time.
struct Curve {
  std::string name;  ///< of a queue
  std::vector<double> held;
  std::vector<double> waiting;

  bool operator==(const Curve&) const = default;
};

/// Where a pod of a job ran, and when.
struct Stay {
  std::uint32_t job = 0;   ///< of the workload
  std::uint32_t node = 0;  ///< of the cluster
  std::uint32_t gpus = 0;  ///< as bits; 0: so many as it asks for, of which the kubelet chooses
  Duration from{0};
  Duration to{0};

  bool operator==(const Stay&) const = default;
};

/// GPUs of one model, and how they were used.
struct ModelUse {
  std::string model;
  double gpus = 0;
  double used = 0;  ///< GPU-seconds

  bool operator==(const ModelUse&) const = default;
};

/// Devices of one DeviceClass, or of a device plugin's resource, and how they were used. A device
/// may be of several classes.
struct ClassUse {
  std::string name;
  double devices = 0;
  double used = 0;  ///< device-seconds

  bool operator==(const ClassUse&) const = default;
};

/// Gangs by whether their pods share a domain of one topology level when they start.
struct GangSpread {
  std::string level;  ///< a label of nodes, or `node`
  std::size_t gangs = 0;
  std::size_t together = 0;  ///< all pods in one domain

  bool operator==(const GangSpread&) const = default;
};

/// One run of the jobs of a workload, under one policy and seed.
struct JobsRun {
  std::string policy;
  std::uint64_t seed = 0;
  std::vector<JobRecord> jobs;      ///< by job of the workload
  std::vector<Curve> curves;        ///< by queue, in the order of their names
  std::vector<Stay> stays;          ///< in the order of their ends, where JobsOptions ask for them
  Duration span{0};                 ///< of the curves: from the first arrival to the end of the run
  double gpus = 0;                  ///< that the cluster has
  double used = 0;                  ///< GPU-seconds, lost ones included
  std::size_t events = 0;           ///< arrivals, starts, ends and evictions
  std::size_t plans = 0;            ///< of the planner
  std::size_t cycles = 0;           ///< its regular looks, those without a plan included
  std::vector<ModelUse> models;     ///< in the order of their names
  std::vector<WaitingFor> waiting;  ///< the most jobs first
  std::size_t pods_of_several = 0;  ///< placed pods of several devices
  std::size_t pods_together = 0;    ///< of these: with all devices on one PCIe root or NUMA node
  std::vector<GangSpread> gangs;    ///< by level, the nodes first
  std::vector<ClassUse> classes;    ///< in the order of their names, where devices are published
  std::vector<double> fragmented;   ///< FGD's measure: GPUs on average in each part of the time

  bool operator==(const JobsRun&) const = default;
};

/// How a run goes.
struct JobsOptions {
  Duration plan_pause{
      0};  ///< between two plans, at least: what comes meanwhile is planned together
  /// The planner looks at regular times, the first at 0, and not when something happens; 0: it does
  /// then. A look at which a plan could not be another than the last one costs no plan.
  Duration plan_every{0};
  /// Before this; absent: until all jobs have ended, or none can start any more.
  std::optional<Duration> until;
  /// For comparison: the planner is shown every job that waits at every plan, also those like one
  /// that finds no room, and makes a plan at every regular look.
  bool show_all = false;
  /// The planner knows how long jobs run, as if each had that as its activeDeadlineSeconds.
  bool known_run_times = false;
  std::vector<Churn> churn;  ///< in the order of its times; its nodes are of the cluster
  bool keep_stays = false;   ///< for a map of what ran where
};

/// Plays the jobs: they arrive, wait, run and end. An evicted job begins anew. Jobs that ask for
/// parts of GPUs can be played under strategies alone: under a policy they wait for ever.
[[nodiscard]] JobsRun run_jobs(const Setting& setting, const Scheduler& scheduler,
                               std::uint64_t seed, const JobsOptions& options = {});

/// A policy of the queues that the workload names, all of them equal, whose queues take back from
/// each other what is above their shares; without `fair` one queue for all, first come first
/// served.
[[nodiscard]] Result<std::shared_ptr<const policy::Policy>> policy_of(const Workload& workload,
                                                                      bool fair,
                                                                      const GpuKind& gpus = {});
/// Whether the policy counts what the jobs' GPUs are; where it does not its queues neither have nor
/// owe any.
[[nodiscard]] bool counts_gpus(const policy::Policy& policy, const GpuKind& gpus);

}  // namespace dray::simulate
