#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/base/time.h"
#include "dray/model/placement.h"
#include "dray/model/reason.h"
#include "dray/planner/job.h"
#include "dray/planner/job_list.h"
#include "dray/planner/progress.h"
#include "dray/policy/policy.h"
#include "dray/policy/usage.h"

namespace dray::cluster {
class Snapshot;
}

namespace dray::planner {

struct JobWatch;

// ---- What goes in ----

/// Bounds a plan by work, not by time, so that it is the same everywhere. What is beyond a bound
/// waits for the next plan.
struct PlanBudget {
  std::size_t jobs = 512;             ///< that are looked at, in each action
  std::size_t nodes_tried = 200'000;  ///< (pod, node) pairs that are looked at in full
  std::size_t evictions = 64;         ///< pods
  std::size_t scenarios = 4'096;      ///< sets of victims that are tried out

  /// All that would follow in a row of plans, in one.
  [[nodiscard]] static constexpr PlanBudget unbounded() {
    constexpr auto all = std::numeric_limits<std::size_t>::max();
    return {.jobs = all, .nodes_tried = all, .evictions = all, .scenarios = all};
  }
};

/// One of the bounds of PlanBudget.
enum class BudgetKind : std::uint8_t { jobs, nodes_tried, scenarios, evictions };
/// Its key in a policy's `budgets`, `scenarios` for the one that is not there: `nodesTried`.
[[nodiscard]] std::string_view name(BudgetKind kind);

/// A node that a pod is not to get: kube-scheduler refused it there, and neither has changed since.
struct RefusedNode {
  Uid pod;
  NodeName node;
  auto operator<=>(const RefusedNode&) const = default;
};

/// Uids that copies share: of one budget there may be as many as there are pods.
class SharedUids {
 public:
  SharedUids() : SharedUids(std::vector<Uid>()) {}
  SharedUids(std::initializer_list<Uid> uids) : SharedUids(std::vector<Uid>(uids)) {}
  SharedUids(std::vector<Uid> uids)  // NOLINT(google-explicit-constructor): a list of uids
      : uids_(std::make_shared<const std::vector<Uid>>(std::move(uids))) {}

  [[nodiscard]] auto begin() const { return uids_->begin(); }
  [[nodiscard]] auto end() const { return uids_->end(); }
  [[nodiscard]] std::size_t size() const { return uids_->size(); }
  [[nodiscard]] bool empty() const { return uids_->empty(); }
  bool operator==(const SharedUids& other) const {
    return uids_ == other.uids_ || *uids_ == *other.uids_;
  }

 private:
  std::shared_ptr<const std::vector<Uid>> uids_;
};

/// A PodDisruptionBudget: of these pods, so many may go now.
struct DisruptionBudget {
  std::string name;  ///< namespace/name, for people
  SharedUids pods;   ///< sorted
  std::int64_t allowed = 0;

  bool operator==(const DisruptionBudget&) const = default;
};

/// Room that an earlier plan holds for a job until those who have it are gone (JobOutcome::held).
/// Nobody else gets it; the job itself may also go elsewhere. KAI: a pipelined pod.
struct Hold {
  Uid job;
  std::vector<Placement> placements;

  bool operator==(const Hold&) const = default;
};

/// Room that a plan keeps for a job that has waited for long and that others would starve
/// (`gangs.reserveAfter`): nobody else gets it, but for pods that end in time. What runs there is
/// not evicted. Give it back with the next PlanInput, or the choice of the job starts anew.
struct KeptRoom {
  Uid job;
  /// Where its next pods go once those in the way have ended.
  std::vector<Placement> placements;
  std::vector<Uid> in_the_way;  ///< pods that have to end for that, sorted
  /// When all of these have ended at the latest; nothing: of one it is not known.
  std::optional<Time> complete;
  Time since;  ///< when room was first kept for it

  bool operator==(const KeptRoom&) const = default;
};

/// A claim whose pod has finished or is gone, and whose devices nobody has taken off it yet: it is
/// releasing them.
struct LeavingClaim {
  ClaimKey claim;
  NodeName node;

  bool operator==(const LeavingClaim&) const = default;
};

/// What jobs of a queue ask for that wait and are not in PlanInput::jobs: of many that are alike it
/// is enough to list the first few. It counts for the queues' shares and for nothing else.
struct UnlistedDemand {
  policy::QueueName queue;
  policy::Amounts amounts;  ///< in the order of the policy's counted resources

  bool operator==(const UnlistedDemand&) const = default;
};

/// Which of KAI's actions a plan takes, as far as the policy allows them.
struct Actions {
  bool place = true;            ///< jobs onto free room (KAI: allocate)
  bool consolidate = true;      ///< move jobs so that another fits
  bool reclaim = true;          ///< take back from queues above their share
  bool preempt = true;          ///< evict lower priority of the same queue
  bool end_stale_gangs = true;  ///< evict gangs that run below their minimum

  bool operator==(const Actions&) const = default;
};

/// All that plan() reads.
struct PlanInput {
  std::shared_ptr<const cluster::Snapshot> snapshot;
  /// Null: Policy::open().
  std::shared_ptr<const policy::Policy> policy;
  /// Every job that waits or runs, whoever is to be served or may have to give. The same pointer as
  /// in an earlier plan says that nothing about the job changed.
  JobList jobs;
  std::vector<UnlistedDemand> unlisted;
  std::vector<RefusedNode> refused;  ///< sorted: kube-scheduler did not take the node for the pod
  /// Where jobs may go; absent: anywhere. The names are the caller's to keep.
  std::optional<std::span<const NodeName>> only;
  std::vector<DisruptionBudget> disruption_budgets;
  std::vector<Hold> holds;
  std::shared_ptr<const KeptRoom> kept;               ///< by the plan before; null: for nobody
  std::vector<LeavingClaim> leaving;                  ///< sorted by claim
  std::shared_ptr<const policy::UsageHistory> usage;  ///< null: the past does not count
  Actions actions;
  PlanBudget budget;
  /// Plan::progress of the last plan of all jobs, or nothing: jobs that budgets have kept it from
  /// come first in a part of this one's.
  CarriedProgress progress;
  Time now;  ///< the only clock that a plan has
};

// ---- What comes out ----

/// What happens to a waiting job. Those that get something come first in a Plan. A job may get some
/// members now (a gang at least its minimum) and others later.
struct JobOutcome {
  Uid job;
  std::vector<Uid> pods;              ///< its members that wait, in their order
  std::vector<Placement> placements;  ///< to be reserved and started now
  /// Room for members that they get once others have left it: hold it for the job (and give it back
  /// with the next PlanInput); nothing is started yet.
  std::vector<Placement> held;
  Reason reason = Reason::none;            ///< why what is not placed waits
  std::string detail;                      ///< counts and names, for people
  std::vector<std::string> warnings = {};  ///< of the placements: they work but may not be meant
  /// Groups of the policy that would have to grow for what is not placed, sorted; empty: none was
  /// asked, or none can grow to fit.
  std::vector<std::string> node_groups = {};

  bool operator==(const JobOutcome&) const = default;
};
/// The job starts, in part at least, or room is held for it.
[[nodiscard]] inline bool gets_something(const JobOutcome& outcome) {
  return !outcome.placements.empty() || !outcome.held.empty();
}

/// Which action evicts.
enum class EvictionCause : std::uint8_t { reclaim, preemption, consolidation, stale_gang };
/// Its CamelCase name, for conditions and metrics: `StaleGang`.
[[nodiscard]] std::string_view name(EvictionCause cause);

/// Pods of a job that have to go, together. All evictions for one beneficiary are one set: where
/// one of them is refused (a disruption budget), the others serve nobody.
struct Eviction {
  Uid job;
  std::vector<Uid> pods;  ///< that are placed: bound, or merely reserved
  EvictionCause cause = EvictionCause::reclaim;
  std::optional<Uid> beneficiary;  ///< none for a stale gang
  /// Where the plan has room for those of the pods that it only moves: hold it for the job.
  std::vector<Placement> moved;
  std::string detail;  ///< both sides and their queues' numbers, for people

  bool operator==(const Eviction&) const = default;
};

/// A gang that runs below its minimum: when it was first seen so. Give it back with the job
/// (Job::stale_since), or its grace period starts anew.
struct StaleGang {
  Uid job;
  Time since;

  bool operator==(const StaleGang&) const = default;
};

/// What a queue has at the beginning of the plan, for people and metrics. In the order of the
/// policy's queues; amounts in the order of its counted resources.
struct QueueReport {
  policy::QueueName queue;
  policy::Amounts fair_share;
  policy::Amounts allocated;
  policy::Amounts requested;

  bool operator==(const QueueReport&) const = default;
};

/// What plan() decided. Jobs that are not in it wait as before.
struct Plan {
  /// Each waiting job that was looked at, in the order served, and after them those that no plan
  /// has looked at yet, once (Reason::planning).
  std::vector<JobOutcome> jobs;
  std::vector<Eviction> evictions;  ///< in the order of their beneficiaries
  std::vector<StaleGang> stale;     ///< every gang that is stale now, sorted by uid
  std::optional<KeptRoom> kept;     ///< absent: for nobody. A plan for `only` some nodes keeps none
  std::vector<QueueReport> queues;
  policy::Amounts total;             ///< what the cluster has of the counted resources
  std::size_t nodes_tried = 0;       ///< (pod, node) pairs that were looked at in full
  std::size_t scenarios = 0;         ///< sets of victims that were tried out
  std::size_t refused_early = 0;     ///< jobs that a bound refused without a search
  bool exhausted = false;            ///< the budget ended it: jobs beyond it have Reason planning
  std::vector<BudgetKind> ended_by;  ///< which of its bounds did; sorted
  CarriedProgress progress;          ///< for the next plan of all jobs
  /// When the outcome may change by time alone: a grace period, a minimum run time, a delay ends.
  std::optional<Time> again_at;

  bool operator==(const Plan&) const = default;
};

/// What a pod may be told of nodes by who does not choose its devices: which will do, which is
/// better, and what it would get on the best.
struct Advice {
  struct Node {
    Reason reason = Reason::none;  ///< none: the pod may go there
    std::int64_t rank = 0;         ///< distinct where it may; higher is better; else 0
  };
  std::vector<Node> nodes;                 ///< in the order of PlanInput::only
  std::optional<Placement> placement;      ///< on the best node, as the allocator has it
  std::vector<std::string> warnings = {};  ///< of the placement
};

/// Decides which waiting jobs start where, and who is evicted for them. Pure: the same input gives
/// the same plan; what a planner remembers from earlier plans saves work and changes no answer. One
/// thread at a time.
class Planner {
 public:
  /// `options`: of the allocator; what the policy says of devices goes before them.
  explicit Planner(const alloc::AllocatorOptions& options = {});
  ~Planner();
  Planner(Planner&&) noexcept;
  Planner& operator=(Planner&&) noexcept;

  /// A plan for the input, within its budget. Never fails: what cannot be placed has a Reason.
  /// `watch`, if there is one, is filled on the way (job_watch.h).
  [[nodiscard]] Plan plan(const PlanInput& input, JobWatch* watch = nullptr);
  /// Reads a part of what a plan for the input would read, `most` nodes or jobs that are new: call
  /// it until it says that no more is worth the while, and the next plan begins sooner. Whatever
  /// changes in between, its plan is the same.
  [[nodiscard]] bool read_ahead(const PlanInput& input, std::size_t most);
  /// What each node of `only` says as things are to a waiting job of one pod, in that order;
  /// Reason::none: it fits. What the job or its queue lacks is every node's answer.
  [[nodiscard]] std::vector<Reason> verdicts(const PlanInput& input, const Uid& job);
  /// The same and more of a member of `job`, whose others may be placed already. Beside verdicts():
  /// room that is held for other jobs is theirs.
  [[nodiscard]] Advice advise(const PlanInput& input, const Uid& job, const Uid& pod);
  /// The allocator's work for all of these so far: for metrics and tests.
  [[nodiscard]] alloc::Allocator::Counts allocator_counts() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::planner
