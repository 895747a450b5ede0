#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "planner/evict/reprieve.h"
#include "planner/place/placer.h"
#include "planner/plan_memory.h"
#include "planner/state/context.h"

namespace dray::planner {

/// When the pod ends at the latest, by its deadline; nothing: it may run for ever.
[[nodiscard]] std::optional<Time> latest_end(const PlanJob& job, const Task& task);

/// Whether all members of the chunk have what it takes to look for nodes.
[[nodiscard]] bool has_shapes(const PlanJob& job, std::span<const std::uint32_t> chunk);
/// The nodes, each once and sorted.
[[nodiscard]] std::vector<cluster::NodeIndex> nodes_of(const PlanInput& input,
                                                       std::span<const Placed> placed);

/// Finds where a waiting job could start soonest if nobody is evicted for it: which running pods
/// have to end first. It places the job on the overlay with these pods gone, and takes all of that
/// back. Its looks at nodes count in no budget of the plan.
class RoomSearch {
 public:
  RoomSearch(const PlanContext& context, JobTable& jobs, Overlay& overlay, PlanMemory& memory);
  RoomSearch(const RoomSearch&) = delete;
  RoomSearch& operator=(const RoomSearch&) = delete;

  /// A running pod that may end.
  struct Ending {
    PlanJob* job = nullptr;
    Task* task = nullptr;
    std::optional<Time> at;  ///< at the latest
  };
  struct Found {
    std::vector<Placed> placed;
    std::vector<Ending> in_the_way;  ///< that have to end
    std::optional<Time> complete;    ///< when they have at the latest, where that is known
  };
  /// Whether others have a better claim to what was found; nobody runs there any more whom the job
  /// has to wait for.
  using Contested = std::function<bool(const Found& found)>;

  /// The job on what is free or being released now; without room the overlay is as it was.
  [[nodiscard]] std::optional<std::vector<Placed>> now(PlanJob& job,
                                                       std::span<const std::uint32_t> chunk);
  /// Among all nodes that could take the job: those whose pods end first by what is known of them,
  /// then those with the fewest pods, of these those whose pods have run for the shortest time: run
  /// times have long tails, so who has run for long will go on for long. Nothing: it could not
  /// start were all of them empty, or `contested` says so.
  [[nodiscard]] std::optional<Found> anywhere(PlanJob& job, std::span<const std::uint32_t> chunk,
                                              const Contested& contested);
  /// The same if only these pods end, the first ones first.
  [[nodiscard]] std::optional<Found> once_ended(PlanJob& job, std::span<const std::uint32_t> chunk,
                                                std::span<const Ending> pods);
  /// All running pods for which `wanted`, those first whose end is known to come first.
  [[nodiscard]] std::vector<Ending> endings(
      const std::function<bool(const PlanJob&, const Task&)>& wanted) const;

  /// What nodes say to pods, in no budget.
  [[nodiscard]] Fit& fit() { return placer_.fit(); }

 private:
  [[nodiscard]] std::vector<char> eligible_nodes(PlanJob& job,
                                                 std::span<const std::uint32_t> chunk);
  [[nodiscard]] bool large_enough(const PlanJob& job, std::span<const std::uint32_t> chunk,
                                  std::span<const char> eligible) const;
  [[nodiscard]] std::optional<std::vector<Placed>> place_once_ended(
      PlanJob& job, std::span<const std::uint32_t> chunk, std::span<const Ending> pods,
      std::size_t& needed);
  void end(std::span<const Ending> pods);
  [[nodiscard]] std::vector<Ending> leave_others(std::span<const Ending> pods,
                                                 std::span<const Placed> placed);

  JobTable& jobs_;
  Overlay& overlay_;
  PlanInput input_;  ///< what placing reads of it, without a budget
  PlanContext context_;
  NodeRankings rankings_;
  Placer placer_;
  Reprieve reprieve_;
};

}  // namespace dray::planner
