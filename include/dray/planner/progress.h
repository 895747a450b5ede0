#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "dray/model/ids.h"

namespace dray::planner {

struct Job;

/// How far a row of plans has come with the jobs that wait: what one plan hands to the next, so
/// that a budget that ends each of them keeps no job waiting for ever.
struct Progress {
  /// A waiting job, as plans have looked at it.
  struct Look {
    Uid job;
    /// The last plan that looked at it in full; where none has, the last one before it came.
    std::uint64_t plan = 0;
    bool looked = false;          ///< some plan has
    std::uint32_t cut_short = 0;  ///< looks in a row that a budget of work ended

    bool operator==(const Look&) const = default;
  };

  std::uint64_t plan = 0;   ///< the number of the plan that this is of, from 1
  std::vector<Look> looks;  ///< sorted by job; empty: that plan looked at every job in full
  /// Jobs that no node of the cluster could take even if it were empty, as they were when a plan
  /// reported it; sorted by uid. They are not reported again while that holds. Null: none.
  std::shared_ptr<const std::vector<std::shared_ptr<const Job>>> infeasible;

  bool operator==(const Progress& other) const {
    return plan == other.plan && looks == other.looks &&
           (infeasible == other.infeasible ||
            (infeasible && other.infeasible && *infeasible == *other.infeasible));
  }
};

/// A Progress that inputs and plans share; equal ones say the same.
class CarriedProgress {
 public:
  CarriedProgress() = default;
  explicit CarriedProgress(std::shared_ptr<const Progress> progress)
      : progress_(std::move(progress)) {}

  [[nodiscard]] const Progress* get() const { return progress_.get(); }
  [[nodiscard]] const std::shared_ptr<const Progress>& shared() const { return progress_; }
  bool operator==(const CarriedProgress& other) const {
    if (progress_ == other.progress_) return true;
    return progress_ && other.progress_ && *progress_ == *other.progress_;
  }

 private:
  std::shared_ptr<const Progress> progress_;  ///< null: nothing is carried
};

}  // namespace dray::planner
