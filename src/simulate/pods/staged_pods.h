#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/sim/api_server.h"
#include "dray/simulate/pods_run.h"

namespace dray::simulate {

/// Pods that their controllers create only when others are scheduled, ready or complete, as the
/// annotations of sim::PodSteps say: a JobSet's later stages, the workers of a leader, the next
/// ordinal of a StatefulSet.
class StagedPods {
 public:
  /// Whether the pod waits for others.
  [[nodiscard]] static bool is_staged(const Pod& pod);

  /// A pod that is not created before its turn; it outlives this.
  void add(const PodWorkload::Arrival& arrival);
  /// The pods whose turn it is because of that; each once.
  [[nodiscard]] std::vector<const PodWorkload::Arrival*> next_after(const sim::WatchEvent& event);
  /// How many have not had their turn.
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  enum class State : std::uint8_t { created, scheduled, ready, complete };
  struct Need {
    std::string step;
    State state = State::complete;
    std::size_t pods = 0;
  };
  struct Stage {
    std::vector<Need> needs;
    std::vector<const PodWorkload::Arrival*> pods;
  };

  [[nodiscard]] static State state_of(const Pod& pod);
  [[nodiscard]] static std::vector<Need> needs_of(const std::string& after);
  [[nodiscard]] bool is_met(const Need& need) const;

  std::map<std::string, Stage> stages_;                   ///< by the annotation's text
  std::map<std::string, std::set<std::string>> waiting_;  ///< by step: stages that need it
  std::map<std::string, std::map<Uid, State>> steps_;     ///< pods of steps that are waited for
  std::size_t count_ = 0;
};

}  // namespace dray::simulate
