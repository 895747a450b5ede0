#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/cluster/node_fit.h"
#include "dray/cluster/state.h"
#include "dray/sim/kube_scheduler.h"
#include "sim/scheduling_queue.h"

namespace dray::sim {

/// Why nodes were refused: the texts of kube-scheduler's statuses by node.
struct Diagnosis {
  std::map<NodeName, std::vector<std::string>> reasons;
  /// Nodes where removing pods might help: their status is Unschedulable, not ...AndUnresolvable.
  std::set<NodeName> resolvable;
  Plugins rejectors = 0;
};

/// One pod on its way through the serial scheduling cycle.
struct SchedulingCycle {
  enum class Step : std::uint8_t { nominated, filtering, prioritizing, preempting };
  QueuedPod queued;
  Step step = Step::filtering;
  CallId call;  ///< whose answer it waits for
  std::vector<NodeName> offered;
  Diagnosis diagnosis;
  std::shared_ptr<const cluster::Snapshot> snapshot;
};

/// kube-scheduler's state. scheduler_events.cpp: what its informers' handlers do;
/// scheduling_cycle.cpp: the cycle and the binding; preemption.cpp: DefaultPreemption.
struct KubeScheduler::State {
  explicit State(KubeSchedulerOptions given);

  // ---- scheduler_events.cpp
  void observe(const WatchEvent& event, Time now);
  void pod_changed(const WatchEvent& event, Time now);
  void pod_gone(const std::shared_ptr<const KubeObject>& object, Time now);
  void node_changed(const WatchEvent& event, Time now);
  void assigned_pod_added(const std::shared_ptr<const KubeObject>& object, Time now);
  void waiting_pod_updated(const std::shared_ptr<const KubeObject>& before,
                           const std::shared_ptr<const KubeObject>& after, Time now);
  void assumed_pod_deleted(const Uid& uid, Time now);
  [[nodiscard]] bool ours(const Pod& pod) const {
    return pod.scheduler_name == options.scheduler_name;
  }
  [[nodiscard]] bool hint(const QueuedPod& queued, const ClusterEvent& event);
  [[nodiscard]] bool node_may_help(const QueuedPod& queued, const Node& node);

  // ---- scheduling_cycle.cpp
  void schedule_next(Time now);
  void begin(QueuedPod queued, Time now);
  void filter_nominated(Time now);
  void filter_all(Time now);
  void call_filter(std::vector<NodeName> nodes, SchedulingCycle::Step step);
  void filtered(const FilterAnswered& answer, Time now);
  void prioritized(const PrioritizeAnswered& answer, Time now);
  void choose(const std::vector<NodeName>& nodes, const extender::PrioritizeResponse& scores,
              Time now);
  void assume_and_bind(const NodeName& node, Time now);
  void bound(const BindAnswered& answer, Time now);
  void fail_attempt(QueuedPod queued, const std::string& message, bool error,
                    std::optional<std::optional<NodeName>> nominated, Time now);
  [[nodiscard]] static std::string fit_error(const Diagnosis& diagnosis, std::size_t nodes);
  [[nodiscard]] extender::FilterRequest request_for(const std::vector<NodeName>& nodes) const;
  /// The in-tree filters on one node; empty: it fits.
  [[nodiscard]] static std::vector<std::string> refusal(const Pod& pod, const cluster::NodeFit& fit,
                                                        const cluster::AllocatedState& state,
                                                        cluster::NodeIndex node, Plugins& by);

  // ---- preemption.cpp
  /// The attempt ends without a fit: preemption, then failure.
  void no_fit(Time now);
  void preempted(const PreemptAnswered& answer, Time now);
  void end_preemption(const std::string& why, Time now);
  [[nodiscard]] std::optional<extender::NodeVictims> victims_on(const NodeName& node) const;

  struct Binding {
    QueuedPod queued;
    NodeName node;
  };
  CallId next_call() { return CallId(++calls_made); }

  KubeSchedulerOptions options;
  std::map<PodKey, std::shared_ptr<const KubeObject>> pods;  ///< as the informer has them
  std::map<NodeName, std::shared_ptr<const KubeObject>> nodes;
  cluster::ClusterState cache;  ///< nodes, and pods with what is assumed
  SchedulingQueue queue;
  std::optional<SchedulingCycle> cycle;
  std::map<CallId, Binding> binding;
  /// Until the informer has the pod on its node: longer than its binding.
  struct Assumed {
    CallId call;
    std::shared_ptr<const KubeObject> object;
  };
  std::map<Uid, Assumed> assumed;
  std::uint64_t calls_made = 0;
  std::uint64_t random;
  SchedulerCommands out;
};

}  // namespace dray::sim
