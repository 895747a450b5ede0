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

#include "dray/cluster/snapshot.h"
#include "dray/cluster/state.h"
#include "dray/engine/engine.h"
#include "dray/engine/share_claim.h"
#include "dray/planner/pod_claims.h"
#include "engine/books/budget_book.h"
#include "engine/books/job_book.h"
#include "engine/books/policy_source.h"
#include "engine/books/share_offers.h"
#include "engine/books/usage_keeper.h"
#include "engine/pod_track.h"
#include "engine/protocol/binding.h"
#include "engine/protocol/eviction_set.h"
#include "engine/protocol/gang_commit.h"

namespace dray::engine {

/// The engine's state and its steps. One subject a source file: observe.cpp (objects come and go),
/// admit.cpp (which pods are jobs, under which policy), reserve.cpp (reservations, lifting,
/// waking), planning.cpp (asking for plans and taking them), spot.cpp (plans on the strand),
/// evict.cpp (taking back), verbs.cpp (filter, prioritize, preempt), bind.cpp and gang.cpp (the
/// bind verb and its protocols), shares.cpp (claims for parts of devices).
struct Engine::State {
  struct BindingRun;

  explicit State(Options given);

  // ---- observe.cpp
  void observe(const cluster::ObjectChanged& change, Time now);
  void observe(const cluster::ObjectGone& change, Time now);
  void expect_claims_to_go(const planner::Job& job, const Uid& pod, Time now);
  [[nodiscard]] std::vector<planner::LeavingClaim> leaving_claims(Time now);
  void lead(const LeadershipChanged& change, Time now);
  void observe_pod(const Pod& pod, Time now);
  void observe_tracked(PodTrack& track, const Pod& pod, Time now);
  PodTrack& track_pod(const Pod& pod, bool seen, Time now);
  void drop_pod(const Uid& uid, Time now);
  void let_go(Placement placement, const std::vector<ResourceVersion>& versions);
  void forget_what_shows();
  [[nodiscard]] PodTrack* find_track(const PodKey& key, const Uid& uid);
  [[nodiscard]] std::shared_ptr<const Pod> pod_of(const PodTrack& track) const;

  // ---- admit.cpp
  /// Groups, queues, budgets: true if the object was one of them.
  bool observe_policy_object(const KubeObject& object, Time now);
  bool forget_policy_object(const cluster::ObjectGone& change, Time now);
  void set_policy(const PolicyChanged& change, Time now);
  void policy_moved(Time now);
  void groups_moved(Time now);
  void readmit_all(Time now);
  void admit(const Pod& pod, Time now);
  [[nodiscard]] bool passes(const Pod& pod);
  [[nodiscard]] bool counts_for_queues(const Pod& pod) const;
  [[nodiscard]] JobBook::MemberView member_view(const Pod& pod);

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
  [[nodiscard]] Duration reservation_life(const PodTrack& track) const;
  void reservation_ran_out(PodTrack& track, Time now);
  /// kube-scheduler did not take the pod's reserved node: give it up and plan again; of a gang that
  /// has not begun, all give theirs up.
  void refuse_reserved_node(PodTrack& track, Time now);
  void release_gang(const PodTrack& track, Time now);
  void wait_for(PodTrack& track, Reason reason, const std::string& detail, Time now);
  void report_waiting(PodTrack& track, Time now);
  void arm(PodTrack& track, std::optional<Time> at);

  // ---- planning.cpp
  void plan_when_due(Time now);
  [[nodiscard]] planner::PlanInput plan_input(Time now);
  [[nodiscard]] planner::PlanBudget plan_budget() const;
  [[nodiscard]] std::vector<planner::Hold> all_holds() const;
  void hold_for_moved(Time now);
  void plan_again_at(Time at);
  [[nodiscard]] bool worth_planning() const;
  [[nodiscard]] std::vector<planner::RefusedNode> refused_nodes(const PodTrack& track,
                                                                Time now) const;
  void take(const planner::Plan& plan, const cluster::Snapshot& then, Time now);
  void expose(const planner::Plan& plan);
  void take_job(const planner::JobOutcome& outcome, bool as_planned, Time now);
  void take_placements(const planner::JobOutcome& outcome, Time now);
  void report_unformed(Time now);
  [[nodiscard]] static bool unmoved(const planner::JobOutcome& outcome,
                                    const cluster::Snapshot& then,
                                    const cluster::Snapshot& current);
  void plan_when_refusals_end(PodTrack& track, Time now);
  void free_own_claims(const PodTrack& track);

  // ---- shares.cpp
  void watch_share(const Pod& pod);
  void make_shares(Time now);
  bool refuse_share(PodTrack& track, Time now);
  void share_gone(const ClaimKey& claim);
  void share_written(const Uid& uid, const WriteOutcome& outcome, Time now);

  // ---- spot.cpp
  /// Plans one waiting job now, on `nodes` only, beside all that is placed.
  [[nodiscard]] planner::Plan spot_plan(const std::shared_ptr<const planner::Job>& job,
                                        const std::vector<NodeName>& nodes, Time now);
  /// Plans one pod now, on `nodes` only, and reserves what it finds.
  void plan_on_the_spot(PodTrack& track, const std::vector<NodeName>& nodes, Time now);

  // ---- evict.cpp
  void take_evictions(const planner::Plan& plan, Time now);
  void start_evictions(const std::vector<const planner::Eviction*>& evictions, Time now);
  [[nodiscard]] bool may_evict(const planner::Eviction& eviction) const;
  void carry_evictions(std::uint64_t id, const EvictionSet::Commands& commands, Time now);
  void settle_evictions(std::uint64_t id, Time now);
  void give_back_reservations(std::uint64_t id);
  void remember_evicted(const planner::Eviction& eviction, Time now);
  void arm_evictions(std::uint64_t id, std::optional<Time> at);

  // ---- verbs.cpp
  [[nodiscard]] extender::FilterResponse filter(const extender::FilterRequest& request, Time now);
  [[nodiscard]] extender::FilterResponse filter_tracked(PodTrack& track,
                                                        const extender::FilterRequest& request,
                                                        const std::vector<NodeName>& nodes,
                                                        Time now);
  [[nodiscard]] extender::FilterResponse dry_run(const Pod& pod, const std::vector<NodeName>& nodes,
                                                 Time now);

  // ---- bind.cpp
  void bind(RequestId id, const extender::BindRequest& request, Time now);
  void bind_tracked(PodTrack& track, RequestId id, const NodeName& node, Time now);
  void start_binding(PodTrack& track, std::vector<RequestId> ids, Placement placement,
                     Binding::Pace pace, Time now);
  [[nodiscard]] std::vector<ClaimConsumer> claim_users(const Pod& pod,
                                                       const planner::PodClaims& claims) const;
  void carry(const Uid& uid, const Binding::Commands& commands, Time now);
  void settle_binding(const Uid& uid, Time now);
  void warn(const BindingRun& run);
  void settle_track(PodTrack& track, const BindingRun& run, Time now);
  void arm_binding(const Uid& uid, std::optional<Time> at);
  void answer(RequestId id, std::string error);
  void answer(const std::vector<RequestId>& ids, const std::string& error);

  // ---- gang.cpp
  /// The job whose other members the pod's binding must wait for, or null.
  [[nodiscard]] std::shared_ptr<const planner::Job> uncommitted_gang(const Uid& pod, Time now);
  void join_gang(PodTrack& track, const std::shared_ptr<const planner::Job>& job, RequestId id,
                 Time now);
  void carry_gang(const Uid& job, const GangCommit::Commands& commands, Time now);
  void carry_gang(const Uid& job, const GangCommit::Command& command, Time now);
  void gang_claims_written(const Uid& pod, Time now);
  void gang_member_ended(const Uid& pod, bool bound, const std::string& error, Time now);
  void gang_member_left(const Uid& pod, Time now);
  void settle_gang(const Uid& job, Time now);
  void release_short_gang(const Uid& job, Time now);
  void refuse_bind(const Uid& uid, const std::vector<RequestId>& ids, const std::string& error,
                   Time now);
  [[nodiscard]] std::set<Uid> bound_members(const planner::Job& job) const;
  void arm_gang(const Uid& job, std::optional<Time> at);

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
  struct ForEviction {
    std::uint64_t set;
    EvictionSet::Token token;
  };
  struct ForUsage {};
  struct ForShare {
    Uid pod;
  };
  struct ForNothing {};
  using Purpose =
      std::variant<ForNothing, ForBinding, ForLift, ForRelease, ForEviction, ForUsage, ForShare>;
  void send(Write write, Purpose purpose = ForNothing{});
  void written(const WriteDone& done, Time now);
  void timer_rang(PodTrack& track, Time now);
  void timers_ring(Time now);
  void keep_usage(Time now);

  /// What was decided for a pod that is bound by now.
  struct Decision {
    PodKey pod;
    Placement placement;
    std::string detail;
    std::string queue;
    std::string job;
  };

  struct BindingRun {
    Binding binding;
    std::vector<RequestId> waiting;
    std::string detail;                 ///< why the placement is what it is
    std::vector<std::string> warnings;  ///< told when the pod is bound
    std::string queue;
    std::string job;
    /// Its own, not the track's: the watch may show the pod bound, or gone, before the end.
    std::optional<Time> timer;
  };

  struct GangRun {
    GangCommit commit;
    std::map<Uid, std::vector<RequestId>> waiting;
    std::optional<Time> timer;
  };

  struct EvictionRun {
    EvictionSet set;
    std::vector<planner::Eviction> evictions;
    std::optional<Time> timer;
  };

  /// A placement that is bound, with the claims' versions after our last writes.
  struct Lingering {
    Placement placement;
    std::vector<ResourceVersion> versions;
  };

  Options options;
  cluster::ClusterState cluster;
  planner::Planner planner;  ///< for plans made on the strand; the worker has its own
  PolicySource policies;
  std::shared_ptr<const policy::Policy> policy;  ///< in force
  JobBook book;
  BudgetBook budgets;
  UsageKeeper usage;
  std::map<Uid, PodTrack> tracks;
  std::map<PodKey, Uid> track_by_key;
  std::map<Uid, BindingRun> bindings;
  std::map<Uid, GangRun> gangs;   ///< by job
  std::set<Uid> scattered_gangs;  ///< jobs of which too few members came in time, the last time
  std::map<Uid, Uid> gang_of;     ///< members of gangs that are being bound, to their job
  std::map<std::uint64_t, EvictionRun> eviction_runs;
  std::map<Uid, std::uint64_t> evicting;        ///< victims, until they are gone
  std::map<Uid, std::vector<Placement>> holds;  ///< by job
  /// Room for jobs that were moved, by lineage: their pods are made anew.
  struct Moved {
    std::vector<Placement> placements;
    Time until;
  };
  std::map<std::string, Moved> moved;
  /// Claims whose only user, a pod, is gone.
  struct Left {
    Uid claim;
    Uid user;
    NodeName node;
    Time until;
  };
  std::map<ClaimKey, Left> leaving;
  std::set<Uid> blocked;  ///< members of gangs that wait for a claim
  std::map<Uid, Lingering> lingering;
  /// A pod that waits for the claim to its part of a device.
  struct Share {
    bool asked = false;  ///< its claim is made, or being made
    ClaimKey claim;      ///< if asked
    Time retry_at;
    std::string refusal;
  };
  std::map<Uid, Share> sharing;
  ShareOffers offers;
  std::map<WriteId, Purpose> writes;
  std::set<ClaimKey> releasing;
  std::deque<Decision> decided;  ///< the last `decisions_kept`, newest last
  std::set<std::pair<Time, Uid>> timers;
  std::set<std::pair<Time, Uid>> binding_timers;
  std::set<std::pair<Time, Uid>> gang_timers;
  std::set<std::pair<Time, std::uint64_t>> eviction_timers;
  std::optional<Time> replan_at;  ///< when the outcome of a plan may change by time alone
  Effects effects;                ///< of the step under way

  bool synced = false;
  bool leading = false;
  std::int32_t epoch = 0;
  bool plan_wanted = false;
  std::uint64_t plan_generation = 0;
  std::shared_ptr<const planner::PlanInput> planned_on;  ///< of the plan under way
  std::uint64_t next_write = 1;
  std::uint64_t next_eviction_set = 1;
  Status counts;
};

}  // namespace dray::engine
