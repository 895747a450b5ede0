#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dray/planner/plan.h"
#include "dray/simulate/jobs_run.h"

namespace dray::simulate {

/// Where a pod of a job goes: GPUs as bits, 0 where the kubelet chooses.
struct Place {
  std::uint32_t node = 0;
  std::uint32_t gpus = 0;
};

/// Writes down what happens to jobs, whoever decides: records, curves, counts.
class Recorder {
 public:
  Recorder(const Setting& setting, JobsRun& run, const JobsOptions& options);

  void arrived(std::size_t job, Duration now);
  /// `places`: of each pod; nothing where they are not wanted.
  void started(std::size_t job, Duration now, std::span<const Place> places = {});
  /// Stays are kept, or there are GPUs of several models.
  [[nodiscard]] bool wants_places() const { return keeps_stays_ || run_.models.size() > 1; }
  /// Its place among the nodes, where places are wanted.
  [[nodiscard]] std::uint32_t node_of(const std::string& name) const { return nodes_.at(name); }
  /// A plan for what is in `input`: whether devices are together, and what jobs wait for.
  void planned(const planner::Plan& plan, const planner::PlanInput& input);
  /// The job begins anew when it starts again, which one that is moved does at once.
  void evicted(const planner::Eviction& eviction, Duration now);
  /// A node of it failed: it begins anew when it starts again.
  void failed(std::size_t job, Duration now);
  void ended(std::size_t job, Duration now);
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
  void add_models();
  void count_waiting();
  /// The job has held its GPUs for so long.
  void count_models(std::size_t job, double seconds);
  [[nodiscard]] double gpus_of(std::size_t job) const;
  void draw(Duration first, Duration last);

  const Setting& setting_;
  JobsRun& run_;
  std::vector<Now> now_;
  std::vector<std::uint32_t> queue_of_;
  std::vector<Stretch> stretches_;
  bool keeps_stays_;
  std::map<std::string, std::uint32_t> nodes_;
  std::vector<std::pair<std::size_t, Reason>> refused_;  ///< jobs, by the last plan
  std::vector<std::uint32_t> model_of_;                  ///< by node: of JobsRun::models
  std::vector<std::vector<Place>> places_;  ///< by job, of those that run, where they are wanted
};

}  // namespace dray::simulate
