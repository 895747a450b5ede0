#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dray/policy/reclaim.h"
#include "planner/place/gangs.h"
#include "planner/state/job_order.h"

namespace dray::planner {

/// Who may be made to give room, in what way.
enum class Way : std::uint8_t { consolidate, reclaim, preempt };

/// Everything that one plan works on; PlanMaker owns it.
struct PlanRun {
  const PlanInput& input;
  const policy::Policy& policy;
  PlanJobs& jobs;
  PlanOverlay& overlay;
  /// The queues with all that is decided, but without what is being tried.
  policy::QueueTree& decided;
  const policy::Amounts& total;
  PlanFit& fit;
  PlanDomains& domains;
  PlanPlace& place;
  Plan& plan;
};

/// Room from others for one waiting job at a time: few whole victims, in the order in which queues
/// and jobs have to give, that let the whole chunk start.
class TakeBack {
 public:
  explicit TakeBack(PlanRun& run);

  using Chunk = VictimTurns::Chunk;
  /// What it takes to start a chunk; the overlay then holds it.
  struct Solution {
    std::vector<Placed> placed;
    std::vector<Chunk> victims;            ///< all that have to go, moved ones too
    std::map<PlanTask*, Placement> moved;  ///< where there is room for some of them
  };
  /// Nothing: it cannot be done, and the overlay is as it was.
  [[nodiscard]] std::optional<Solution> solve(PlanJob& job, std::span<const std::uint32_t> chunk,
                                              Way way, const JobTurns& turns);
  /// Room that others leave for it: whoever got it in this plan keeps it.
  void keep(const PlanTask& task) { kept_.insert(&task); }
  /// Counts a solution that is taken, and writes its evictions into the plan.
  void commit(const PlanJob& job, const Solution& solution, Way way);

  /// When a protection ends that kept somebody from being a victim.
  [[nodiscard]] std::optional<Time> again_at() const { return again_at_; }

 private:
  struct Attempt {
    PlanJob& job;
    std::span<const std::uint32_t> chunk;
    policy::Amounts counts;
    Way way;
  };
  class Rooms;

  void collect_victims(const JobTurns& turns);
  [[nodiscard]] std::vector<char> open_queues(const Attempt& attempt) const;
  [[nodiscard]] bool may_give(const Attempt& attempt, const PlanJob& victim);
  void find_betters(const PlanJob& job);
  [[nodiscard]] bool goes_in_circles(const Attempt& attempt, const Chunk& chunk,
                                     std::span<const policy::Amounts> taken) const;
  [[nodiscard]] bool protected_by_runtime(const Attempt& attempt, const PlanJob& victim);
  [[nodiscard]] bool chunk_holds(const Attempt& attempt, const Chunk& chunk,
                                 std::span<const policy::Amounts> taken) const;
  [[nodiscard]] bool reclaim_holds(const Attempt& attempt, std::span<const Chunk> victims,
                                   const std::map<PlanTask*, Placement>& moved) const;
  [[nodiscard]] bool may_go(const Attempt& attempt, const Chunk& chunk) const;
  [[nodiscard]] bool affordable(std::span<const Chunk> victims) const;
  [[nodiscard]] std::optional<Solution> search(const Attempt& attempt, const JobTurns& turns);
  [[nodiscard]] std::optional<Solution> try_with(const Attempt& attempt, std::span<const Chunk> all,
                                                 std::span<const std::size_t> picked);
  [[nodiscard]] std::optional<Solution> try_order(const Attempt& attempt,
                                                  std::span<const Chunk> all,
                                                  std::span<const std::size_t> picked,
                                                  bool victims_first);
  using TryPicked = std::function<std::optional<Solution>(std::vector<std::size_t>)>;
  [[nodiscard]] std::optional<Solution> try_nodes(const Attempt& attempt,
                                                  std::span<const Chunk> all, const Rooms& rooms,
                                                  const TryPicked& try_set);
  [[nodiscard]] std::optional<Solution> try_fewer(const Attempt& attempt,
                                                  std::span<const Chunk> all,
                                                  std::vector<std::size_t> picked,
                                                  PlanOverlay::Mark mark, Solution found);
  void put_back(Solution& solution, bool may_stay);
  [[nodiscard]] bool counters_taken(cluster::PoolIndex pool, const DeviceName& device) const;
  [[nodiscard]] bool stays(PlanJob& job, PlanTask& task);
  void move_elsewhere(PlanJob& job, Solution& solution);
  void say_again(Time time);

  PlanRun& run_;
  VictimTurns::Candidates candidates_;
  std::set<const PlanTask*> moved_;
  std::set<const PlanTask*> kept_;
  std::map<std::string_view, const PlanJob*> evicted_for_;  ///< jobs that did so lately, by lineage
  std::set<std::string_view> betters_;  ///< lineages that the job at hand may not take room from
  bool collected_ = false;
  std::map<Uid, std::vector<std::size_t>> budgets_of_;
  std::vector<std::int64_t> disruptions_left_;
  std::vector<std::int64_t> evictions_of_;  ///< by queue
  std::size_t evicted_ = 0;
  std::optional<Time> again_at_;
};

}  // namespace dray::planner
