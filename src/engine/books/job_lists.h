#pragma once

#include <functional>
#include <memory>
#include <set>

#include "dray/planner/job_list.h"

namespace dray::engine {

/// Jobs as lists for plans. A list costs what changed since it was last asked for.
class JobLists {
 public:
  /// The job of that uid; null: there is none any more.
  using Find = std::function<std::shared_ptr<const planner::Job>(const Uid&)>;

  explicit JobLists(Find find) : find_(std::move(find)) {}

  /// The job came, went, or is another.
  void changed(const Uid& job);
  [[nodiscard]] const planner::JobList& all();
  /// The jobs as others see them while one of them is planned alone: those with a member that has
  /// its room or is leaving it; what of them waits is told as blocked.
  [[nodiscard]] const planner::JobList& holders();
  /// Brings `most` of them up to date. False: fewer have changed.
  [[nodiscard]] bool read_ahead(std::size_t most);

 private:
  void update_holders(const std::set<Uid>& changed);

  Find find_;
  planner::JobList all_, holders_;
  std::set<Uid> all_changed_, holders_changed_;  ///< since the list was brought up to date
};

}  // namespace dray::engine
