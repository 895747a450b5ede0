#include "planner/place/gangs.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "dray/policy/gang.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// A joint search is for gangs that one can think through.
constexpr std::size_t joint_members = 64;
constexpr std::size_t joint_steps = 256;
constexpr std::size_t joint_nodes = 12;

/// The members of a group in the order in which they are served.
struct Part {
  const policy::SubGroup* group = nullptr;
  const policy::PodSet* set = nullptr;
  policy::MemberProgress progress;
};

std::size_t placed_in(const policy::PodSet& set) {
  return static_cast<std::size_t>(
      std::ranges::count(set.tasks, policy::TaskState::placed, &policy::GangTask::state));
}

std::size_t minimum_of(const policy::PodSet& set) {
  return static_cast<std::size_t>(std::max(set.min_member, 0));
}

std::size_t ready_members(const policy::SubGroup& group) {
  std::size_t ready = 0;
  for (const auto& sub : group.sub_groups) ready += policy::has_minimum(sub) ? 1U : 0U;
  for (const auto& set : group.pod_sets) {
    ready += placed_in(set) >= minimum_of(set) ? 1U : 0U;
  }
  return ready;
}

std::vector<Part> parts_in_order(const policy::SubGroup& group) {
  std::vector<Part> parts;
  for (const auto& sub : group.sub_groups) {
    const auto needed = sub.min_sub_group
                            ? static_cast<std::size_t>(std::max(*sub.min_sub_group, 0))
                            : sub.sub_groups.size() + sub.pod_sets.size();
    parts.push_back({&sub, nullptr, {sub.name, ready_members(sub), needed}});
  }
  for (const auto& set : group.pod_sets) {
    parts.push_back({nullptr, &set, {set.name, placed_in(set), minimum_of(set)}});
  }
  std::ranges::stable_sort(parts, [](const Part& a, const Part& b) {
    return policy::by_need(a.progress, b.progress) < 0;
  });
  return parts;
}

}  // namespace

std::vector<Placed> PlanPlace::place(PlanJob& job, std::span<const std::uint32_t> chunk,
                                     const NodeSet& among, bool soon) {
  job_ = &job;
  soon_ = soon;
  placed_.clear();
  failure_ = {};
  wanted_.assign(job.tasks.size(), 0);
  for (const auto task : chunk) wanted_[task] = 1;
  const auto mark = overlay_.mark();
  const bool done =
      job.gang ? place_group(*job.gang, among) : place_tasks({&job.tasks[chunk.front()]}, among);
  if (!done) {
    undo(mark, 0);
    return {};
  }
  return std::exchange(placed_, {});
}

void PlanPlace::undo(PlanOverlay::Mark mark, std::size_t placed) {
  overlay_.undo(mark);
  placed_.resize(placed);
}

PlanPlace::Tasks PlanPlace::wanted_in(const policy::PodSet& set) const {
  Tasks tasks;
  for (const auto& task : set.tasks) {
    if (wanted_[task.id] != 0) tasks.push_back(&job_->tasks[task.id]);
  }
  return tasks;
}

PlanPlace::Tasks PlanPlace::wanted_in(const policy::SubGroup& group) const {
  Tasks tasks;
  for (const auto& set : group.pod_sets)
    std::ranges::copy(wanted_in(set), std::back_inserter(tasks));
  for (const auto& sub : group.sub_groups) {
    std::ranges::copy(wanted_in(sub), std::back_inserter(tasks));
  }
  return tasks;
}

void PlanPlace::taken_in(const policy::PodSet& set, std::vector<NodeIndex>& nodes) const {
  for (const auto& task : set.tasks) {
    const auto& member = job_->tasks[task.id];
    if (member.state == policy::TaskState::placed && member.node) nodes.push_back(*member.node);
  }
}

void PlanPlace::taken_in(const policy::SubGroup& group, std::vector<NodeIndex>& nodes) const {
  for (const auto& set : group.pod_sets) taken_in(set, nodes);
  for (const auto& sub : group.sub_groups) taken_in(sub, nodes);
}

/// Tries a part's domains in their order.
template <class Part, class Place>
bool PlanPlace::place_part(const Part& part, const NodeSet& among, const Place& place) {
  const auto tasks = wanted_in(part);
  if (tasks.empty()) return true;
  std::vector<NodeIndex> taken;
  taken_in(part, taken);
  const auto sets = domains_.sets(part.topology, tasks, taken, among);
  if (sets.empty()) failure_ = {tasks.front(), placed_.size(), true, among.nodes};
  for (const auto& set : sets) {
    const auto mark = overlay_.mark();
    const auto placed = placed_.size();
    if (place(tasks, set)) return true;
    undo(mark, placed);
    if (fit_.exhausted()) return false;
  }
  return false;
}

bool PlanPlace::place_group(const policy::SubGroup& group, const NodeSet& among) {
  return place_part(group, among, [&](const Tasks& /*tasks*/, const NodeSet& set) {
    return place_members(group, set);
  });
}

bool PlanPlace::place_members(const policy::SubGroup& group, const NodeSet& among) {
  for (const auto& part : parts_in_order(group)) {
    const bool done =
        part.set != nullptr ? place_set(*part.set, among) : place_group(*part.group, among);
    if (!done) return false;
  }
  return true;
}

bool PlanPlace::place_set(const policy::PodSet& set, const NodeSet& among) {
  return place_part(set, among, [&](const Tasks& tasks, const NodeSet& nodes) {
    return place_tasks(tasks, nodes);
  });
}

bool PlanPlace::place_tasks(const Tasks& tasks, const NodeSet& among) {
  const auto mark = overlay_.mark();
  const auto before = placed_.size();
  const auto in_order = [&](const Tasks& order) {
    return std::ranges::all_of(order, [&](PlanTask* task) { return place_one(*task, among); });
  };
  if (in_order(tasks)) return true;
  if (tasks.size() < 2 || fit_.exhausted()) return false;
  const auto failure = failure_;
  // Those with the least choice first.
  undo(mark, before);
  auto hardest = tasks;
  if (hardest.size() <= joint_members) {
    std::map<PlanTask*, std::size_t> choices;
    for (auto* task : tasks) {
      choices[task] = static_cast<std::size_t>(std::ranges::count_if(
          among.nodes, [&](auto node) { return fit_.verdict(*task, node).soon == Reason::none; }));
    }
    std::ranges::stable_sort(hardest, [&](PlanTask* a, PlanTask* b) {
      return std::tuple(choices[a], -a->need->devices, -a->need->milli_cpu) <
             std::tuple(choices[b], -b->need->devices, -b->need->milli_cpu);
    });
    const bool hopeless = choices[hardest.front()] == 0;
    if (!hopeless && hardest != tasks && in_order(hardest)) return true;
    undo(mark, before);
    if (!hopeless && place_jointly(hardest, among)) return true;
    undo(mark, before);
  }
  failure_ = failure;
  return false;
}

/// A shared claim has as many users as it may have, those included that were just placed.
bool PlanPlace::too_many_users(const PlanTask& task) const {
  return std::ranges::any_of(task.claims, [&](const auto& claim) {
    if (claim->reserved_for.size() + placed_.size() < max_consumers) return false;
    const auto users = std::ranges::count_if(placed_, [&](const Placed& each) {
      return std::ranges::find(each.task->claims, claim) != each.task->claims.end();
    });
    return claim->reserved_for.size() + static_cast<std::size_t>(users) >= max_consumers;
  });
}

bool PlanPlace::place_one(PlanTask& task, const NodeSet& among) {
  if (task.shape == nullptr) {
    failure_ = {&task, placed_.size(), false, among.nodes};
    return false;
  }
  fit_.clear_barred();
  if (too_many_users(task)) {
    failure_ = {&task, placed_.size(), false, among.nodes};
    return false;
  }
  while (const auto choice = fit_.best(*job_, task, among, soon_)) {
    auto placement = fit_.devices(task, *choice);
    if (!placement) {
      fit_.bar(choice->node, placement.error());
      continue;
    }
    overlay_.place(*job_, task, choice->node, *placement, choice->now);
    placed_.push_back({.task = &task,
                       .placement = std::move(*placement),
                       .now = choice->now,
                       .warnings = fit_.warnings(),
                       .why = choice->why,
                       .among = choice->among});
    return true;
  }
  failure_ = {&task, placed_.size(), false, among.nodes};
  return false;
}

/// Members to nodes by depth-first search, each node's devices chosen for all its members at once.
bool PlanPlace::place_jointly(Tasks tasks, const NodeSet& among) {
  const bool any_claims =
      std::ranges::any_of(tasks, [](const auto* task) { return !task->claims.empty(); });
  const bool alike = std::ranges::all_of(
      tasks, [&](const auto* task) { return task->shape == tasks.front()->shape; });
  if (!any_claims && alike) return false;  // each node's room is what it is
  std::vector<std::vector<NodeIndex>> options;
  for (auto* task : tasks) {
    if (task->shape == nullptr) return false;
    std::vector<NodeIndex> nodes;
    for (const auto node : among.nodes) {
      if (fit_.refused(*task, node)) continue;
      const auto seen = fit_.verdict(*task, node);
      if (seen.soon == Reason::none && (soon_ || seen.now == Reason::none)) nodes.push_back(node);
    }
    const auto column = overlay_.nodes().devices_column();
    std::ranges::stable_sort(nodes, {},
                             [&](NodeIndex node) { return overlay_.nodes().free(node)[column]; });
    if (nodes.size() > joint_nodes) nodes.resize(joint_nodes);
    options.push_back(std::move(nodes));
  }
  std::vector<NodeIndex> chosen;
  std::size_t steps = 0;
  const std::function<bool()> search = [&] {
    if (chosen.size() == tasks.size()) return true;
    for (const auto node : options[chosen.size()]) {
      if (++steps > joint_steps) return false;
      chosen.push_back(node);
      if (assign(std::span(tasks).first(chosen.size()), chosen) && search()) return true;
      chosen.pop_back();
    }
    return false;
  };
  const auto mark = overlay_.mark();
  const auto before = placed_.size();
  joint_mark_ = mark;
  joint_before_ = before;
  if (search()) return true;
  undo(mark, before);
  return false;
}

bool PlanPlace::assign(std::span<PlanTask* const> tasks, std::span<const NodeIndex> nodes) {
  undo(joint_mark_, joint_before_);
  std::map<NodeIndex, Tasks> groups;
  for (std::size_t i = 0; i < tasks.size(); ++i) groups[nodes[i]].push_back(tasks[i]);
  return std::ranges::all_of(
      groups, [&](const auto& group) { return put_together(group.second, group.first); });
}

bool PlanPlace::put_together(std::span<PlanTask* const> tasks, NodeIndex node) {
  for (const bool now : {true, false}) {
    if (!now && !soon_) return false;
    // Where one goes that is moved, its old place is gone.
    if (now && tasks.front()->state == policy::TaskState::yielding) continue;
    const auto found = fit_.devices_together(tasks, {.node = node, .now = now});
    if (!found) continue;
    const auto mark = overlay_.mark();
    const auto before = placed_.size();
    bool fits = true;
    for (std::size_t i = 0; i < tasks.size() && fits; ++i) {
      const auto& state = now ? overlay_.now() : overlay_.soon();
      fits = tasks[i]->shape->fit.check(state, node) == Reason::none &&
             fit_.given_elsewhere(state, *tasks[i], node) == Reason::none &&
             !too_many_users(*tasks[i]);
      if (!fits) break;
      overlay_.place(*job_, *tasks[i], node, (*found)[i], now);
      placed_.push_back({.task = tasks[i],
                         .placement = (*found)[i],
                         .now = now,
                         .why = "chosen for the gang's pods together"});
    }
    if (fits) return true;
    undo(mark, before);
  }
  return false;
}

}  // namespace dray::planner
