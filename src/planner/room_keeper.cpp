#include "planner/room_keeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "dray/base/saturating_time.h"
#include "dray/policy/capacity.h"
#include "dray/policy/reclaim.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// Searches for room in one plan.
constexpr std::size_t most_searches = 4;

bool asks_for_all(const Task& task) {
  return std::ranges::any_of(task.claims, [](const auto& claim) {
    return std::ranges::any_of(claim->spec.requests, [](const auto& request) {
      return request.exactly && request.exactly->allocation_mode == "All";
    });
  });
}

}  // namespace

RoomKeeper::RoomKeeper(const PlanContext& context, JobTable& jobs, Overlay& overlay, Placer& placer,
                       Decisions& decisions, PlanMemory& memory)
    : context_(context),
      jobs_(jobs),
      overlay_(overlay),
      placer_(placer),
      decisions_(decisions),
      memory_(memory),
      order_(overlay.queues(), context.total, context.input.now, context.policy.config.aging, {}),
      again_at_(context.input.now) {}

RoomSearch& RoomKeeper::search() {
  if (!search_) search_ = std::make_unique<RoomSearch>(context_, jobs_, overlay_, memory_);
  return *search_;
}

const PlanJob* RoomKeeper::begin(std::span<PlanJob* const> waiting, bool place) {
  if (!place || context_.input.only) {
    reserve_given();
    return nullptr;
  }
  collect_due(waiting);
  const PlanJob* started = nullptr;
  if (context_.input.kept) started = resume(waiting);
  if (!kept_) choose();
  return started;
}

/// What the last plan kept, of pods that have no room since.
void RoomKeeper::reserve_given() {
  const auto& given = context_.input.kept;
  auto* job = given ? jobs_.find(given->job) : nullptr;
  if (job == nullptr) return;
  std::vector<char> asked(overlay_.nodes().size(), 0);
  for (const auto node : placer_.fit().everywhere().nodes) asked[node.get()] = 1;
  RoomSearch::Found found;
  found.complete = given->complete;
  for (const auto& placement : given->placements) {
    const auto task = std::ranges::find_if(
        job->tasks, [&](const Task& each) { return each.pod().meta.uid == placement.pod_uid; });
    if (task == job->tasks.end() || task->state != policy::TaskState::pending) continue;
    if (!context_.input.snapshot->node(placement.node)) continue;
    auto& placed = found.placed.emplace_back();
    placed.task = &*task;
    placed.placement = placement;
  }
  if (!found.placed.empty()) keep(*job, std::move(found));
}

Time RoomKeeper::due(const PlanJob& job) const {
  return saturating_add(job.job->queued, context_.policy.config.gangs.reserve_after);
}

/// Whether the job is one for which room is kept: it has not started, and what single pods leave
/// when they end does not do for it.
bool RoomKeeper::wants(const PlanJob& job, std::span<const std::uint32_t> chunk) const {
  if (chunk.empty() || !has_shapes(job, chunk) || (job.placed > 0 && job.has_minimum())) {
    return false;
  }
  if (chunk.size() > 1) return true;
  const auto& task = job.tasks[chunk.front()];
  if (task.demand->devices > 1 || task.shape->partial || asks_for_all(task)) return true;
  // Most of a node: two such pods find no room on one.
  const auto& nodes = std::as_const(overlay_).nodes();
  const auto& asked = task.demand->use.requested;
  return std::ranges::none_of(nodes.by_name(), [&](NodeIndex node) {
    if (task.demand->devices > 0 && nodes.capacity(node)[nodes.devices_column()] <= 0) return false;
    const auto& has = *context_.input.snapshot->entry(node).facts->allocatable;
    return asked.milli_cpu <= has.milli_cpu / 2 && asked.memory <= has.memory / 2;
  });
}

/// Whether its queue lets the job start, and does not have to give it back at once.
bool RoomKeeper::may_have(const PlanJob& job, std::span<const std::uint32_t> chunk) const {
  const auto& queues = decisions_.queues();
  const auto least = job.least_of(chunk, queues.resources());
  if (policy::check_capacity(queues, *job.queue, least, job.job->preemptible)) return false;
  const auto counts = job.counts_of(chunk, queues.resources());
  return !context_.policy.config.reclaim.enabled ||
         policy::may_reclaim(queues, {*job.queue, counts, job.job->preemptible});
}

/// The job gets its room, idle or being released.
bool RoomKeeper::starts(PlanJob& job, std::span<const std::uint32_t> chunk) {
  const auto placed = search().now(job, chunk);
  if (!placed) return false;
  const bool idle =
      std::ranges::all_of(*placed, [](const Placed& each) { return each.room == Room::idle; });
  if (idle) {
    decisions_.start(job, *placed, overlay_.queues());
  } else {
    decisions_.hold(job, *placed, overlay_.queues());
  }
  return true;
}

/// The job of the last plan starts, or has its room kept further on; the job if it starts.
const PlanJob* RoomKeeper::resume(std::span<PlanJob* const> waiting) {
  auto* job = jobs_.find(context_.input.kept->job);
  if (job == nullptr || std::ranges::find(waiting, job) == waiting.end()) return nullptr;
  if (decisions_.find(*job) != nullptr || due(*job) > context_.input.now) return nullptr;
  const auto chunk = job->next_chunk();
  if (!wants(*job, chunk) || !may_have(*job, chunk)) return nullptr;
  if (starts(*job, chunk)) return job;
  auto found = find_again(*job, chunk);
  if (!found) return nullptr;
  const bool late = overdue(*found);
  if (yields(*job, *found, late)) {
    if (late) hopeless_.push_back(job);
    return nullptr;
  }
  // The bound that was given stands: whom it let in has ended by then.
  if (const auto before = context_.input.kept->complete; before && found->complete) {
    found->complete = std::min(*found->complete, *before);
  }
  keep(*job, *std::move(found));
  kept_->since = context_.input.kept->since;
  return nullptr;
}

/// Pods that have come since are waited for only if those that were there before do not suffice.
std::optional<RoomSearch::Found> RoomKeeper::find_again(PlanJob& job,
                                                        std::span<const std::uint32_t> chunk) {
  const auto& kept = *context_.input.kept;
  const auto before = [&](const Task& task) {
    return std::ranges::binary_search(kept.in_the_way, task.pod().meta.uid);
  };
  const auto here = [&](const Task& task) {
    const auto& name = context_.input.snapshot->name(*task.node);
    return std::ranges::find(kept.placements, name, &Placement::node) != kept.placements.end();
  };
  const auto look = [&](const auto& wanted) {
    return search().once_ended(job, chunk,
                               search().endings([&](const PlanJob& other, const Task& task) {
                                 return &other != &job && wanted(other, task);
                               }));
  };
  auto found = look([&](const PlanJob&, const Task& task) { return before(task); });
  if (!found && kept.complete) {
    found = look([&](const PlanJob& other, const Task& task) {
      const auto end = latest_end(other, task);
      return before(task) || (end && *end <= *kept.complete && here(task));
    });
  }
  if (!found) {
    found = look([&](const PlanJob&, const Task& task) { return before(task) || here(task); });
  }
  return found;
}

/// Before anybody is placed: whoever's turn comes first, the room is kept.
void RoomKeeper::choose() {
  auto left = due_;
  for (auto& first : left) {
    std::erase_if(first, [&](PlanJob* job) {
      const auto chunk = job->next_chunk();
      return !wants(*job, chunk) || !may_have(*job, chunk);
    });
  }
  while (!kept_ && searches_ < most_searches) {
    std::vector<PlanJob*>* best = nullptr;
    for (auto& first : left) {
      if (first.empty()) continue;
      if (best == nullptr || precedes(*first.front(), *best->front())) best = &first;
    }
    if (best == nullptr) return;
    auto* job = best->front();
    best->erase(best->begin());
    if (decisions_.find(*job) != nullptr || is_hopeless(*job)) continue;
    const auto chunk = job->next_chunk();
    // Those that could start have their turn.
    const auto mark = overlay_.mark();
    const bool fits = search().now(*job, chunk).has_value();
    overlay_.undo(mark);
    if (!fits) search_for(*job, chunk);
  }
}

void RoomKeeper::refused(PlanJob& job, std::span<const std::uint32_t> chunk) {
  const auto& input = context_.input;
  if (kept_ || input.only || searches_ >= 2 * most_searches || placer_.fit().exhausted()) return;
  if (!wants(job, chunk) || is_hopeless(job)) return;
  if (due(job) > input.now) return again_at_.add(due(job));
  if (may_have(job, chunk)) search_for(job, chunk);
}

void RoomKeeper::search_for(PlanJob& job, std::span<const std::uint32_t> chunk) {
  ++searches_;
  bool others_first = false;
  auto found = search().anywhere(job, chunk, [&](const RoomSearch::Found& room) {
    return others_first = contested(job, room) || yields(job, room, false);
  });
  if (found) {
    keep(job, *std::move(found));
  } else if (!others_first) {
    hopeless_.push_back(&job);
  }
}

bool RoomKeeper::ends_in_time(const PlanJob& job, std::span<const std::uint32_t> chunk) const {
  if (!kept_->complete) return false;
  return std::ranges::all_of(chunk, [&](auto id) {
    const auto longest = job.tasks[id].pod().longest_run();
    return longest && saturating_add(context_.input.now, *longest) <= *kept_->complete;
  });
}

std::expected<std::vector<Placed>, NoRoom> RoomKeeper::place(PlanJob& job,
                                                             std::span<const std::uint32_t> chunk) {
  const auto place = [&] {
    return placer_.place(job, chunk, placer_.fit().everywhere(), Room::releasing);
  };
  if (!kept_) return place();
  if (kept_->job == &job) {
    const Lifted lifted(*this);
    auto placed = place();
    if (placed) drop();
    return placed;
  }
  auto placed = place();
  if (placed || !ends_in_time(job, chunk)) return placed;
  const Lifted lifted(*this);
  if (auto again = place()) return again;
  return placed;
}

/// Calls `look` while the room is not reserved; whatever it places is taken back.
template <class Look>
auto RoomKeeper::without_room(const Look& look) {
  const auto mark = overlay_.mark();
  lift();
  auto seen = look();
  overlay_.undo(mark);
  lifted_ = 0;
  decisions_.keep_nodes(kept_->nodes);
  return seen;
}

bool RoomKeeper::would_fit(PlanJob& job, std::span<const std::uint32_t> chunk, NoRoom& failure) {
  auto placed = without_room(
      [&] { return placer_.place(job, chunk, placer_.fit().everywhere(), Room::releasing); });
  if (!placed) failure = std::move(placed.error());
  return placed.has_value();
}

bool RoomKeeper::takes(const PlanJob& job, NodeIndex node) {
  constexpr std::uint32_t first = 0;
  return placer_.fit().verdict(job.tasks.front(), node).in(Room::idle) == Reason::none ||
         ends_in_time(job, {&first, 1});
}

std::vector<NodeIndex> RoomKeeper::nodes_for(const Task& task) {
  if (!kept_) return {};
  return without_room([&] {
    std::vector<NodeIndex> nodes;
    std::ranges::copy_if(kept_->nodes, std::back_inserter(nodes), [&](NodeIndex node) {
      return placer_.fit().verdict(task, node).releasing == Reason::none;
    });
    return nodes;
  });
}

void RoomKeeper::keep(PlanJob& job, RoomSearch::Found found) {
  kept_ = Kept{};
  auto& kept = *kept_;
  kept.job = &job;
  kept.placed = std::move(found.placed);
  kept.complete = found.complete;
  kept.since = context_.input.now;
  for (const auto& pod : found.in_the_way) kept.in_the_way.push_back(pod.task->pod().meta.uid);
  std::ranges::sort(kept.in_the_way);
  kept.nodes = nodes_of(context_.input, kept.placed);
  lifted_ = 1;
  restore();
}

void RoomKeeper::lift() {
  if (!kept_ || lifted_++ > 0) return;
  for (const auto& each : kept_->placed) {
    const auto node = *context_.input.snapshot->node(each.placement.node);
    overlay_.unreserve(*each.task, node, each.placement);
  }
  decisions_.keep_nodes({});
}

void RoomKeeper::restore() {
  if (!kept_ || --lifted_ > 0) return;
  for (const auto& each : kept_->placed) {
    const auto node = *context_.input.snapshot->node(each.placement.node);
    overlay_.reserve(*each.task, node, each.placement);
  }
  decisions_.keep_nodes(kept_->nodes);
}

std::optional<KeptRoom> RoomKeeper::kept() const {
  if (!kept_ || context_.input.only) return std::nullopt;
  KeptRoom room{.job = kept_->job->job->uid,
                .placements = {},
                .in_the_way = kept_->in_the_way,
                .complete = kept_->complete,
                .since = kept_->since};
  room.placements.reserve(kept_->placed.size());
  for (const auto& each : kept_->placed) room.placements.push_back(each.placement);
  return room;
}

}  // namespace dray::planner
