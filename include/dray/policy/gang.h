#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dray::policy {

/// Where a member of a gang is, as far as the gang's next step goes.
enum class TaskState : std::uint8_t {
  pending,   ///< waits to be placed
  placed,    ///< has its node: reserved, bound or running
  yielding,  ///< evicted in the simulation only: it may be placed again there
  other,     ///< gated, leaving, finished
};

/// A gang's member; `id` is the caller's.
struct GangTask {
  std::uint32_t id = 0;
  TaskState state = TaskState::pending;

  bool operator==(const GangTask&) const = default;
};

/// Topology levels (node label keys) that a group of pods must or should share one domain of.
struct TopologyConstraint {
  std::string topology;
  std::string required;
  std::string preferred;

  bool operator==(const TopologyConstraint&) const = default;
};

/// Pods of one kind; `tasks` stand in the order in which they start (they are evicted in reverse).
struct PodSet {
  std::string name;
  std::int32_t min_member = 1;
  TopologyConstraint topology;
  std::vector<GangTask> tasks;

  bool operator==(const PodSet&) const = default;
};

/// A group of groups and of pod sets: a gang is the tree below its root. It has its minimum when
/// `min_sub_group` of its members have theirs (all of them, where it is not set).
struct SubGroup {
  std::string name;
  std::optional<std::int32_t> min_sub_group;
  TopologyConstraint topology;
  std::vector<SubGroup> sub_groups;
  std::vector<PodSet> pod_sets;

  bool operator==(const SubGroup&) const = default;
};

/// How far a member of a group is: its own members that have their minimum, or its placed tasks.
struct MemberProgress {
  std::string_view name;
  std::size_t count = 0;
  std::size_t minimum = 0;
};

/// `less` where the left member of a group is served first.
using MemberOrder = std::weak_ordering (*)(const MemberProgress&, const MemberProgress&);

/// KAI's order (plugin subgrouporder): below the minimum first; then the smaller part of it, those
/// without one last; then by name.
[[nodiscard]] std::weak_ordering by_need(const MemberProgress& left, const MemberProgress& right);

/// A member of a group: a group or a pod set.
struct GroupMember {
  const SubGroup* group = nullptr;
  const PodSet* set = nullptr;
  MemberProgress progress;
};
/// The members of `group` in the order in which they are served; equal ones as they are written,
/// groups before sets. Valid while `group` is.
[[nodiscard]] std::vector<GroupMember> members_in_order(const SubGroup& group, MemberOrder order);

/// The ids of the next tasks to place together: all that the gang lacks for its minimum, or one
/// more step where it has it (one task, or one member's minimum). Members that cannot get their own
/// minimum, because too few of their tasks wait, are left out where others can. With `simulated`,
/// tasks that yielded count as pending.
[[nodiscard]] std::vector<std::uint32_t> next_to_place(const SubGroup& root, MemberOrder order,
                                                       bool simulated);

/// The next tasks to evict: one that is above the minimum, a member above its group's minimum, or
/// all. `more` says that placed tasks are left after them.
struct Eviction {
  std::vector<std::uint32_t> tasks;
  bool more = false;

  bool operator==(const Eviction&) const = default;
};
/// What to evict next of the group: what is above minimums first, the last member first.
[[nodiscard]] Eviction next_to_evict(const SubGroup& root, MemberOrder order);

/// The pod set of the gang that the task is in; null: of none.
[[nodiscard]] const PodSet* set_of(const SubGroup& root, std::uint32_t task);
[[nodiscard]] PodSet* set_of(SubGroup& root, std::uint32_t task);

/// How many tasks of the whole tree are placed.
[[nodiscard]] std::size_t placed_tasks(const SubGroup& group);
/// Whether so many of its tasks are placed.
[[nodiscard]] bool has_minimum(const PodSet& set);
/// Whether as many members as the group needs have their own minimum: by this a gang is placed,
/// stale and evicted.
[[nodiscard]] bool has_minimum(const SubGroup& group);

/// A gang against the minimum of its pod sets: the order of jobs (KAI's plugin elastic).
enum class GangPhase : std::uint8_t { below_minimum, at_minimum, above_minimum };
/// Where the gang stands: below its minimum if any set is, above it if one is and none is below.
[[nodiscard]] GangPhase phase_of(const SubGroup& root);

}  // namespace dray::policy
