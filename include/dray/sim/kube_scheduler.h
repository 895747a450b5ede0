#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/engine/write.h"
#include "dray/model/extender_api.h"
#include "dray/sim/api_server.h"

namespace dray::sim {

/// The configuration of one kube-scheduler with one extender (KubeSchedulerConfiguration).
struct KubeSchedulerOptions {
  std::string scheduler_name = "dray-scheduler";
  bool node_cache_capable = true;  ///< requests name nodes; else they carry them in full
  bool prioritizes = true;         ///< prioritizeVerb is set
  bool preempts = true;            ///< preemptVerb is set
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  Duration max_unschedulable = std::chrono::minutes(5);
  std::uint64_t seed = 0;  ///< of tie-breaks
};

/// Annotation: the name of the only node on which the pod's volumes are to be had. It stands for
/// all that kube-scheduler filters by and dray does not model (volumes, affinity to other pods).
inline constexpr const char* volume_node_annotation = "sim.dray.dev/volume-node";

/// Tells one call's answer from the others.
using CallId = Strong<std::uint64_t, struct CallIdTag>;

// ---- What it asks for ----

/// Asks the extender which nodes do; answered by FilterAnswered with this id.
struct CallFilter {
  CallId id;
  extender::FilterRequest request;
};
/// Asks for scores of the nodes that are left; answered by PrioritizeAnswered.
struct CallPrioritize {
  CallId id;
  extender::FilterRequest request;
};
/// Asks whether these victims may go; answered by PreemptAnswered.
struct CallPreempt {
  CallId id;
  extender::PreemptRequest request;
};
/// Asks the extender to bind; answered by BindAnswered.
struct CallBind {
  CallId id;
  extender::BindRequest request;
};
/// PATCH pods/NAME/status after a failed attempt: one request for both.
struct PatchPodStatus {
  PodKey pod;
  std::optional<Condition> condition;
  std::optional<std::optional<NodeName>> nominated_node;  ///< set, or cleared
};
/// Sets DisruptionTarget on a victim of a preemption and deletes it.
struct DeleteVictim {
  PodKey pod;
  Uid uid;
  std::string message;
};
/// One thing that the scheduler wants done.
using SchedulerCommand = std::variant<CallFilter, CallPrioritize, CallPreempt, CallBind,
                                      PatchPodStatus, DeleteVictim, engine::RecordEvent>;
/// What it wants done, in this order.
using SchedulerCommands = std::vector<SchedulerCommand>;

/// Sends what a command writes; calls of the extender are the driver's to make.
void carry_out(const SchedulerCommand& command, ApiServer& server, Time now);

// ---- What it is told ----

/// Answers of the extender; an Error stands for every fault of the call: a time-out, a status other
/// than 200, a body that does not parse.
struct FilterAnswered {
  CallId id;
  Result<extender::FilterResponse> response;
};
/// The answer to CallPrioritize; errors count as no scores.
struct PrioritizeAnswered {
  CallId id;
  Result<extender::PrioritizeResponse> response;
};
/// The answer to CallPreempt.
struct PreemptAnswered {
  CallId id;
  Result<extender::PreemptResponse> response;
};
/// The answer to CallBind; a text in `error` is a refusal.
struct BindAnswered {
  CallId id;
  Result<extender::BindResponse> response;
};
/// The time of next_tick() has come.
struct TimePassed {};
/// What the scheduler is told.
using SchedulerInput = std::variant<WatchEvent, FilterAnswered, PrioritizeAnswered, PreemptAnswered,
                                    BindAnswered, TimePassed>;

/// kube-scheduler 1.37 as an extender meets it (pkg/scheduler schedule_one.go, backend/queue,
/// extender.go, eventhandlers.go): its queues, back-off and wake-ups, the serial scheduling cycle,
/// the nominated node first, assumed pods, binds beside the cycle, the conditions and Events of
/// failed attempts. One profile without the DynamicResources plugin, percentageOfNodesToScore 100.
///
/// Not modelled: the scores of in-tree plugins (all nodes are even but for the extender's scores),
/// inter-pod affinity, spreading, volumes but for `volume_node_annotation`, PodGroups,
/// PodDisruptionBudgets.
class KubeScheduler {
 public:
  /// One that has seen nothing yet.
  explicit KubeScheduler(KubeSchedulerOptions options);
  ~KubeScheduler();
  KubeScheduler(KubeScheduler&&) noexcept;
  KubeScheduler& operator=(KubeScheduler&&) noexcept;

  /// Watch events of nodes, pods, claims, classes (and others, which it does not care for), answers
  /// and the passing of time, in any order.
  [[nodiscard]] SchedulerCommands step(const SchedulerInput& input, Time now);

  /// When it wants a TimePassed, if it does.
  [[nodiscard]] std::optional<Time> next_tick() const;

  /// How many pods wait where, for tables and tests.
  struct Queues {
    std::size_t active = 0;
    std::size_t backoff = 0;
    std::size_t unschedulable = 0;
    std::size_t gated = 0;
    std::size_t binding = 0;
  };
  /// How many pods wait where.
  [[nodiscard]] Queues queues() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::sim
