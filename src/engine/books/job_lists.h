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
  /// Jobs that are kept in mind as changed, for the two lists together.
  [[nodiscard]] std::size_t kept_in_mind() const {
    return all_.changed.size() + holders_.changed.size();
  }

 private:
  /// A list, and the jobs that have changed since it was brought up to date. Nobody may ask for it
  /// for ever: a replica that stands by does not, and without queues nobody wants the holders.
  struct Kept {
    planner::JobList list;
    std::set<Uid> changed;
    Uid looked_at;  ///< of these, the last that was asked whether it can be left out
  };

  void note(Kept& kept, const Uid& job) const;
  void look_at_next(Kept& kept) const;
  void update_holders(const std::set<Uid>& changed);

  Find find_;
  Kept all_;
  Kept holders_;
};

}  // namespace dray::engine
