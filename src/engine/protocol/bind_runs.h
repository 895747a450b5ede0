#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/planner/pod_claims.h"
#include "engine/books/decision_log.h"
#include "engine/protocol/binding.h"
#include "engine/protocol/command.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// What works but may not be meant, told in Events once the pod is bound.
[[nodiscard]] Commands warnings_of(const Placement& placement,
                                   const std::vector<std::string>& warnings);

/// The bindings that are under way, one a pod, with the bind calls that wait for each. A binding
/// goes on to its end also when its pod is gone: it alone knows what is to be undone.
class BindRuns {
 public:
  struct Start {
    Placement placement;
    std::vector<RequestId> requests;
    planner::PodClaims claims;         ///< of the placement, in its order; null: not made yet
    std::vector<ClaimConsumer> users;  ///< of each claim; empty: the pod
    ResourceVersion pod_version;       ///< as last seen; empty: the pod was not seen
    Binding::Pace pace = Binding::Pace::at_once;
    std::vector<std::string> warnings;  ///< told in Events when the pod is bound
    std::string detail;                 ///< why the placement is what it is
    std::string queue;
    std::string job;
  };

  /// Begins; nothing may be under way for the pod.
  [[nodiscard]] Commands start(Start start, Time now);
  /// The same pod was asked to be bound to the same node again: answered with the first call.
  void join(const Uid& pod, RequestId request);
  /// The watch shows the pod anew.
  void see(const Pod& pod);
  [[nodiscard]] Commands step(const Uid& pod, Binding::Token token, const WriteOutcome& outcome,
                              Time now);
  /// The claims of the pod's gang are all there.
  [[nodiscard]] Commands proceed(const Uid& pod);
  [[nodiscard]] Commands abort(const Uid& pod, const std::string& error);
  /// The first binding that is due; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const { return timers_.next(); }
  /// Leadership changed: every call is answered so, and nothing goes on.
  [[nodiscard]] Commands reset();

  [[nodiscard]] bool contains(const Uid& pod) const { return runs_.contains(pod); }
  /// Where the pod is being bound to, or null.
  [[nodiscard]] const NodeName* node_of(const Uid& pod) const;
  /// When the pod's binding began; nothing if none is under way.
  [[nodiscard]] std::optional<Time> begun(const Uid& pod) const;
  [[nodiscard]] std::size_t size() const { return runs_.size(); }
  [[nodiscard]] std::uint64_t bound() const { return bound_; }
  [[nodiscard]] std::uint64_t undone() const { return undone_; }
  [[nodiscard]] const DecisionLog& decisions() const { return decisions_; }

 private:
  struct Run {
    Binding binding;
    Time begun;
    std::vector<RequestId> waiting;
    std::vector<std::string> warnings;
    Decision decision;  ///< its placement is the binding's
  };
  [[nodiscard]] Commands carry(const Uid& pod, Binding::Commands commands);
  void end(const Uid& pod, Commands& out);

  std::map<Uid, Run> runs_;
  Timers<Uid> timers_;
  DecisionLog decisions_;
  std::uint64_t bound_ = 0;
  std::uint64_t undone_ = 0;
};

}  // namespace dray::engine
