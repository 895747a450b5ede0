#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "dray/alloc/allocator.h"
#include "dray/base/time.h"
#include "dray/cluster/event.h"
#include "dray/engine/write.h"
#include "dray/model/extender_api.h"
#include "dray/model/reason.h"
#include "dray/planner/plan.h"
#include "dray/policy/policy.h"

namespace dray::planner {
struct Question;
}

namespace dray::engine {

/// Tells a write's outcome from the others. Never used twice in a run.
/// Ids of writes are made by the engine, and count up.
using WriteId = Strong<std::uint64_t, struct WriteIdTag>;
/// Names one bind call; made by the caller, each once.
using RequestId = Strong<std::uint64_t, struct RequestIdTag>;

// ---- What goes in ----

/// Every kind was listed once: from here on "not there" means that it is not there.
struct Synced {};
/// The outcome of the SendWrite of that id; ids that the engine does not wait for are ignored.
struct WriteDone {
  WriteId id;
  WriteOutcome outcome;
};
/// This replica may write from now on (or no more). `epoch` is the Lease's leaseTransitions.
struct LeadershipChanged {
  bool leading = false;
  std::int32_t epoch = 0;
};
/// A plan that the worker made from the Snapshot of a WantPlan. Shared, as it is taken bit by bit
/// and takes long to destroy where many wait.
struct Planned {
  std::uint64_t generation = 0;
  std::shared_ptr<const planner::Plan> plan;
};
/// Another policy file is in force; null: none.
struct PolicyChanged {
  std::shared_ptr<const policy::PolicyConfig> config;
};
/// All that an engine is told. Objects are as the watch shows them.
using Event = std::variant<cluster::ObjectChanged, cluster::ObjectGone, cluster::ObjectUnreadable,
                           Synced, WriteDone, LeadershipChanged, Planned, PolicyChanged>;

// ---- What comes out ----

/// Send `write`; its outcome comes back as WriteDone{id}.
struct SendWrite {
  WriteId id;
  Write write;
  std::int32_t epoch = 0;  ///< of the leadership under which it was decided
  Time since = {};  ///< when the work began that it is part of: a bind call's chain, a plan's lifts
};
/// The answer to bind call `request`; an empty error says that the API server holds the binding.
struct AnswerBind {
  RequestId request;
  std::string error;
};
/// Run plan() on `input` beside the strand; the result comes back as Planned{generation}.
struct WantPlan {
  std::uint64_t generation = 0;
  std::shared_ptr<const planner::PlanInput> input;
};
/// All that an engine asks for.
using Effect = std::variant<SendWrite, AnswerBind, WantPlan>;
/// In the order in which they are to be carried out.
using Effects = std::vector<Effect>;

/// Who chooses the devices of dray's pods; docs/modes.md compares.
enum class Mode : std::uint8_t {
  allocate,  ///< the engine: it names the node, writes the allocation and binds
  /// kube-scheduler's plugin DynamicResources, when it binds: the engine says which nodes will do
  /// and which is better, by what it foresees that plugin to choose. It writes no claim and no
  /// binding.
  advise,
};

/// The allocator in mode best: the engine chooses devices itself, so it need not be as upstream is.
[[nodiscard]] inline alloc::AllocatorOptions best_choice() {
  alloc::AllocatorOptions options;
  options.mode = alloc::Mode::best;
  return options;
}

/// How a deployment wants its engine; all durations are of wall time.
struct Options {
  Mode mode = Mode::allocate;
  /// Pods of this spec.schedulerName are dray's.
  std::string scheduler_name = "dray-scheduler";
  /// The scheduling gate that dray takes off; pods with others' gates too are left alone.
  std::string gate = "dray.dev/admission";
  /// A lifted pod keeps its reservation this long without a sign of kube-scheduler.
  Duration reservation_life = std::chrono::seconds(90);
  /// From this many nodes on, nominatedNodeName is set before a gate is lifted.
  std::size_t nominate_from_nodes = 1000;
  /// A pod that still waits after so long is told why (the next plan may have a place for it).
  Duration tell_after = std::chrono::seconds(3);
  /// Allocation attempts (nodes) that filter may spend on a pod that has no plan yet.
  std::size_t inline_plan_nodes = 64;
  /// Whether WantPlan is asked for, or plans are made inline (simulator, tests).
  bool plan_inline = false;
  /// After a plan, or as long as that took: what comes meanwhile is planned together.
  Duration plan_pause{0};
  /// Where the usage of queues over time is kept.
  ConfigMapKey usage_record{"dray-system", "dray-usage"};
  /// What admission reads of the queues' users; absent: it is not told.
  std::optional<ConfigMapKey> queue_users_record;
  /// How devices are chosen. In mode advise they are foreseen, whatever `allocator.mode` says.
  alloc::AllocatorOptions allocator = best_choice();
  /// Makes share ids unique between runs; the engine itself has no source of randomness.
  std::uint64_t share_id_seed = 0;
};

/// Why an engine of that mode cannot follow the policy; empty: it can.
[[nodiscard]] std::string unfit_policy(Mode mode, const policy::PolicyConfig& config);

/// What an Allocator for this engine is made with; each `stream` gives share ids of its own.
[[nodiscard]] alloc::AllocatorOptions allocator_options(const Options& options,
                                                        std::uint64_t stream);

/// The scheduling brain: a deterministic state machine without I/O, clock or threads. One owner
/// calls it; the same calls give the same effects, byte for byte.
///
/// A pod's way in mode allocate (in mode advise kube-scheduler binds, and filter names more nodes):
/// gated -> planned (a reservation holds node and devices) -> lifted
/// -> filter answers the reserved node alone -> bind: finalizer, allocation + reservedFor in one
/// PATCH, binding; a failure on the way is undone. Ungated pods are planned at their first filter.
class Engine {
 public:
  /// Knows nothing yet: plans begin after Synced, under leadership.
  explicit Engine(Options options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// Takes one event in. `now` never goes back from call to call.
  [[nodiscard]] Effects apply(const Event& event, Time now);

  /// Expiries and retries, some of those that are due: call at next_tick() or later, and again
  /// while that is not later than now. Calling it early does nothing.
  [[nodiscard]] Effects tick(Time now);
  /// When the first timer is due; nothing while there is none.
  [[nodiscard]] std::optional<Time> next_tick() const;

  /// The answer to a filter request, and what it made the engine ask for.
  struct FilterAnswer {
    extender::FilterResponse response;
    Effects effects;
  };
  /// From the pod's reservation; plans it inline where there is none. In mode advise: all nodes
  /// that will do (for a member of a gang its own), judged anew; the best of them is counted as
  /// taken until the pod's claims show what it got, or it is not bound after all. A request with
  /// full Nodes is an autoscaler's dry run: answered from the request, nothing is reserved.
  [[nodiscard]] FilterAnswer filter(const extender::FilterRequest& request, Time now);

  /// 10 for the reserved node, 0 for all else: in allocate mode filter has decided already. In mode
  /// advise each node's rank among those of filter's last answer, the best one highest.
  [[nodiscard]] extender::PrioritizeResponse prioritize(const extender::FilterRequest& request,
                                                        Time now);

  /// Starts, joins or (already bound there) confirms the binding of a pod. The answer comes as an
  /// AnswerBind, now or after the writes are done.
  [[nodiscard]] Effects bind(RequestId id, const extender::BindRequest& request, Time now);

  /// Keeps only nodes that dray would accept for the pod; never adds one.
  [[nodiscard]] extender::PreemptResponse preempt(const extender::PreemptRequest& request,
                                                  Time now);

  /// What waits in a queue for a place.
  struct QueueWaiting {
    std::size_t jobs = 0;
    std::size_t pods = 0;
    bool operator==(const QueueWaiting&) const = default;
  };
  /// Pods asked to go, by what came of it.
  struct EvictionFigures {
    std::uint64_t evicted = 0;  ///< by the API server, for dray
    std::uint64_t refused = 0;  ///< it would not
    bool operator==(const EvictionFigures&) const = default;
  };
  /// By planner::EvictionCause, of which stale_gang is the last.
  using Evictions =
      std::array<EvictionFigures, static_cast<std::size_t>(planner::EvictionCause::stale_gang) + 1>;

  /// For metrics, readiness, tests and explanations.
  struct Status {
    bool synced = false;
    bool leading = false;
    std::size_t nodes = 0;
    std::size_t devices = 0;
    std::size_t devices_allocated = 0;
    std::size_t pods_waiting = 0;
    std::size_t reservations = 0;
    std::size_t binds_in_flight = 0;
    std::uint64_t plans_made = 0;
    std::uint64_t reservations_expired = 0;
    std::uint64_t binds_done = 0;
    std::uint64_t binds_undone = 0;
    std::size_t gangs_binding = 0;  ///< commits that gather or write
    std::uint64_t gangs_refused = 0;
    Evictions evictions;
    std::vector<std::size_t> unreadable;   ///< objects that cannot be read, by Kind
    std::uint64_t foretold = 0;            ///< claims that got the devices that advice was made by
    std::uint64_t foretold_otherwise = 0;  ///< that got others
    std::size_t devices_in_two_claims = 0;
    std::uint64_t claims_healed = 0;     ///< that gave a device back which another claim has, too
    std::uint64_t orphans_released = 0;  ///< users taken off claims whose pods were gone
    std::string policy_problem;          ///< why objects are left out of the policy; empty: none
    policy::ResourceTable resources;     ///< that are counted
    std::vector<planner::QueueReport> queues;  ///< as of the last plan, those that still are
    /// In force: quotas and limits; null before anything is known of it.
    std::shared_ptr<const policy::Policy> policy;
    std::map<policy::QueueName, QueueWaiting> queues_waiting;  ///< where somebody waits
    std::map<Reason, std::size_t> waiting_for;  ///< pods without a placement, by their Reason
  };
  /// As of the last call; costs one look at every pod that has no node yet.
  [[nodiscard]] Status status() const;
  /// The same without that look: pods_waiting, reservations and waiting_for are empty.
  [[nodiscard]] Status figures() const;
  /// The cluster is listed, no pod needs a plan or has a reservation, and no binding is in flight.
  /// Costs what has changed since it was last asked, however many pods there are.
  [[nodiscard]] bool is_settled() const;
  /// Counts the next pods, in the order of their uids, into what figures() gave; absent: from the
  /// first one on. The last of them, or nothing if that was all.
  [[nodiscard]] std::optional<Uid> count_pods(const std::optional<Uid>& last, std::size_t at_most,
                                              Status& into) const;

  /// The cluster with what dray has promised; costs what changed since the last one. It changes
  /// nothing of what the engine decides.
  [[nodiscard]] std::shared_ptr<const cluster::Snapshot> snapshot();

  /// What dray thinks of one pod now: its placement, or the Reason it waits for. Of bound pods the
  /// last thousand are remembered.
  struct PodView {
    std::optional<Placement> placement;
    Reason reason = Reason::none;
    std::string detail;  ///< free text: counts, names, the error; never sent to kube-scheduler
    std::string queue;   ///< of its job; empty: it is in none
    std::string job;     ///< namespace/name of its group, or its own
  };
  /// Nothing for a pod that is not known, or was bound too long ago.
  [[nodiscard]] std::optional<PodView> pod(const PodKey& key) const;

  /// All that planner::explain() reads of a pod, as of now; it may then run beside the engine. The
  /// key of a gang stands for the first of its pods that waits. Nothing: there is neither.
  [[nodiscard]] std::optional<planner::Question> question(const PodKey& key, Time now);

  /// What a picture of the whole cluster starts from; may be read beside the engine. Costs what
  /// changed since the last snapshot; jobs and pods are asked for bit by bit, by jobs_after().
  struct Picture {
    std::shared_ptr<const cluster::Snapshot> snapshot;
    std::shared_ptr<const policy::Policy> policy;
    Status status;  ///< its pods_waiting and reservations are 0: they are not counted here
  };
  [[nodiscard]] Picture picture();  ///< as of the last call

  /// One job, and why what waits of it waits.
  struct JobRow {
    std::shared_ptr<const planner::Job> job;
    PodKey pod;                    ///< the first of its members that has no room; empty: none
    Reason reason = Reason::none;  ///< of that pod
    std::string detail;            ///< of that pod: counts and names, for people
  };
  /// The next jobs in the order of their uids, those that run too; absent: from the first one on.
  /// Costs as many as it gives, and what changed about jobs since they were last listed.
  [[nodiscard]] std::vector<JobRow> jobs_after(const std::optional<Uid>& last, std::size_t at_most,
                                               Time now);
  /// Pods that wait and are in no job, since an object that they name is missing.
  struct UnformedPod {
    Uid uid;
    PodKey pod;
    Reason reason = Reason::none;
    std::string detail;
  };
  /// The next of them in the order of their uids; absent: from the first one on. Costs as many as
  /// it gives.
  [[nodiscard]] std::vector<UnformedPod> unformed(const std::optional<Uid>& last,
                                                  std::size_t at_most) const;

 private:
  class Router;
  std::unique_ptr<Router> router_;
};

}  // namespace dray::engine
