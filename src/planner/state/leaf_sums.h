#pragma once

#include <cstddef>

#include "dray/policy/amounts.h"

namespace dray::planner {

struct PlanJob;

/// What a job holds of its queue, and asks of it.
struct JobAmounts {
  policy::Amounts held;
  policy::Amounts held_nonpreemptible;
  /// What is held is asked for, too; what an infeasible job waits for is not: nobody can have it.
  policy::Amounts requested;
  policy::Amounts present;  ///< of those that leave

  bool operator==(const JobAmounts&) const = default;
};
/// As things are.
[[nodiscard]] JobAmounts amounts_of(const PlanJob& job);

/// What the jobs of one queue hold and ask for, as if it were added up job by job in the order of
/// their uids. A sum of doubles depends on its order unless each step is exact: as long as each is,
/// a job that comes or goes costs an addition; else the sum is stale until all are added up.
class LeafSums {
 public:
  explicit LeafSums(std::size_t resources);

  void come(const JobAmounts& job);
  /// As it came.
  void go(const JobAmounts& job);
  /// Jobs came or went, and it has to be summed up again.
  [[nodiscard]] bool stale() const { return stale_; }
  /// From nothing, with add() of each in the order of uids.
  void restart();
  void add(const JobAmounts& job);

  /// Where it is not stale.
  [[nodiscard]] const JobAmounts& get() const { return sum_; }

 private:
  void judge();

  JobAmounts sum_;
  std::size_t inexact_ = 0;  ///< jobs with amounts that do not add up exactly
  bool stale_ = false;
};

}  // namespace dray::planner
