#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/engine/engine.h"
#include "engine/books/admission.h"
#include "engine/books/advice_book.h"
#include "engine/books/queue_users_keeper.h"
#include "engine/books/room_book.h"
#include "engine/books/usage_keeper.h"
#include "engine/plan_cycle.h"
#include "engine/plan_inputs.h"
#include "engine/pod_lifecycle.h"
#include "engine/protocol/auditor.h"
#include "engine/protocol/bind_runs.h"
#include "engine/protocol/claim_releases.h"
#include "engine/protocol/command.h"
#include "engine/protocol/eviction_runs.h"
#include "engine/protocol/gang_runs.h"
#include "engine/protocol/node_requests.h"
#include "engine/protocol/outgoing.h"
#include "engine/protocol/share_runs.h"

namespace dray::engine {

/// Brings events, requests and commands to the owners of the engine's parts. Each part keeps its
/// own members and answers with commands, which are carried out in their order, each with all that
/// follows from it before the next: the order of the engine's effects.
///
/// advising.cpp: what mode advise does otherwise; router.cpp: events, timers and commands;
/// outcomes.cpp: of writes; verbs.cpp: filter, prioritize, preempt; dry_run.cpp: filter with whole
/// Nodes; bind_verb.cpp: bind, and what
/// binds ask of gangs; planning.cpp: asking for plans, and taking them; evicting.cpp: a plan's
/// evictions; provisioning.cpp: what an autoscaler is shown; question.cpp: what an explanation
/// reads; picture.cpp: what a dashboard shows.
class Engine::Router {
 public:
  explicit Router(Options given);

  void apply(const Event& event, Time now);
  void tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;
  [[nodiscard]] extender::FilterResponse filter(const extender::FilterRequest& request, Time now);
  [[nodiscard]] extender::PrioritizeResponse prioritize(
      const extender::FilterRequest& request) const;
  [[nodiscard]] extender::PreemptResponse preempt(const extender::PreemptRequest& request) const;
  void bind(RequestId id, const extender::BindRequest& request, Time now);
  [[nodiscard]] Status figures() const;
  [[nodiscard]] bool is_settled();
  [[nodiscard]] std::optional<Uid> count_pods(const std::optional<Uid>& last, std::size_t at_most,
                                              Status& into) const;
  [[nodiscard]] std::shared_ptr<const cluster::Snapshot> snapshot() { return cluster_.snapshot(); }
  [[nodiscard]] std::optional<PodView> pod(const PodKey& key) const;
  [[nodiscard]] std::optional<planner::Question> question(const PodKey& key, Time now);
  [[nodiscard]] Picture picture();
  [[nodiscard]] std::vector<JobRow> jobs_after(const std::optional<Uid>& last, std::size_t at_most,
                                               Time now);
  [[nodiscard]] std::vector<UnformedPod> unformed(const std::optional<Uid>& last,
                                                  std::size_t at_most) const;

  /// Plans if one is due, and gives all that the step asked for.
  [[nodiscard]] Effects finish_step(Time now);

 private:
  // ---- router.cpp
  void on(const cluster::ObjectChanged& change, Time now);
  void on(const cluster::ObjectGone& change, Time now);
  void on(const cluster::ObjectUnreadable& found, Time now);
  void on(const Synced& synced, Time now);
  void on(const LeadershipChanged& change, Time now);
  void on(const Planned& planned, Time now);
  void on(const PolicyChanged& change, Time now);
  void observe_pod(const Pod& pod, Time now);
  void show_followed(const Pod& pod, Time now);
  Admission::Change observe_admission(const KubeObject& object, Time now);
  void admission_changed(Admission::Change change, const GroupMembers::Group& object, Time now);
  void readmit(Time now);
  void readmit(const GroupMembers::Group& group, Time now);
  void show_again(const Pod& pod, Time now);
  void lead(const LeadershipChanged& change, Time now);

  // ---- outcomes.cpp
  void on(const WriteDone& done, Time now);
  void on(const ForNothing& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForBinding& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForLift& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForWake& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForRelease& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForEviction& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForUsage& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForQueueUsers& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForShare& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForAudit& purpose, const WriteOutcome& outcome, Time now);
  void on(const ForNodes& purpose, const WriteOutcome& outcome, Time now);

  // ---- router.cpp: commands
  void carry(Commands commands, Time now);
  void on(Send& command, Time now);
  void on(Answer& command, Time now);
  void on(const JobChanged& command, Time now);
  void on(const ForgetPod& command, Time now);
  void on(const PlanNow& command, Time now);
  void on(const PlanAt& command, Time now);
  void on(const TellWaiting& command, Time now);
  void on(const ClaimsHeld& command, Time now);
  void on(const BindEnded& command, Time now);
  void on(const ProceedBind& command, Time now);
  void on(const AbortBind& command, Time now);
  void on(const BindRefused& command, Time now);
  void on(const GangStepped& command, Time now);
  void on(const GangEnded& command, Time now);
  void on(const GiveUpVictim& command, Time now);
  void on(const EvictionRefused& command, Time now);
  void on(const JobEvicted& command, Time now);
  void on(const HoldEnded& command, Time now);
  void on(const PodDropped& command, Time now);
  void on(const ReservationEnded& command, Time now);
  void on(const GiveBack& command, Time now);

  // ---- verbs.cpp
  /// Every node that was asked for is refused.
  [[nodiscard]] static extender::FilterResponse refuse_all(Reason reason);
  [[nodiscard]] extender::FilterResponse filter_followed(const Uid& uid,
                                                         const extender::FilterRequest& request,
                                                         const std::vector<NodeName>& nodes,
                                                         Time now);
  [[nodiscard]] extender::FilterResponse filter_unknown(const extender::FilterRequest& request,
                                                        const std::vector<NodeName>& nodes,
                                                        Time now);

  // ---- dry_run.cpp
  [[nodiscard]] extender::FilterResponse dry_run(const extender::FilterRequest& request, Time now);
  [[nodiscard]] std::vector<Reason> judge_offered(const Pod& pod,
                                                  std::span<const extender::OfferedNode> offered,
                                                  Time now);
  [[nodiscard]] std::vector<Node> show(std::span<const extender::OfferedNode> offered);

  // ---- advising.cpp
  [[nodiscard]] bool allocates() const { return options_.mode == Mode::allocate; }
  [[nodiscard]] extender::FilterResponse advise(const Uid& uid,
                                                const extender::FilterRequest& request,
                                                const std::vector<NodeName>& nodes, Time now);
  [[nodiscard]] extender::FilterResponse advise_among(const Uid& uid, const Pod& asked,
                                                      const std::vector<NodeName>& nodes,
                                                      const std::vector<NodeName>& among, Time now);
  [[nodiscard]] bool take_best(const Uid& uid, const planner::Advice& advice,
                               AdviceBook::Ranks& ranks, Time now);
  [[nodiscard]] std::optional<planner::Advice> advice_for(const Uid& uid,
                                                          const std::vector<NodeName>& nodes,
                                                          Time now);
  [[nodiscard]] std::vector<Placement> tentative_on(const NodeName& node);
  [[nodiscard]] std::optional<Placement> foresee(const Uid& uid, const NodeName& node,
                                                 const std::vector<Placement>& unaware, Time now);
  void place_anew(const Placement& tentative, Time now);
  void follow_choice(const Pod& pod, Time now);
  void show_devices(const ResourceClaim& claim);
  void bound_by_others(const Pod& pod, Time now);
  void unpin(const Pod& pod, Time now);

  // ---- bind_verb.cpp
  void on(StartBind& command, Time now);
  void bind_followed(const PodLife& pod, RequestId id, const NodeName& node, Time now);
  void start_bind(const PodLife& pod, std::vector<RequestId> requests, Placement placement,
                  Binding::Pace pace, Time now);
  [[nodiscard]] std::vector<ClaimConsumer> claim_users(const Pod& pod,
                                                       const planner::PodClaims& claims) const;
  /// The job whose other members the pod's binding must wait for, or null.
  [[nodiscard]] std::shared_ptr<const planner::Job> uncommitted_gang(const Uid& pod, Time now);
  void release_short_gang(const Uid& job, Time now);
  void release_gang_of(const Uid& pod, Time now);
  /// A binding of the pod is under way, or something of its is being given back.
  [[nodiscard]] bool being_written(const Uid& pod) const;
  [[nodiscard]] std::set<Uid> bound_members(const planner::Job& job) const;

  // ---- evicting.cpp
  void take_evictions(const planner::Plan& plan, Time now);
  void start_evictions(std::vector<planner::Eviction> evictions, Time now);
  [[nodiscard]] bool may_evict(const planner::Eviction& eviction) const;
  [[nodiscard]] bool is_needed(const planner::Eviction& eviction) const;

  // ---- provisioning.cpp
  void expose(const planner::Plan& plan, Time now);
  void observe_request(const KubeObject& object, Time now);
  void settle_requests(Time now);

  // ---- question.cpp
  [[nodiscard]] std::shared_ptr<const Pod> asked_about(const PodKey& key) const;

  // ---- planning.cpp
  void plan_when_due(Time now);
  [[nodiscard]] bool queue_moved(const Uid& job) const;
  void take(const std::shared_ptr<const planner::Plan>& made, const cluster::Snapshot& then,
            Time now);
  void take_slices(Time now);
  void take_rest(Time now);
  void take_job(const planner::JobOutcome& outcome, bool as_planned, Time now);
  void take_placements(const planner::JobOutcome& outcome, Time now);
  void take_unplaced(const planner::JobOutcome& outcome, const Uid& uid, Time now);
  void report_unformed(Time now);
  void plan_inline(const Uid& pod, const std::vector<NodeName>& nodes, Time now);

  [[nodiscard]] PlanInputs inputs() { return {cluster_, admission_, room_, usage_, pods_}; }

  /// Whether this replica decides, and since when it knows enough to.
  struct Standing {
    bool synced = false;
    bool leading = false;
  };

  /// What is put in order beside deciding: claims that hold what they should not, what admission
  /// knows of queues, and what an autoscaler is asked for.
  struct Upkeep {
    ClaimReleases releases;
    Auditor audits;
    QueueUsersKeeper queue_users;
    NodeRequests node_requests;
  };

  /// What is decided on the strand, at once.
  struct Judging {
    planner::Planner planner;              ///< the worker has its own
    AdviceBook told = {};                  ///< mode advise
    std::optional<Time> ahead_since = {};  ///< the planner has a part to read yet
  };

  Options options_;
  cluster::ClusterState cluster_;
  Judging judging_;
  Admission admission_;
  UsageKeeper usage_;
  RoomBook room_;
  PodLifecycle pods_;
  BindRuns binds_;
  GangRuns gangs_;
  EvictionRuns evictions_;
  ShareRuns shares_;
  Upkeep upkeep_;
  PlanCycle plans_;
  Outgoing out_;
  Standing standing_;
};

}  // namespace dray::engine
