#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/pod.h"
#include "dray/sim/api_server.h"

namespace dray::app {

/// One thing that became of a pod of the demo.
struct Outcome {
  /// In the order in which those of one phase are shown: room is free before it is given.
  enum class Kind : std::uint8_t { waits, evicted, placed };

  PodKey pod;
  Kind kind = Kind::waits;
  Time at;           ///< when the API server had it
  std::string node;  ///< of a pod that is placed
  std::string note;  ///< why a pod waits, or who it was evicted for
};

/// What became of the pods that are followed, from what the API server was told: conditions,
/// bindings and Events, in any order of arrival. An outcome is complete with its decision: a
/// binding with the Event that follows the bind call's answer, an eviction with the Event that says
/// for whom.
class OutcomeLog {
 public:
  /// From here on the pod of that name is followed; the first one of it.
  void created(const Pod& pod, Time at);
  /// The pod changed.
  void saw(const Pod& pod, Time at);
  /// An Event was recorded.
  void saw(const sim::RecordedEvent& event);

  [[nodiscard]] Time created_at(const PodKey& pod) const { return pods_.at(pod).created; }
  /// What came of the pod first, as soon as it is complete; once.
  [[nodiscard]] std::optional<Outcome> take_first(const PodKey& pod);
  /// Complete outcomes that were not taken yet: evictions before bindings, each in the order in
  /// which the pods were created.
  [[nodiscard]] std::vector<Outcome> take_rest();

  /// More will come of what is there: an outcome is incomplete, room is being freed, or a gang is
  /// bound in part.
  [[nodiscard]] bool under_way() const;
  /// Gives up waiting for decisions that were not told.
  void complete_all();

 private:
  /// An outcome on its way into the report.
  struct Part {
    std::optional<Outcome> outcome;
    bool decided = false;  ///< its decision is known
    std::string decision;  ///< what the decision's Event says, where that is the reason
    bool taken = false;

    [[nodiscard]] bool incomplete() const { return outcome && !decided; }
    [[nodiscard]] bool complete() const { return outcome && decided && !taken; }
  };
  struct Followed {
    Time created;
    std::size_t order = 0;
    std::string gang;           ///< namespace/name of its PodGroup; empty: none
    std::string told;           ///< the Reason that it waits for, as of now; empty: none
    std::array<Part, 3> parts;  ///< by Outcome::Kind

    [[nodiscard]] Part& part(Outcome::Kind kind) { return parts[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] bool bound() const { return parts.back().outcome.has_value(); }
  };

  [[nodiscard]] static Outcome take(Part& part);
  [[nodiscard]] bool under_way(const Followed& pod) const;

  std::map<PodKey, Followed> pods_;
};

}  // namespace dray::app
