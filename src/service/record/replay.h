#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dray/base/error.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"
#include "service/record/record_input.h"
#include "service/record/state_table.h"

namespace dray::service {

/// A decision that was another one, or was there once only.
struct Difference {
  std::uint64_t step = 0;  ///< counted from 1
  Time at;
  std::string recorded;  ///< empty: nothing
  std::string replayed;
};

/// What came of a replay.
struct ReplayReport {
  std::uint64_t steps = 0;
  std::uint64_t compared = 0;   ///< steps that the engine took
  std::uint64_t decisions = 0;  ///< of these, as recorded
  std::uint64_t differences = 0;
  std::vector<Difference> first;  ///< of the differences, at most 20
  std::optional<Time> from;       ///< of what was compared; none: nothing was
  std::optional<Time> to;
  bool whole_run = true;  ///< from the first step of a run on
};

/// The cluster as a record has it at some moment.
class RecordedState {
 public:
  /// The next line of a record; lines after `until` change nothing.
  [[nodiscard]] Result<void> feed(std::string_view line, Time until);
  /// Whether there was anything by then.
  [[nodiscard]] bool begun() const { return begun_; }
  /// When that was which came last by then.
  [[nodiscard]] Time at() const { return at_; }
  [[nodiscard]] std::vector<KubeObject> objects() const { return state_.objects(); }

 private:
  StateTable state_;
  std::int64_t run_ = -1;
  bool begun_ = false;
  Time at_;
};

/// Feeds a record to an engine that is made anew, and compares what that decides.
///
/// A run's first segment is compared from its first step. Where that is not there, from the first
/// step of a segment at which nobody waited and nothing was under way: what an engine remembers
/// beside the state of the cluster is then nothing but its own ConfigMaps' turn, and their writes
/// are not compared.
class Replay {
 public:
  /// Told of each plan that is made, with what it was made from.
  using OnPlan = std::function<void(const planner::PlanInput&, const planner::Plan&)>;

  /// Before the first line.
  void on_plan(OnPlan on_plan) { on_plan_ = std::move(on_plan); }

  /// The next line of a record, or of the record that follows it.
  [[nodiscard]] Result<void> feed(std::string_view line);

  [[nodiscard]] const ReplayReport& report() const { return report_; }
  /// Of the engine that was recorded.
  [[nodiscard]] const engine::Options& options() const { return options_; }

 private:
  struct Step {
    Time now;
    RecordInput input;
    std::vector<Decision> decisions;
  };

  [[nodiscard]] Result<void> begin(std::int64_t run, std::int64_t segment,
                                   const std::string& options);
  void make_engine();
  void restore(Time idle);
  void take(const Step& step);
  [[nodiscard]] std::optional<engine::Effects> run(const Step& step,
                                                   std::optional<Decision>& answer);
  [[nodiscard]] std::optional<engine::Effects> apply(const engine::Event& event, Time now);
  void keep_plans(const engine::Effects& effects);
  [[nodiscard]] engine::Effects serve_maps(engine::Effects effects, Time now);
  void compare(const Step& step, const std::vector<Decision>& made);
  void differ(const Step& step, std::string recorded, std::string replayed);

  OnPlan on_plan_;
  ReplayReport report_;
  StateTable state_;
  std::int64_t run_ = -1;
  std::int64_t segment_ = -1;
  engine::Options options_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<planner::Planner> planner_;
  bool restored_ = false;  ///< the engine was made from a state, and not from the beginning
  std::map<std::uint64_t, engine::WriteId> writes_;  ///< this engine's, by the recorded ids
  std::map<std::uint64_t, engine::WantPlan> plans_;  ///< this engine's, by the recorded generations
};

}  // namespace dray::service
