#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "dray/planner/plan.h"
#include "dray/policy/policy.h"
#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// The jobs that wait, those alike together: of one queue, asking for the same, of as many pods,
/// and, where the planner knows run times, running as long.
/// The planner is shown only the first few of each kind, because where one finds no room, those
/// like it that came later find none either: a plan costs what may start and not what waits.
class WaitingJobs {
 public:
  WaitingJobs(const Setting& setting, const policy::Policy& policy, const JobsOptions& options);

  /// The job waits from now on. `own`: it is like no other.
  void add(std::size_t job, bool own);
  /// It does no more; or, to add it anew, it is of another kind.
  void remove(std::size_t job);
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Whether others of its kind wait, too.
  [[nodiscard]] bool has_like(std::size_t job) const;
  /// The queue of the policy that the job is in, and what it takes of the counted resources.
  [[nodiscard]] const policy::QueueName& queue_of(std::size_t job) const;
  [[nodiscard]] const policy::Amounts& counts_of(std::size_t job) const;

  /// Shows of each kind one more than so many GPUs are room for, at least.
  void show_for(double gpus);
  /// Where a plan gave all that are shown of a kind something, shows more of it: with them the plan
  /// would be another. Whether there was such a kind.
  [[nodiscard]] bool show_more(const planner::Plan& plan);
  /// Jobs that wait and of which it was settled since this was last asked whether they are shown.
  [[nodiscard]] std::vector<std::pair<std::size_t, bool>> take_changes();
  /// What hidden ones ask for.
  [[nodiscard]] std::vector<planner::UnlistedDemand> unlisted() const;

 private:
  /// What jobs ask for that are of one shape and as many pods, in one queue.
  struct Ask {
    policy::QueueName queue;
    policy::Amounts counts;  ///< of one job
    double gpus = 0;
  };
  struct Kind {
    std::size_t ask = 0;
    std::set<std::pair<Duration, std::size_t>> shown;  ///< by arrival; all before the hidden ones
    std::set<std::pair<Duration, std::size_t>> hidden;
    std::size_t got = 0;  ///< of the shown ones, by the plan that is looked at
  };
  enum class State : std::uint8_t { absent, hidden, shown };
  struct Place {
    std::size_t kind = 0;
    State state = State::absent;
  };

  [[nodiscard]] std::size_t make_ask(std::size_t job, const policy::QueueName& queue,
                                     const policy::Policy& policy);
  [[nodiscard]] std::pair<Duration, std::size_t> turn_of(std::size_t job) const;
  void show(Kind& kind, std::size_t count);
  void set(std::size_t job, State state);
  [[nodiscard]] std::size_t wanted(const Kind& kind) const;

  const Setting& setting_;
  const bool all_;
  std::vector<Ask> asks_;
  std::vector<std::size_t> ask_of_;  ///< by job
  std::vector<Kind> kinds_;          ///< one of each ask; then those of single jobs
  std::vector<std::size_t> unused_;  ///< of the latter
  std::vector<Place> places_;        ///< by job
  std::set<std::size_t> with_hidden_;
  std::vector<std::pair<std::size_t, bool>> changes_;
  std::map<policy::QueueName, policy::Amounts> unlisted_;
  double room_ = 0;
  std::size_t size_ = 0;
};

}  // namespace dray::simulate
