#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/cluster/state.h"
#include "dray/model/placement.h"
#include "dray/model/reason.h"
#include "engine/books/bound_placements.h"
#include "engine/books/job_book.h"
#include "engine/protocol/binding.h"
#include "engine/protocol/command.h"
#include "engine/protocol/lift_window.h"
#include "engine/protocol/timers.h"

namespace dray::engine {

/// How far a pod has come, from its first sight until the watch shows it bound or gone.
///
///   event           what happened                             from                   to
///   appeared        the watch shows it without a node         -                      waiting
///   requested       a filter request was faster               -                      offered
///   reserve         a plan has devices and room for it        waiting                waiting
///   offer           many nodes, gated: its node is nominated  waiting                nominating
///                   gated: its gate is taken off              waiting, nominating    lifting
///                   not gated (any more)                      waiting, lifting       offered
///   wake_written    woke nobody: written again                offered                offered
///   lift_written    nominated / the gate is off               nominating / lifting   lifting /
///                                                                                    offered
///   filter_answered the reserved node was the answer          all but the last two   offered
///   bind_begun      kube-scheduler asks to bind it            waiting, offered       binding
///   bind_ended      bound                                     binding                bound
///                   failed, or its devices are not ready      binding                offered
///                   refused: the placement is no good         binding                waiting
///   bind_refused    its gang was not bound                    binding                offered
///   release         its reservation ended otherwise           all but the last two   waiting
///   step            mode advise: kube-scheduler did not bind  offered                waiting
///                   it after all
///   reset           leadership changed                        any                    waiting
///   drop            gone, or the watch shows it bound         any                    -
enum class PodState : std::uint8_t {
  waiting,     ///< no place yet; if it is gated, it stays so
  nominating,  ///< reserved; status.nominatedNodeName is being set
  lifting,     ///< reserved; the gate is being taken off
  offered,     ///< kube-scheduler may ask for it
  binding,     ///< kube-scheduler asked to bind it: alone, or with its gang
  bound,       ///< the API server has it on its node; kept until the watch shows that
};

/// kube-scheduler did not take a node for a pod: not tried again until the node changes or some
/// time has passed (what it refused for may be something that dray does not model).
struct Refusal {
  ResourceVersion node_version;
  Time until;
};

/// What is known of a pod of dray's scheduler that has no node yet.
struct PodLife {
  struct Wait {
    Reason reason = Reason::planning;
    std::string detail;
    Reason reported = Reason::none;  ///< the Reason in its DrayAdmitted condition
    std::optional<Time> tell_at;     ///< when it is told, if it still is another than that
  };
  struct Offer {
    bool asked = false;         ///< filter was called since the reservation was offered
    std::uint32_t answers = 0;  ///< filter's, since the last bind call; the first of them at:
    Time first_answer;
    bool nominated = false;       ///< nominatedNodeName was set again, and not seen since
    std::string verdict;          ///< kube-scheduler's last word when it was offered
    Time until;                   ///< the reservation ends, unless somebody is interested
    std::optional<Time> wake_at;  ///< the wake-up came to nothing: it is written again
    bool waking = false;          ///< it is being written: kube-scheduler may not have heard
    ResourceVersion woken_from;   ///< the pod's when the wake-up was written
    ResourceVersion written;      ///< the pod's after dray's last write for the offer

    /// No wake-up is missing.
    [[nodiscard]] bool heard_of() const { return !wake_at && !waking; }
  };

  PodKey key;
  Uid uid;
  PodState state = PodState::waiting;
  bool bypasses = false;  ///< dray has nothing to decide for it: filter lets it pass
  bool seen = true;       ///< the watch has shown it (a request may be faster)
  /// A placement held for the pod: its devices and room are nobody else's until it is bound,
  /// released or runs out. Nobody tells an extender that a pod failed, hence the timer.
  std::optional<Placement> reservation;
  std::vector<std::string> warnings;            ///< about the reservation
  std::vector<ResourceVersion> claim_versions;  ///< bound: the claims as written
  std::map<NodeName, Refusal> refused;
  Wait wait;
  Offer offer;
  bool filter_refused = false;  ///< kube-scheduler gave it up, and is to be woken for a new place
  bool exposed = false;  ///< its gate was taken off without a placement, for an autoscaler to see
  std::uint32_t attempts = 0;  ///< of the write under way
  std::uint32_t denials = 0;   ///< how often the API server would not have it placed so

  /// Its placement is carried out, or is being carried out: nothing else may happen to it.
  [[nodiscard]] bool fixed() const {
    return state == PodState::binding || state == PodState::bound;
  }
  /// A plan is to find a place for it.
  [[nodiscard]] bool unplaced() const {
    return state == PodState::waiting && !reservation && !bypasses;
  }
};

/// The pods that dray follows: their states and their reservations. Who may reserve, and for what,
/// is decided by plans; what a state means for others (gangs, claims, writes) is asked for in
/// commands.
class PodLifecycle {
 public:
  struct Options {
    Mode mode = Mode::allocate;
    std::string gate;
    Duration reservation_life;
    std::size_t nominate_from_nodes;
    /// The next plan may have a place: worth a write only if the pod still waits then.
    Duration tell_after;
  };
  /// A node that kube-scheduler refused is not tried again for so long.
  static constexpr Duration refusal_life = std::chrono::seconds(60);
  /// So often the API server may say no to a placement before it is given up; from then on each no
  /// ends one, and the node is refused for longer each time.
  static constexpr std::uint32_t most_denials = 3;
  /// A reservation that kube-scheduler asks for again and again, and for a whole life of it never
  /// binds (a plugin of its own fails), is given up.
  static constexpr std::uint32_t most_answers = 5;
  /// A claim or group that is missing is usually on its way: worth a word only if it stays away.
  static constexpr Duration claim_patience = std::chrono::seconds(10);

  PodLifecycle(Options options, cluster::ClusterState& cluster, const JobBook& jobs);

  // ---- What the watch and requests show

  /// A pod that is not followed yet; one of the same name and another uid is gone.
  [[nodiscard]] Commands appeared(const Pod& pod);
  [[nodiscard]] Commands requested(const Pod& pod, Time now);
  /// A filter request was faster than the watch, and had to be refused: nothing else tells, when
  /// the pod appears, that kube-scheduler has given it up.
  void refused_unseen(const Uid& pod, Time now);
  /// A followed pod as the watch shows it. `leading`: it may be offered.
  [[nodiscard]] Commands step(const Pod& pod, bool leading, Time now);
  /// The watch shows a followed pod being deleted: it needs no place any more.
  [[nodiscard]] Commands deleted(const Uid& pod);
  [[nodiscard]] Commands drop(const Uid& pod);
  void set_bypasses(const Uid& pod, bool bypasses) {
    pods_.at(pod).bypasses = bypasses;
    if (!bypasses) unplaced_.insert(pod);
  }
  /// Some pod is unplaced. Costs what has changed since it was last asked, however many are placed.
  [[nodiscard]] bool any_unplaced();
  /// No pod is unplaced or has a reservation. Costs what has changed since it was last asked.
  [[nodiscard]] bool is_settled();
  /// Pods that any_unplaced() and is_settled() have looked at so far; for tests.
  [[nodiscard]] std::uint64_t inspected() const { return inspected_; }
  /// The watch shows a claim as it is now.
  void claims_moved() { bound_.claims_moved(); }

  // ---- Plans

  /// Holds the placement for the pod; `detail` and `warnings` say why it is what it is.
  [[nodiscard]] Commands reserve(const Placement& placement, const std::string& detail,
                                 const std::vector<std::string>& warnings);
  /// Lets kube-scheduler have the pod: nominates, lifts or wakes it, as it needs.
  [[nodiscard]] Commands offer(const Uid& pod, Time now);
  /// Reserved pods of one job: they are offered together, when binds keep up (see LiftWindow).
  void offer_in_turn(std::vector<Uid> pods) { lifts_.add(std::move(pods)); }
  /// Offers those whose turn it is.
  [[nodiscard]] Commands offer_due(Time now);
  [[nodiscard]] Commands lift_written(const Uid& pod, const WriteOutcome& outcome, Time now);
  /// A wake-up that was lost, or changed nothing, woke nobody: it is written again.
  [[nodiscard]] Commands wake_written(const Uid& pod, const WriteOutcome& outcome, Time now);
  /// Takes the gate off without a placement, for a cluster autoscaler to see the pod.
  [[nodiscard]] Commands expose(const Uid& pod, Labels annotations = {});

  // ---- Pods without a place

  /// Why it waits; told to its owner, after a while, when the Reason changes.
  [[nodiscard]] Commands waits(const Uid& pod, Reason reason, const std::string& detail, bool again,
                               Time now);
  /// As before; and plans again when the first refused node may be tried again.
  [[nodiscard]] Commands waits_for_room(const Uid& pod, Reason reason, const std::string& detail,
                                        Time now);
  /// What it waits for is usually on its way: told only after a while.
  void waits_quietly(const Uid& pod, Reason reason, const std::string& detail, Time now);
  /// Not told: kube-scheduler hears it as the answer to its request.
  void set_reason(const Uid& pod, Reason reason) { pods_.at(pod).wait.reason = reason; }
  void set_detail(const Uid& pod, const std::string& detail) { pods_.at(pod).wait.detail = detail; }

  // ---- kube-scheduler's requests

  /// Its reservation was offered so often in vain that it is of no use.
  [[nodiscard]] bool offered_in_vain(const Uid& pod, Time now) const;
  /// filter's answer was the reserved node.
  void filter_answered(const Uid& pod, Time now);
  /// Mode advise: kube-scheduler asks again, or the plan's devices go to another first: what was
  /// held for the pod is not any more. Its state stays: reserve() or release() follow.
  [[nodiscard]] Commands withdraw(const Uid& pod);
  /// Mode advise: the answer was a number of nodes. What kube-scheduler says of the pod later than
  /// in `asked`, which its request bears, is of the attempt that begins.
  void advised(const Pod& asked, Time now);
  /// Mode advise: a part of the reservation counts otherwise by now; this is the rest.
  void hold(const Placement& rest);
  /// Mode advise: it is bound, by kube-scheduler.
  void bound_by_others(const Uid& pod, Time now) { lifts_.ended(pod, true, now); }
  /// filter's answer was no node: the pod is to be woken when it has one.
  void filter_refused(const Uid& pod);
  /// kube-scheduler did not take the pod's reserved node: it is given up, and not tried again soon.
  [[nodiscard]] Commands refuse_node(const Uid& pod, Time now);
  void bind_begun(const Uid& pod);
  [[nodiscard]] Commands bind_ended(const BindEnded& ended, Time now);
  /// A bind call was answered with an error, and nothing was written; the reservation stays.
  void bind_refused(const Uid& pod, const std::string& error, Time now);
  /// The placement cannot be carried out: the pod is planned again.
  [[nodiscard]] Commands release(const Uid& pod);
  /// As before, and the pod is woken when it has another.
  [[nodiscard]] Commands give_up(const Uid& pod);

  /// The first pod whose time has come; call again while next_tick() has come.
  [[nodiscard]] Commands tick(Time now);
  [[nodiscard]] std::optional<Time> next_tick() const;
  /// Leadership changed: every pod waits, and nothing is held.
  [[nodiscard]] Commands reset();

  // ---- For others to read

  [[nodiscard]] const PodLife* find(const Uid& pod) const;
  /// The pod of that name, if it has that uid.
  [[nodiscard]] const PodLife* find(const PodKey& key, const Uid& uid) const;
  [[nodiscard]] const PodLife* find(const PodKey& key) const;
  [[nodiscard]] const std::map<Uid, PodLife>& all() const { return pods_; }
  /// Those that nodes were refused for; some of them may be gone, or refused nothing any more.
  [[nodiscard]] const std::set<Uid>& refused_somewhere() const { return refused_; }
  /// The pod as the watch shows it, or null.
  [[nodiscard]] std::shared_ptr<const Pod> object(const PodLife& pod) const;
  /// The pod's newest version that dray knows of: the watch's, or an answer's that it has not shown
  /// yet. kube-scheduler's own watch may well be faster, and a binding names a version.
  [[nodiscard]] ResourceVersion version(const PodLife& pod) const;
  /// It has no place: one that has, and is to be offered in its turn, does not wait for a plan.
  [[nodiscard]] bool waits(const Uid& pod) const;
  /// Reservations that kube-scheduler has not been told of: whoever is allocated devices by others
  /// may get theirs.
  [[nodiscard]] std::vector<Placement> tentative() const;
  /// The node of its reservation.
  [[nodiscard]] std::optional<NodeName> reserved_node(const Uid& pod) const;
  /// The API server said no to its placements so often that one was given up.
  [[nodiscard]] bool denied(const Uid& pod) const;
  /// Bound for good: the API server has it on its node.
  [[nodiscard]] bool is_bound(const Uid& pod) const;
  [[nodiscard]] std::uint64_t expired() const { return expired_; }

 private:
  PodLife& follow(const Pod& pod, bool seen, Commands& out);
  void drop(const Uid& pod, Commands& out);
  void release(PodLife& pod, Commands& out);
  void refuse_node(PodLife& pod, Time now, Commands& out, Duration life = refusal_life);
  [[nodiscard]] bool gave_up(PodLife& pod, const std::string& error, Time now, Commands& out);
  void offer(PodLife& pod, Time now, Commands& out);
  void lift(PodLife& pod, Time now, Commands& out);
  void offered(PodLife& pod, const Pod& object, Time now, Commands& out);
  void wake(PodLife& pod, const Pod& object, Time now, Commands& out);
  static const Pod* note_version(PodLife& pod, const WriteOutcome& outcome);
  void wait_for_requests(PodLife& pod, Time now);
  [[nodiscard]] bool ended_in_vain(PodLife& pod, const Pod& object, Commands& out);
  void keep_nominated(PodLife& pod, const Pod& object, Commands& out);
  void report(PodLife& pod, Time now, Commands& out);
  void tell_by(PodLife& pod, Time at);
  void arm_waiting(const PodLife& pod);
  void bind_again(PodLife& pod, Time now);
  void ran_out(PodLife& pod, Time now, Commands& out);
  [[nodiscard]] Duration reservation_life(const PodLife& pod) const;

  Options options_;
  cluster::ClusterState& cluster_;
  const JobBook& jobs_;
  std::map<Uid, PodLife> pods_;
  std::map<PodKey, Uid> by_name_;
  std::set<Uid> refused_;
  std::set<Uid> unplaced_;      ///< all that are, and some that no longer are
  std::set<Uid> reserved_;      ///< all that have a reservation, and some that no longer have one
  std::map<Uid, Time> unseen_;  ///< refused before the watch has shown them; kept for a while
  Time unseen_swept_{};
  Timers<Uid> timers_;
  LiftWindow lifts_;
  BoundPlacements bound_;  ///< of pods that are not followed any more
  std::uint64_t expired_ = 0;
  std::uint64_t inspected_ = 0;
};

}  // namespace dray::engine
