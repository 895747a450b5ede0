#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dashboard/simulation_question.h"
#include "dray/base/error.h"
#include "dray/engine/engine.h"
#include "dray/model/object.h"

namespace dray::dashboard {

/// Where a question is asked: the cluster as it is.
struct SimulatedCluster {
  std::vector<KubeObject> objects;
  std::vector<std::string> unread;                       ///< objects that could not be read
  std::shared_ptr<const policy::PolicyConfig> in_force;  ///< null: no file is
  engine::Options engine;
  Time now;
};

/// How far it is.
struct SimulationProgress {
  std::string policy;   ///< that is played
  std::size_t run = 0;  ///< of them, from 1 on
  std::size_t runs = 0;
  simulate::PodsProgress pods;
};

/// Whom a simulation tells.
struct SimulationListener {
  /// A line of the answer, without its end: JSON with one member that says what it is.
  std::function<void(std::string line)> line;
  /// After each virtual second; false: nobody wants to know any more.
  std::function<bool(const SimulationProgress&)> go_on;
};

/// Plays what is asked, and tells the answer: notes, effects of policies, and at last `runs` or
/// `text`. An Error says why it cannot be played, or that it was ended. Blocks; deterministic.
[[nodiscard]] Result<void> simulate_question(const SimulationQuestion& question,
                                             SimulatedCluster cluster,
                                             const SimulationLimits& limits,
                                             const SimulationListener& tell);

/// The line in place of the last one where it cannot be played.
[[nodiscard]] std::string error_line(const Error& error);
/// A line of how far it is.
[[nodiscard]] std::string progress_line(const SimulationProgress& progress);

}  // namespace dray::dashboard
