#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/cluster/snapshot.h"
#include "dray/cluster/state.h"
#include "dray/engine/binding.h"
#include "dray/engine/engine.h"
#include "engine/pod_claims.h"
#include "engine/pod_track.h"

namespace dray::engine {

/// The engine's state and its steps. One subject a source file: observe.cpp (objects come and go),
/// reserve.cpp (reservations, lifting, waking), planning.cpp (asking for plans and taking them),
/// verbs.cpp (filter, prioritize, preempt), bind.cpp (the bind verb and its protocol).
struct Engine::State {
  explicit State(Options given);

  // ---- observe.cpp
  void observe(const cluster::ObjectChanged& change, Time now);
  void observe(const cluster::ObjectGone& change, Time now);
  void lead(const LeadershipChanged& change, Time now);
  void observe_pod(const Pod& pod, Time now);
  void observe_tracked(PodTrack& track, const Pod& pod, Time now);
  PodTrack& track_pod(const Pod& pod, bool seen);
  void drop_pod(const Uid& uid);
  void let_go(Placement placement, const std::vector<ResourceVersion>& versions);
  void forget_what_shows();
  [[nodiscard]] PodTrack* find_track(const PodKey& key, const Uid& uid);
  [[nodiscard]] std::shared_ptr<const Pod> pod_of(const PodTrack& track) const;

  // ---- reserve.cpp
  void reserve(PodTrack& track, Placement placement);
  void release(PodTrack& track);
  /// Lets kube-scheduler have the pod: nominates, lifts or wakes it, as it needs.
  void offer(PodTrack& track, Time now);
  void lift(PodTrack& track, const Pod& pod, Time now);
  void keep_nominated(PodTrack& track, const Pod& pod);
  void set_admitted(PodTrack& track, Condition condition, Time now);
  void offered(PodTrack& track, const Pod& pod, Time now);
  void lift_written(const Uid& uid, const WriteOutcome& outcome, Time now);
  void reservation_ran_out(PodTrack& track, Time now);
  /// kube-scheduler did not take the pod's reserved node: give it up and plan again.
  void refuse_reserved_node(PodTrack& track, Time now);
  void report_waiting(PodTrack& track, Time now);
  void arm(PodTrack& track, std::optional<Time> at);

  // ---- planning.cpp
  void plan_when_due(Time now);
  [[nodiscard]] static Job waiting_job(std::shared_ptr<const Pod> pod, Time now);
  [[nodiscard]] PlanInput plan_input(Time now) const;
  [[nodiscard]] std::vector<RefusedNode> refused_nodes(const PodTrack& track, Time now) const;
  void take(const Plan& plan, const cluster::Snapshot& then, Time now);
  void take_job(const JobOutcome& outcome, bool as_planned, Time now);
  [[nodiscard]] static bool unmoved(const JobOutcome& outcome, const cluster::Snapshot& then,
                                    const cluster::Snapshot& current);
  void plan_when_refusals_end(PodTrack& track, Time now);
  void free_own_claims(const PodTrack& track);
  /// Plans one pod now, on `nodes` only, and reserves what it finds.
  void plan_on_the_spot(PodTrack& track, const std::vector<NodeName>& nodes, Time now);

  // ---- verbs.cpp
  [[nodiscard]] extender::FilterResponse filter(const extender::FilterRequest& request, Time now);
  [[nodiscard]] extender::FilterResponse filter_tracked(PodTrack& track,
                                                        const extender::FilterRequest& request,
                                                        const std::vector<NodeName>& nodes,
                                                        Time now);
  [[nodiscard]] extender::FilterResponse dry_run(const Pod& pod, const std::vector<NodeName>& nodes,
                                                 Time now);

  struct BindingRun;

  // ---- bind.cpp
  void bind(RequestId id, const extender::BindRequest& request, Time now);
  void bind_tracked(PodTrack& track, RequestId id, const NodeName& node, Time now);
  void start_binding(PodTrack& track, RequestId id, Placement placement, Time now);
  void carry(const Uid& uid, const Binding::Commands& commands, Time now);
  void settle_binding(const Uid& uid, Time now);
  void warn(const BindingRun& run);
  void arm_binding(const Uid& uid, std::optional<Time> at);
  void answer(RequestId id, std::string error);

  // ---- engine.cpp
  /// What a write's outcome is for.
  struct ForBinding {
    Uid pod;
    Binding::Token token;
  };
  struct ForLift {
    Uid pod;
  };
  struct ForRelease {
    ClaimKey claim;
  };
  struct ForNothing {};
  using Purpose = std::variant<ForNothing, ForBinding, ForLift, ForRelease>;
  void send(Write write, Purpose purpose = ForNothing{});
  void written(const WriteDone& done, Time now);
  void timer_rang(PodTrack& track, Time now);

  /// What was decided for a pod that is bound by now.
  struct Decision {
    PodKey pod;
    Placement placement;
    std::string detail;
  };

  struct BindingRun {
    Binding binding;
    std::vector<RequestId> waiting;
    std::string detail;                 ///< why the placement is what it is
    std::vector<std::string> warnings;  ///< told when the pod is bound
    /// Its own, not the track's: the watch may show the pod bound, or gone, before the end.
    std::optional<Time> timer;
  };

  /// A placement that is bound, with the claims' versions after our last writes.
  struct Lingering {
    Placement placement;
    std::vector<ResourceVersion> versions;
  };

  Options options;
  cluster::ClusterState cluster;
  Planner planner;  ///< for plans made on the strand; the worker has its own
  std::map<Uid, PodTrack> tracks;
  std::map<PodKey, Uid> track_by_key;
  std::map<Uid, BindingRun> bindings;
  std::map<Uid, Lingering> lingering;
  std::map<WriteId, Purpose> writes;
  std::set<ClaimKey> releasing;
  std::deque<Decision> decided;  ///< the last `decisions_kept`, newest last
  std::set<std::pair<Time, Uid>> timers;
  std::set<std::pair<Time, Uid>> binding_timers;
  Effects effects;  ///< of the step under way

  bool synced = false;
  bool leading = false;
  std::int32_t epoch = 0;
  bool plan_wanted = false;
  std::uint64_t plan_generation = 0;
  std::shared_ptr<const PlanInput> planned_on;  ///< of the plan under way
  std::uint64_t next_write = 1;
  Status counts;
};

}  // namespace dray::engine
