#include "planner/room_search.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "dray/base/saturating_time.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// Of a gang whose members all differ, so many are asked where they could go at all.
constexpr std::size_t most_shapes = 4;

PlanInput without_budget(const PlanInput& input) {
  PlanInput own;
  own.snapshot = input.snapshot;
  own.policy = input.policy;
  own.refused = input.refused;
  own.budget = PlanBudget::unbounded();
  own.now = input.now;
  return own;
}

std::set<NodeIndex> nodes_with(std::span<const Placed> placed) {
  std::set<NodeIndex> nodes;
  for (const auto& each : placed) {
    if (each.task->node) nodes.insert(*each.task->node);
  }
  return nodes;
}

/// When all of them have ended at the latest.
std::optional<Time> last_end(std::span<const RoomSearch::Ending> pods, Time now) {
  for (const auto& pod : pods) {
    if (!pod.at) return std::nullopt;
    now = std::max(now, *pod.at);
  }
  return now;
}

}  // namespace

std::optional<Time> latest_end(const PlanJob& job, const Task& task) {
  const auto longest = task.pod().longest_run();
  const auto since = task.pod().start_time ? task.pod().start_time : job.job->started;
  if (!longest || !since) return std::nullopt;
  return saturating_add(*since, *longest);
}

std::vector<NodeIndex> nodes_of(const PlanInput& input, std::span<const Placed> placed) {
  std::vector<NodeIndex> nodes;
  for (const auto& each : placed) nodes.push_back(*input.snapshot->node(each.placement.node));
  std::ranges::sort(nodes);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool has_shapes(const PlanJob& job, std::span<const std::uint32_t> chunk) {
  return std::ranges::all_of(chunk, [&](auto id) { return job.tasks[id].shape != nullptr; });
}

RoomSearch::RoomSearch(const PlanContext& context, JobTable& jobs, Overlay& overlay,
                       PlanMemory& memory)
    : jobs_(jobs),
      overlay_(overlay),
      input_(without_budget(context.input)),
      context_{input_, context.policy, context.total},
      placer_(context_, jobs, overlay, memory.allocator(), memory.verdicts(), rankings_),
      reprieve_(context_, jobs, overlay, placer_) {}

/// By node: whether a member could go there, were others gone.
std::vector<char> RoomSearch::eligible_nodes(PlanJob& job, std::span<const std::uint32_t> chunk) {
  std::vector<const Task*> kinds;
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    const bool known =
        std::ranges::any_of(kinds, [&](const Task* kind) { return kind->shape == task.shape; });
    if (!known) kinds.push_back(&task);
    if (kinds.size() == most_shapes) break;
  }
  std::vector<char> eligible(overlay_.nodes().size(), 0);
  for (const auto node : placer_.fit().everywhere().nodes) {
    const bool any = std::ranges::any_of(kinds, [&](const Task* task) {
      if (placer_.fit().refused(*task, node)) return false;
      const auto reason = placer_.fit().verdict(*task, node).releasing;
      return reason == Reason::none || reason_info(reason).eviction_helps;
    });
    eligible[node.get()] = any ? 1 : 0;
  }
  return eligible;
}

/// Whether these nodes have in all what the members ask for: a bound, no search.
bool RoomSearch::large_enough(const PlanJob& job, std::span<const std::uint32_t> chunk,
                              std::span<const char> eligible) const {
  const auto& nodes = std::as_const(overlay_).nodes();
  std::vector<double> lacks(nodes.columns(), 0);
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    // A device that is shared is worth more than one.
    if (task.shape->partial || task.shape->singular) return true;
    add_demand(lacks, *task.demand, -1);
  }
  for (auto& lack : lacks) lack = -lack;
  for (const auto node : nodes.by_name()) {
    if (eligible[node.get()] == 0) continue;
    const auto row = nodes.capacity(node);
    for (std::size_t i = 0; i < row.size(); ++i) lacks[i] -= row[i];
  }
  return std::ranges::all_of(lacks, [](double lack) { return lack <= 0; });
}

std::vector<RoomSearch::Ending> RoomSearch::endings(
    const std::function<bool(const PlanJob&, const Task&)>& wanted) const {
  std::vector<Ending> pods;
  struct OpenEnds {
    std::uint32_t pods = 0;
    Duration longest{};  ///< that one of them has run

    auto operator<=>(const OpenEnds&) const = default;
  };
  std::vector<OpenEnds> of_node(overlay_.nodes().size());
  for (auto* job : jobs_.all()) {
    if (job->placed == 0) continue;
    for (auto& task : job->tasks) {
      const bool runs = task.state == policy::TaskState::placed && task.node && !task.just_placed();
      if (!runs || task.demand == nullptr || !wanted(*job, task)) continue;
      pods.push_back({.job = job, .task = &task, .at = latest_end(*job, task)});
      if (pods.back().at) continue;
      auto& open = of_node[task.node->get()];
      ++open.pods;
      open.longest = std::max(open.longest, input_.now - job->job->started.value_or(input_.now));
    }
  }
  const auto& nodes = std::as_const(overlay_).nodes();
  const auto rank = [&](const Ending& pod) {
    const auto node = *pod.task->node;
    const auto since = pod.job->job->started.value_or(Time::max());
    return std::tuple(!pod.at, pod.at.value_or(Time()), pod.at ? OpenEnds() : of_node[node.get()],
                      -nodes.free(node)[nodes.devices_column()], nodes.rank(node), since,
                      pod.job->order, pod.task);
  };
  std::ranges::sort(pods, {}, rank);
  return pods;
}

void RoomSearch::end(std::span<const Ending> pods) {
  for (const auto& pod : pods) overlay_.evict(*pod.job, *pod.task);
}

std::optional<std::vector<Placed>> RoomSearch::now(PlanJob& job,
                                                   std::span<const std::uint32_t> chunk) {
  auto placed = placer_.place(job, chunk, placer_.fit().everywhere(), Room::releasing);
  if (!placed) return std::nullopt;
  return *std::move(placed);
}

/// As few of the pods end as will do, from the first on: `needed`. They have ended on the overlay,
/// and the job is placed there; without a place it is as it was.
std::optional<std::vector<Placed>> RoomSearch::place_once_ended(
    PlanJob& job, std::span<const std::uint32_t> chunk, std::span<const Ending> pods,
    std::size_t& needed) {
  const auto before = overlay_.mark();
  const auto try_with = [&](std::size_t count) -> std::optional<std::vector<Placed>> {
    overlay_.undo(before);
    end(pods.first(count));
    return now(job, chunk);
  };
  std::size_t fails = 0;
  std::size_t works = 1;
  auto found = try_with(std::min(works, pods.size()));
  while (!found && works < pods.size()) {
    fails = works;
    works = std::min(2 * works, pods.size());
    found = try_with(works);
  }
  if (!found) {
    overlay_.undo(before);
    return std::nullopt;
  }
  works = std::min(works, pods.size());
  bool current = true;
  while (works > fails + 1) {
    const auto middle = fails + (works - fails) / 2;
    if (auto better = try_with(middle)) {
      found = std::move(better);
      works = middle;
      current = true;
    } else {
      fails = middle;
      current = false;
    }
  }
  if (!current) found = try_with(works);
  needed = works;
  if (!found) overlay_.undo(before);
  return found;
}

/// Of the pods that have ended on the overlay: those whose room the job needs.
std::vector<RoomSearch::Ending> RoomSearch::leave_others(std::span<const Ending> pods,
                                                         std::span<const Placed> placed) {
  const auto nodes = nodes_with(placed);
  std::vector<Ending> needed;
  for (std::size_t i = pods.size(); i-- > 0;) {
    const auto& pod = pods[i];
    if (!nodes.contains(*pod.task->node)) continue;
    auto* const task = pod.task;
    if (pod.job->queue && reprieve_.stay(*pod.job, std::span(&task, 1))) continue;
    needed.push_back(pod);
  }
  return needed;
}

std::optional<RoomSearch::Found> RoomSearch::once_ended(PlanJob& job,
                                                        std::span<const std::uint32_t> chunk,
                                                        std::span<const Ending> pods) {
  const auto before = overlay_.mark();
  std::size_t count = 0;
  auto placed = place_once_ended(job, chunk, pods, count);
  if (!placed) return std::nullopt;
  Found found;
  found.in_the_way = leave_others(pods.first(count), *placed);
  found.complete = last_end(found.in_the_way, input_.now);
  found.placed = *std::move(placed);
  for (auto& each : found.placed) each.room = Room::releasing;
  overlay_.undo(before);
  return found;
}

std::optional<RoomSearch::Found> RoomSearch::anywhere(PlanJob& job,
                                                      std::span<const std::uint32_t> chunk,
                                                      const Contested& contested) {
  const auto eligible = eligible_nodes(job, chunk);
  if (!large_enough(job, chunk, eligible)) return std::nullopt;
  const auto pods = endings([&](const PlanJob& other, const Task& task) {
    return &other != &job && eligible[task.node->get()] != 0;
  });
  auto found = once_ended(job, chunk, pods);
  if (!found || !contested) return found;
  const auto before = overlay_.mark();
  end(found->in_the_way);
  const bool unfair = contested(*found);
  overlay_.undo(before);
  if (unfair) return std::nullopt;
  return found;
}

}  // namespace dray::planner
