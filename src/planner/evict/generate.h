#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "planner/evict/claim_sharers.h"
#include "planner/evict/scenario.h"
#include "planner/evict/validate.h"
#include "planner/evict/victim_capacity.h"

namespace dray::planner {

/// Scenarios of the victims of more and more nodes, those nodes first that are nearly enough by
/// themselves; and after each, of as few of the last of its nodes as do without the others.
class GrowingNodes {
 public:
  /// What nodes with victims are asked for: all their room, or, where others take what is idle
  /// there with nobody gone, only the rest.
  enum class Asked : std::uint8_t { all, rest };
  /// For so many members that need room; `victims` is how many there are in all.
  GrowingNodes(const VictimCapacity& capacity, std::size_t members, std::size_t victims,
               Asked asked = Asked::all);
  /// Nothing: with all nodes' victims it was tried.
  [[nodiscard]] std::optional<Scenario> next();
  [[nodiscard]] Asked asked() const { return asked_; }

 private:
  [[nodiscard]] std::optional<Scenario> fewest_up_to(std::size_t last) const;

  Asked asked_;
  std::vector<VictimCapacity::Giver> givers_;
  std::vector<char> in_;  ///< by place of the victims
  std::optional<Scenario> fewest_;
  std::size_t needed_;
  std::size_t lacking_;
  std::size_t at_ = 0;
  std::size_t step_ = 1;
  std::size_t next_try_ = 0;
};

/// Gives scenarios for an attempt, one after another, until one does: victims in their order, and
/// of those found so far the sets that the victim capacity bound does not rule out. (KAI's scenario
/// builder, pkg/scheduler/actions/common/solvers.)
class ScenarioGenerator {
 public:
  /// `queues`: with all that is decided.
  ScenarioGenerator(const PlanContext& context, const Attempt& attempt,
                    const policy::QueueTree& queues, const JobOrder& order,
                    const VictimOrder::Candidates& candidates, const ClaimSharers& sharers,
                    VictimValidator& validator, VictimCapacity capacity);

  /// The next one; nothing: there is none. With `stop`, no more victims are looked for.
  [[nodiscard]] std::optional<Scenario> next(bool stop);
  /// All victims that were found so far: what scenarios name the places of.
  [[nodiscard]] std::span<const Victims> found() const { return found_; }
  /// Whether somebody was left out, or could only be moved, because of those that were found
  /// before.
  [[nodiscard]] bool left_out() const { return seen_.left_out; }
  /// A scenario is carried out: the states of all victims' tasks are the caller's.
  void keep_marks() { order_.keep_marks(); }

 private:
  [[nodiscard]] bool find_victims();
  [[nodiscard]] bool take(Victims victims);
  void add(Victims victims);
  [[nodiscard]] bool may_go_alone(std::span<const Victims> unit);
  void open_scenarios();
  void grow(GrowingNodes::Asked asked);
  void open_nodes_of_last();
  void open_nodes_of_all();
  void open_devices_of(std::span<const cluster::NodeIndex> nodes);
  [[nodiscard]] bool may_give_enough(const VictimCapacity::Giver& on) const;
  [[nodiscard]] std::optional<Scenario> next_open();
  [[nodiscard]] bool queue_has_room();
  [[nodiscard]] Scenario with_surplus(const Scenario& scenario) const;

  const PlanContext& context_;
  const Attempt& attempt_;
  const policy::QueueTree& queues_;
  const ClaimSharers& sharers_;
  VictimOrder order_;
  VictimValidator& validator_;
  VictimCapacity capacity_;
  std::vector<Victims> found_;
  struct Seen {
    bool in_pieces = false;  ///< some of them go only with others of them
    bool left_out = false;   ///< see left_out()
  };
  Seen seen_;
  std::vector<policy::Amounts> taken_;  ///< of each queue and what is below it
  std::int32_t moves_left_;             ///< chunks of queues that owe nothing, to be moved
  enum class Phase : std::uint8_t { looking, last, ended } phase_ = Phase::looking;
  /// What is tried next, from the end.
  struct Open {
    std::vector<cluster::NodeIndex> nodes;  ///< of the last victims
    std::vector<Scenario> devices;          ///< of parts of one device, before the nodes
  };
  Open open_;
  std::optional<GrowingNodes> growing_;
  /// All that was found as one scenario.
  struct AllFound {
    policy::QueueTree queues;  ///< without it
    bool open = false;
    std::size_t tried = 0;  ///< how many victims that were last
  };
  std::optional<AllFound> all_found_;  ///< where the queues have no room for the job as they are
  /// When sets of nodes were tried last.
  struct Tried {
    std::size_t total = 0;    ///< what the bound was
    std::size_t found = 0;    ///< how many victims there were
    std::set<Scenario> sets;  ///< and which they were
  };
  Tried tried_;
};

}  // namespace dray::planner
