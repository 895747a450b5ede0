#include "dray/policy/gang.h"

#include <algorithm>
#include <utility>

namespace dray::policy {

namespace {

std::size_t placed_tasks(const PodSet& set) {
  return static_cast<std::size_t>(
      std::ranges::count(set.tasks, TaskState::placed, &GangTask::state));
}

std::size_t as_count(std::int32_t minimum) {
  return static_cast<std::size_t>(std::max(minimum, 0));
}

/// Members that a group needs with their minimum, and those that have it.
std::size_t members_needed(const SubGroup& group) {
  return group.min_sub_group ? as_count(*group.min_sub_group)
                             : group.sub_groups.size() + group.pod_sets.size();
}
std::size_t members_ready(const SubGroup& group) {
  const auto ready = [](const auto& member) { return has_minimum(member); };
  return static_cast<std::size_t>(std::ranges::count_if(group.sub_groups, ready) +
                                  std::ranges::count_if(group.pod_sets, ready));
}

/// A walk for the next tasks to place.
struct Placing {
  MemberOrder order;
  bool simulated;
  std::vector<std::uint32_t>& out;

  [[nodiscard]] bool waits(const GangTask& task) const {
    return task.state == TaskState::pending || (simulated && task.state == TaskState::yielding);
  }

  void add(const PodSet& set) {
    const auto placed = placed_tasks(set);
    const auto minimum = as_count(set.min_member);
    auto wanted = placed >= minimum ? 1 : minimum - placed;
    for (const auto& task : set.tasks) {
      if (wanted == 0) return;
      if (!waits(task)) continue;
      out.push_back(task.id);
      --wanted;
    }
  }

  void add_missing(const GroupMember& member) {
    if (member.progress.count >= member.progress.minimum) return;
    if (member.group != nullptr) {
      add(*member.group);
    } else {
      add(*member.set);
    }
  }

  /// Whether the part has its minimum, or would have it with what waits of it.
  [[nodiscard]] bool reaches_minimum(const PodSet& set) const {
    const auto there = std::ranges::count_if(set.tasks, [this](const GangTask& task) {
      return task.state == TaskState::placed || waits(task);
    });
    return static_cast<std::size_t>(there) >= as_count(set.min_member);
  }
  [[nodiscard]] bool reaches_minimum(const SubGroup& group) const {
    const auto reaches = [this](const auto& member) { return reaches_minimum(member); };
    const auto there = std::ranges::count_if(group.sub_groups, reaches) +
                       std::ranges::count_if(group.pod_sets, reaches);
    return static_cast<std::size_t>(there) >= members_needed(group);
  }
  [[nodiscard]] bool reaches_minimum(const GroupMember& member) const {
    return member.group != nullptr ? reaches_minimum(*member.group) : reaches_minimum(*member.set);
  }

  /// A member that cannot get its minimum keeps none from starting that can.
  void add(const SubGroup& group) {
    auto members = members_in_order(group, order);
    const auto needed = members_needed(group);
    if (members_ready(group) < needed) {
      std::ranges::stable_partition(members,
                                    [this](const auto& member) { return reaches_minimum(member); });
      for (std::size_t i = 0; i < std::min(needed, members.size()); ++i) add_missing(members[i]);
      return;
    }
    for (const auto& member : members) {
      if (!reaches_minimum(member)) continue;
      if (member.group != nullptr) {
        add(*member.group);
      } else {
        add(*member.set);
      }
      if (!out.empty()) return;
    }
  }
};

void add_placed(const PodSet& set, std::size_t at_most, std::vector<std::uint32_t>& out) {
  for (auto it = set.tasks.rbegin(); it != set.tasks.rend() && at_most > 0; ++it) {
    if (it->state != TaskState::placed) continue;
    out.push_back(it->id);
    --at_most;
  }
}

void add_placed(const SubGroup& group, std::vector<std::uint32_t>& out) {
  for (const auto& set : group.pod_sets) add_placed(set, set.tasks.size(), out);
  for (const auto& g : group.sub_groups) add_placed(g, out);
}

void add_placed(const GroupMember& member, std::vector<std::uint32_t>& out) {
  if (member.group != nullptr) {
    add_placed(*member.group, out);
  } else {
    add_placed(*member.set, member.set->tasks.size(), out);
  }
}

/// What a group can give without falling below its minimum; false if nothing.
bool add_surplus(const SubGroup& group, MemberOrder order, std::vector<std::uint32_t>& out) {
  const auto ready = members_ready(group);
  if (ready == 0) return false;
  auto members = members_in_order(group, order);
  std::ranges::reverse(members);
  if (has_minimum(group)) {
    // A part of a member serves nobody, where others are enough.
    for (const auto& member : members) {
      if (member.progress.count >= member.progress.minimum) continue;
      add_placed(member, out);
      if (!out.empty()) return true;
    }
  }
  for (const auto& member : members) {
    if (member.group != nullptr) {
      if (add_surplus(*member.group, order, out)) return true;
    } else if (member.progress.count > member.progress.minimum) {
      add_placed(*member.set, 1, out);
      return true;
    }
  }
  if (ready <= members_needed(group)) return false;
  for (const auto& member : members) {
    add_placed(member, out);
    if (!out.empty()) return true;
  }
  return false;
}

template <class Set, class Group>
Set* find_set(Group& root, std::uint32_t task) {
  for (auto& set : root.pod_sets) {
    if (std::ranges::find(set.tasks, task, &GangTask::id) != set.tasks.end()) return &set;
  }
  for (auto& group : root.sub_groups) {
    if (auto* set = find_set<Set>(group, task)) return set;
  }
  return nullptr;
}

/// The lowest and highest phase of the pod sets below.
GangPhase phase_of(const PodSet& set) {
  const auto placed = placed_tasks(set);
  const auto minimum = as_count(set.min_member);
  if (placed < minimum) return GangPhase::below_minimum;
  return placed > minimum ? GangPhase::above_minimum : GangPhase::at_minimum;
}

GangPhase worst(GangPhase a, GangPhase b) {
  if (a == GangPhase::below_minimum || b == GangPhase::below_minimum) {
    return GangPhase::below_minimum;
  }
  return std::max(a, b);
}

}  // namespace

std::weak_ordering by_need(const MemberProgress& left, const MemberProgress& right) {
  const bool left_ready = left.count >= left.minimum;
  const bool right_ready = right.count >= right.minimum;
  if (left_ready != right_ready) {
    return left_ready ? std::weak_ordering::greater : std::weak_ordering::less;
  }
  if (left_ready) {
    const bool left_optional = left.minimum == 0;
    const bool right_optional = right.minimum == 0;
    if (const auto o = left_optional <=> right_optional; o != 0) return o;
    // Cross-multiplied parts of the minimum; both are 0 of 0 where optional: the counts decide.
    const auto l = left_optional ? left.count : left.count * right.minimum;
    const auto r = right_optional ? right.count : right.count * left.minimum;
    if (const auto o = l <=> r; o != 0) return o;
  }
  return left.name <=> right.name;
}

std::vector<GroupMember> members_in_order(const SubGroup& group, MemberOrder order) {
  std::vector<GroupMember> members;
  members.reserve(group.sub_groups.size() + group.pod_sets.size());
  for (const auto& g : group.sub_groups) {
    members.push_back({&g, nullptr, {g.name, members_ready(g), members_needed(g)}});
  }
  for (const auto& s : group.pod_sets) {
    members.push_back({nullptr, &s, {s.name, placed_tasks(s), as_count(s.min_member)}});
  }
  std::ranges::stable_sort(members, [order](const GroupMember& a, const GroupMember& b) {
    return order(a.progress, b.progress) < 0;
  });
  return members;
}

std::vector<std::uint32_t> next_to_place(const SubGroup& root, MemberOrder order, bool simulated) {
  std::vector<std::uint32_t> tasks;
  Placing{order, simulated, tasks}.add(root);
  return tasks;
}

Eviction next_to_evict(const SubGroup& root, MemberOrder order) {
  Eviction eviction;
  if (!add_surplus(root, order, eviction.tasks)) add_placed(root, eviction.tasks);
  eviction.more = eviction.tasks.size() < placed_tasks(root);
  return eviction;
}

const PodSet* set_of(const SubGroup& root, std::uint32_t task) {
  return find_set<const PodSet>(root, task);
}

PodSet* set_of(SubGroup& root, std::uint32_t task) {
  return find_set<PodSet>(root, task);
}

std::size_t placed_tasks(const SubGroup& group) {
  std::size_t count = 0;
  for (const auto& set : group.pod_sets) count += placed_tasks(set);
  for (const auto& g : group.sub_groups) count += placed_tasks(g);
  return count;
}

bool has_minimum(const PodSet& set) {
  return placed_tasks(set) >= as_count(set.min_member);
}

bool has_minimum(const SubGroup& group) {
  return members_ready(group) >= members_needed(group);
}

GangPhase phase_of(const SubGroup& root) {
  auto phase = GangPhase::at_minimum;
  for (const auto& set : root.pod_sets) phase = worst(phase, phase_of(set));
  for (const auto& g : root.sub_groups) phase = worst(phase, policy::phase_of(g));
  return phase;
}

}  // namespace dray::policy
