#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/planner/plan.h"
#include "dray/simulate/jobs_run.h"
#include "simulate/jobs/fragmented.h"

namespace dray::simulate {

/// Writes down what happens to jobs, whoever decides: records, curves, counts.
class Recorder {
 public:
  /// Who measures fragmentation: the recorder, by places that it is told, or its caller.
  enum class Measured : std::uint8_t { here, by_caller };
  Recorder(const Setting& setting, JobsRun& run, const JobsOptions& options,
           Measured measured = Measured::here);

  void arrived(std::size_t job, Duration now);
  /// `places`: of each pod; nothing where they are not wanted.
  void started(std::size_t job, Duration now, std::span<const Place> places = {});
  /// Stays are kept, there are GPUs of several models, or fragmentation is measured here.
  [[nodiscard]] bool wants_places() const {
    return keeps_stays_ || run_.models.size() > 1 || filled_;
  }
  /// Its place among the nodes, where places are wanted.
  [[nodiscard]] std::uint32_t node_of(const std::string& name) const { return nodes_.at(name); }
  /// FGD's measure from now on, in thousandths of GPUs, by the caller.
  void measured(double fragmented, Duration now) { fragmented_.saw(now, fragmented); }
  /// A plan for what is in `input`: whether devices and gangs are together, and what jobs wait for.
  void planned(const planner::Plan& plan, const planner::PlanInput& input);
  /// The job begins anew when it starts again, which one that is moved does at once.
  void evicted(const planner::Eviction& eviction, Duration now);
  /// A node of it failed: it begins anew when it starts again.
  void failed(std::size_t job, Duration now);
  void ended(std::size_t job, Duration now);
  /// It is gone for good though it had not ended: evicted, or with a node that failed.
  void removed(std::size_t job, Duration now, bool by_node);
  /// The end of the run: what still runs or waits counts until now.
  void finish(Duration now);

 private:
  /// From `from` until `to` the job held, or waited for, its GPUs.
  struct Stretch {
    std::uint32_t queue;
    bool held;
    Duration from;
    Duration to;
    double gpus;
  };
  enum class State : std::uint8_t { absent, waiting, running };
  struct Now {
    State state = State::absent;
    Duration since{0};
  };

  void leave(std::size_t job, Duration now);
  void begin_anew(std::size_t job, Duration now);
  void give_back(std::size_t job, Duration now);
  void count_gangs(const planner::JobOutcome& outcome, const planner::PlanInput& input);
  void add_models();
  void count_waiting();
  /// The job has held its GPUs for so long.
  void count_models(std::size_t job, double seconds);
  [[nodiscard]] double gpus_of(std::size_t job) const;
  void draw(Duration first, Duration last);

  const Setting& setting_;
  JobsRun& run_;
  std::vector<Now> now_;
  std::vector<Reason> refused_;  ///< by job: what it was told last
  std::vector<std::uint32_t> queue_of_;
  std::vector<Stretch> stretches_;
  bool keeps_stays_;
  std::map<std::string, std::uint32_t> nodes_;
  std::vector<std::uint32_t> model_of_;     ///< by node: of JobsRun::models
  std::vector<std::vector<Place>> places_;  ///< by job, of those that run, where they are wanted
  FragmentedOverTime fragmented_;
  std::optional<FilledNodes> filled_;  ///< where fragmentation is measured here
};

}  // namespace dray::simulate
