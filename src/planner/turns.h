#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "dray/planner/progress.h"
#include "planner/place/decisions.h"
#include "planner/state/context.h"
#include "planner/state/jobs.h"

namespace dray::planner {

/// Which waiting jobs a plan looks at. Where the plans before it left some out, half of each budget
/// is reserved for these: of each queue in turn the job that no plan has looked at for longest.
/// The other half goes by the order of jobs alone. So every job is looked at within a number of
/// plans that depends on how many wait, and on nothing that others do meanwhile.
class Turns {
 public:
  /// `waiting`: jobs that could start, were there room, in the order of uids.
  Turns(const PlanContext& context, const policy::QueueTree& queues,
        std::span<PlanJob* const> waiting);

  /// Whether earlier plans left jobs out.
  [[nodiscard]] bool carries() const { return !reserved_.empty(); }
  /// Jobs that a part of the budget is reserved for, in the order in which they get it.
  [[nodiscard]] std::span<PlanJob* const> reserved() const { return reserved_; }
  [[nodiscard]] bool is_reserved(const PlanJob& job) const { return state(job).reserved; }
  /// The first of them: it has budgets of work of its own, twice as large each time that they cut
  /// its look short, so that its look ends some day, whoever comes before it. Null: there is none.
  [[nodiscard]] PlanJob* extended() const {
    return reserved_.empty() ? nullptr : reserved_.front();
  }
  /// That much of a budget.
  [[nodiscard]] std::size_t extend(std::size_t budget) const;
  /// Whether a budget cut its last look short.
  [[nodiscard]] bool extended_was_cut_short() const {
    return extended() != nullptr && state(*extended()).cut_short > 0;
  }

  /// The plan has looked at the job in full, so far.
  void looked(const PlanJob& job);
  /// No node could take the job. If that is `lasting`, it does not count as one that was looked at,
  /// and later plans set it aside.
  void set_infeasible(const PlanJob& job, bool lasting);
  [[nodiscard]] bool is_infeasible(const PlanJob& job) const { return state(job).infeasible; }
  [[nodiscard]] bool is_set_aside(const PlanJob& job) const { return state(job).set_aside; }
  /// A budget kept the plan from a part of the job's look, or (`begun` false) from all of it.
  void missed(const PlanJob& job, bool begun = true);
  void ended_by(BudgetKind kind) { ended_by_.insert(kind); }
  [[nodiscard]] const std::set<BudgetKind>& ended_by() const { return ended_by_; }

  /// What the next plan is to know, with the jobs that are set aside. Jobs that no plan has reached
  /// yet are told so, once.
  [[nodiscard]] CarriedProgress finish(const JobTable& jobs, Decisions& decisions) const;

 private:
  enum class Seen : std::uint8_t { not_reached, in_full, in_part };
  struct State {
    std::uint64_t plan = 0;  ///< as in Progress::Look
    std::uint32_t cut_short = 0;
    bool looked = false;  ///< by an earlier plan
    bool known = false;   ///< to an earlier plan
    bool reserved = false;
    bool infeasible = false;
    bool set_aside = false;  ///< from the next plan on
    Seen seen = Seen::not_reached;
  };
  [[nodiscard]] const State& state(const PlanJob& job) const { return states_[at_[job.slot]]; }
  [[nodiscard]] State& state(const PlanJob& job) { return states_[at_[job.slot]]; }
  void read(const Progress& carried);
  void reserve(std::size_t most);
  [[nodiscard]] std::vector<PlanJob*> dealt(const std::vector<PlanJob*>& jobs) const;
  [[nodiscard]] JobTable::Reported infeasible(const JobTable& jobs) const;
  void tell_unreached(Decisions& decisions) const;

  const PlanContext& context_;
  const policy::QueueTree& queues_;
  std::uint64_t number_ = 1;
  std::vector<PlanJob*> waiting_;
  std::vector<std::uint32_t> at_;  ///< by PlanJob::slot: where its state is
  std::vector<State> states_;
  std::vector<PlanJob*> reserved_;
  std::set<BudgetKind> ended_by_;
};

/// A bound of a plan in two parts: of jobs in their order, and of reserved ones.
struct BudgetParts {
  std::size_t in_order = 0;
  std::size_t reserved = 0;

  BudgetParts(std::size_t budget, bool carries)
      : in_order(carries ? budget / 2 : budget), reserved(budget - in_order) {}
};

}  // namespace dray::planner
