#pragma once

#include <cstddef>
#include <optional>

#include "dray/base/time.h"

namespace dray::dst {

/// What the weather of an odd seed does, while it is bad, to one kind of write, watch or call.
/// Chances are in percent, times the longest.
struct Bias {
  int wake_ups_lost = 0;  ///< or refused
  int bindings_late =
      0;  ///< by up to 8 s more; and then the next one of that pod is mostly refused
  int allocations_late = 0;  ///< as bindings_late
  int bindings_refused = 0;  ///< 422
  int renewals_unanswered = 0;
  int calls_unanswered = 0;  ///< of the extender
  Duration plans{};
  Duration calls{};         ///< of the extender, and each answer
  Duration pods_seen{};     ///< how far dray's watch of pods lies behind
  Duration claims_seen{};   ///< and that of claims
  Duration pods_managed{};  ///< and kube-controller-manager's of pods
  Duration evictions{};     ///< on their way
  Duration claim_writes{};
};

/// What is asked for besides the rules of every seed, where nothing else goes wrong.
struct Strictness {
  bool lifts = false;      ///< I16: no gate is lifted where there is no room by now
  bool evictions = false;  ///< I12, I17: nobody goes for who has a place, or is about to
  bool terms = false;      ///< I19: a term goes on while its renewals land
  bool wake_ups = false;   ///< L7
  bool answers = false;    ///< L8
  bool unused = false;     ///< L9
  bool moves = false;      ///< L4: who goes has another place
  /// I12: so many are evicted at most, where kube-scheduler rejects whom they go for.
  std::optional<std::size_t> evictions_in_vain;
  /// L6: so long who fits may wait, and all else be in disorder.
  std::optional<Duration> patience;
  /// L1, from the end of the bad weather.
  std::optional<Duration> order;
};

}  // namespace dray::dst
