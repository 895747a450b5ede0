#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "dray/policy/reclaim.h"
#include "planner/evict/victim_search.h"
#include "planner/room_keeper.h"
#include "planner/turns.h"

namespace dray::planner {

/// What making room came to, besides the decisions.
struct RoomMade {
  std::vector<Eviction> evictions;  ///< in the order of their beneficiaries
  std::size_t scenarios = 0;        ///< sets of victims that were tried out
  std::size_t refused_early = 0;    ///< jobs that a bound refused without a search
  std::optional<Time> again_at;     ///< when a protection or a delay ends
  std::vector<PlanJob*> losers;     ///< what the plan had just given them went to others
};

/// Makes room for waiting jobs by evicting others: consolidation, reclaim, preemption.
class MakeRoom {
 public:
  MakeRoom(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
           Decisions& decisions, Turns& turns, RoomKeeper& keeper, const JobWatch* watch = nullptr);

  /// Those of the actions that the input and the policy allow, in KAI's order.
  [[nodiscard]] RoomMade run(std::span<PlanJob* const> waiting);

 private:
  /// What decides whether a job could be helped.
  struct Kind {
    Action action = Action::reclaim;
    policy::QueueIndex queue;
    bool preemptible = true;
    std::int32_t priority = 0;
    Uid job;  ///< where it is not like others: its groups, domains and past are its own
    std::vector<std::uint32_t> shapes;

    auto operator<=>(const Kind&) const = default;
  };

  /// What may still be tried.
  struct Allowed {
    std::size_t jobs = 0;  ///< that nothing is reserved for
    std::size_t nodes = 0;
    std::size_t scenarios = 0;
    bool cut_short = false;  ///< a look ended for want of more
  };

  struct Trying {
    Allowed left;                 ///< for the action that is under way and those after it
    std::set<const PlanJob*> by;  ///< jobs that this action has looked at
    /// Who may end the plan or have only one job helped; may be null.
    const JobWatch* watch = nullptr;
  };

  void act(Action action, std::span<PlanJob* const> waiting, std::size_t actions);
  void serve(Action action, JobOrder& order, Allowed& left);
  [[nodiscard]] bool look_at(PlanJob& job, Action action, const JobOrder& order, Allowed& left);
  [[nodiscard]] std::optional<BudgetKind> cut_short_by() const;
  [[nodiscard]] bool is_candidate(const PlanJob& job, Action action);
  [[nodiscard]] JobOrder order_of(std::span<PlanJob* const> jobs) const;
  [[nodiscard]] bool may_evict(const PlanJob& job, Action action);
  [[nodiscard]] bool somebody_owed(std::span<PlanJob* const> waiting) const;
  [[nodiscard]] bool within_bounds(const PlanJob& job, const policy::Reclaimer& reclaimer,
                                   Action action);
  void say_over_share(const PlanJob& job);
  void say_paused(const PlanJob& job);
  [[nodiscard]] static Kind kind_of(const PlanJob& job, std::span<const std::uint32_t> chunk,
                                    Action action);
  [[nodiscard]] bool help(PlanJob& job, Action action, const JobOrder& order);
  [[nodiscard]] bool help_next_chunk(PlanJob& job, Action action, const JobOrder& order);
  [[nodiscard]] const Task& hardest_of(const PlanJob& job, std::span<const std::uint32_t> chunk);
  [[nodiscard]] bool help_with_kept_room(PlanJob& job, Action action, const JobOrder& order);
  [[nodiscard]] bool use_leftovers(PlanJob& job, std::span<const std::uint32_t> chunk,
                                   const policy::Reclaimer& reclaimer, bool within_share);
  void carry_out(PlanJob& job, const Solution& solution, Action action);
  [[nodiscard]] bool withdraw(const PlanJob& taker, const Solution& solution);
  [[nodiscard]] bool pass_on(const PlanJob& from, const PlanJob& taker);
  void place_elsewhere(const Solution& solution);

  const PlanContext& context_;
  const JobTable& jobs_;
  Overlay& overlay_;
  Placer& placer_;
  Decisions& decisions_;
  Turns& turns_;
  RoomKeeper& keeper_;
  VictimSearch search_;
  Trying trying_;
  std::map<Kind, std::size_t> failed_;  ///< how many sets had been evicted then
  std::size_t sets_evicted_ = 0;
  std::set<const PlanJob*> paused_;  ///< that have been told so
  bool somebody_owed_ = false;       ///< nothing is moved for jobs above their share
  Earliest again_at_;
  RoomMade made_;
};

}  // namespace dray::planner
