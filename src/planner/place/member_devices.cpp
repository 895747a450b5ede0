#include "planner/place/member_devices.h"

#include <algorithm>
#include <utility>

namespace dray::planner {
namespace {

using cluster::NodeIndex;
using policy::Amounts;

/// So much of what a placed member takes is not there without it.
Amounts on_top_of(const Task& task, const PodDemand& takes) {
  return task.state == policy::TaskState::yielding ? takes.freed() : takes.counts;
}

Amounts least_of(std::span<const Task* const> tasks, std::size_t resources) {
  Amounts least(resources);
  for (const auto* task : tasks) least += task->least_on_top();
  return least;
}

/// Whether one of the members has the claim, and it counts for that one.
bool counts_for(std::span<const Task* const> tasks, const ResourceClaim& claim) {
  return std::ranges::any_of(tasks, [&](const Task* task) {
    for (std::size_t i = 0; i < task->claims.size() && i < 64; ++i) {
      if (task->claims[i].get() == &claim) return (task->wanted().counted >> i & 1U) != 0;
    }
    return false;
  });
}

}  // namespace

Amounts MemberChoice::on_top(std::span<const Task* const> tasks) const {
  auto sum = on_top_of(*tasks.front(), *takes.front());
  for (std::size_t i = 1; i < tasks.size(); ++i) sum += on_top_of(*tasks[i], *takes[i]);
  return sum;
}

MemberChoice MemberDevices::with_takes(std::span<const Task* const> tasks, ChosenDevices chosen) {
  MemberChoice made{.devices = std::move(chosen), .takes = {}};
  made.takes.reserve(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    made.takes.push_back(jobs_.demand_of(*tasks[i], made.devices.placements[i]));
  }
  return made;
}

std::optional<MemberChoice> MemberDevices::choose_within(std::span<const Task* const> tasks,
                                                         NodeIndex node, Room room, Amounts most) {
  const auto& state = overlay_.view(room);
  for (const auto* task : tasks) {
    most -= jobs_.settled_part(*task, state);
    if (task->state == policy::TaskState::yielding) most += task->wanted().stays;
  }
  const DeviceBound bound{
      .counting = jobs_.counting(), .most = most, .counts = [&](const ResourceClaim& claim) {
        return counts_for(tasks, claim);
      }};
  auto chosen = devices_.choose(state, tasks, node, &bound);
  if (!chosen) return std::nullopt;
  return with_takes(tasks, *std::move(chosen));
}

std::expected<MemberChoice, NoMemberChoice> MemberDevices::choose(
    std::span<const Task* const> tasks, NodeIndex node, Room room, const ChunkBounds& bounds) {
  const bool exact = std::ranges::all_of(tasks, &Task::takes_what_it_asks);
  const bool bounded = bounds.any() && !exact;
  const auto least = bounded ? least_of(tasks, overlay_.queues().resources()) : Amounts();
  const auto left = bounded ? bounds.left(least) : Amounts();
  const auto& shape = *tasks.front()->shape;
  const auto stamp = std::as_const(overlay_).nodes().stamp(node);
  const Key key{shape.number, node, room};
  const bool remembers = bounded && tasks.size() == 1 && !shape.singular;
  if (remembers) {
    const auto known = refused_.find(key);
    if (known != refused_.end() && known->second.stamp == stamp &&
        left.within(known->second.left)) {
      return std::unexpected(NoMemberChoice{Reason::queue_limit, known->second.refusal});
    }
  }
  // Where smaller choices were asked for, the smallest comes first.
  if (bounded && bounds.thrifty() && fit_.try_again()) {
    if (auto made = choose_within(tasks, node, room, least)) return *std::move(made);
  }
  auto chosen = devices_.choose(overlay_.view(room), tasks, node);
  if (!chosen) return std::unexpected(NoMemberChoice{chosen.error().reason, std::nullopt});
  auto made = with_takes(tasks, *std::move(chosen));
  if (!bounded) return made;
  auto refusal = bounds.refuse(made.on_top(tasks), least);
  if (!refusal) return made;
  // Who allocates for one pod at a time takes what it prefers.
  if (!devices_.chosen_for_one_pod() && fit_.try_again()) {
    auto within = choose_within(tasks, node, room, left);
    if (within && !bounds.refuse(within->on_top(tasks), least)) return *std::move(within);
  }
  if (remembers) refused_.insert_or_assign(key, Refused{stamp, left, *refusal});
  return std::unexpected(NoMemberChoice{Reason::queue_limit, refusal});
}

}  // namespace dray::planner
