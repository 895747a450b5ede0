#include "planner/place/gangs.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "dray/model/claim_limits.h"
#include "dray/policy/gang.h"
#include "planner/state/claim_use.h"

namespace dray::planner {
namespace {

using cluster::NodeIndex;

/// A joint search is for gangs that one can think through.
constexpr std::size_t joint_members = 64;
constexpr std::size_t joint_steps = 256;
constexpr std::size_t joint_nodes = 12;

using Tasks = std::vector<Task*>;

}  // namespace

/// One placing of a chunk.
class GangPlacer::Run {
 public:
  Run(GangPlacer& placer, PlanJob& job, std::span<const std::uint32_t> chunk, Room room,
      const ChunkBounds& bounds)
      : fit_(placer.fit_),
        devices_(placer.devices_),
        choice_(placer.choice_),
        domains_(placer.domains_),
        overlay_(placer.overlay_),
        members_(placer.members_),
        job_(job),
        wanted_(job.tasks.size(), 0),
        room_(room),
        bounds_(bounds) {
    for (const auto task : chunk) wanted_[task] = 1;
  }

  bool place_group(const policy::SubGroup& group, const NodeSet& among);
  bool place_tasks(const Tasks& tasks, const NodeSet& among);

  [[nodiscard]] std::vector<Placed> take_placed() { return std::move(placed_); }
  [[nodiscard]] NoRoom take_failure() { return std::move(failure_); }

 private:
  template <class Part, class Place>
  bool place_part(const Part& part, const NodeSet& among, const Place& place);
  bool place_members(const policy::SubGroup& group, const NodeSet& among);
  bool place_set(const policy::PodSet& set, const NodeSet& among);
  bool place_hardest_first(Tasks tasks, const NodeSet& among);
  [[nodiscard]] bool too_many_users(const Task& task) const;
  bool place_one(Task& task);
  bool place_jointly(const Tasks& tasks, const NodeSet& among);
  [[nodiscard]] std::vector<NodeIndex> joint_options(const Task& task, const NodeSet& among);
  bool assign(std::span<Task* const> tasks, std::span<const NodeIndex> nodes);
  bool put_together(std::span<Task* const> tasks, NodeIndex node);
  bool put_together(std::span<Task* const> tasks, NodeIndex node, Room room);
  [[nodiscard]] Tasks wanted_in(const policy::SubGroup& group) const;
  [[nodiscard]] Tasks wanted_in(const policy::PodSet& set) const;
  void taken_in(const policy::SubGroup& group, std::vector<NodeIndex>& nodes) const;
  void taken_in(const policy::PodSet& set, std::vector<NodeIndex>& nodes) const;

  void put(Task& task, NodeIndex node, Room room, MemberChoice& choice, std::size_t i,
           const ChosenFor& chosen);

  struct Mark {
    Overlay::Mark overlay;
    std::size_t placed;
    ChunkBounds::Mark bounds;
  };
  [[nodiscard]] Mark mark() const { return {overlay_.mark(), placed_.size(), bounds_.mark()}; }
  void undo(const Mark& mark) {
    overlay_.undo(mark.overlay);
    placed_.resize(mark.placed);
    bounds_.undo(mark.bounds);
  }

  Fit& fit_;
  Devices& devices_;
  NodeChoice& choice_;
  Domains& domains_;
  Overlay& overlay_;
  MemberDevices& members_;
  PlanJob& job_;
  NodeRankings* rankings_ = nullptr;  ///< of the set into which members are being placed
  std::vector<char> wanted_;          ///< by task
  Room room_;
  ChunkBounds bounds_;
  std::vector<Placed> placed_;
  NoRoom failure_;
};

std::expected<std::vector<Placed>, NoRoom> GangPlacer::place(PlanJob& job,
                                                             std::span<const std::uint32_t> chunk,
                                                             const NodeSet& among, Room room,
                                                             const policy::Amounts* most) {
  for (const auto id : chunk) {
    // Its claims are not there yet: nothing says where it fits.
    if (job.tasks[id].shape == nullptr) {
      return std::unexpected(NoRoom{.task = &job.tasks[id], .among = among.nodes});
    }
  }
  const auto mark = overlay_.mark();
  std::vector<const Task*> tasks;
  tasks.reserve(chunk.size());
  for (const auto id : chunk) tasks.push_back(&job.tasks[id]);
  NoRoom failure;
  // What some take more than they must others may lack: then each is to take little.
  for (const bool thrifty : {false, true}) {
    Run run(*this, job, chunk, room, ChunkBounds(overlay_, job, tasks, most, thrifty));
    const bool done = job.gang ? run.place_group(*job.gang, among)
                               : run.place_tasks({&job.tasks[chunk.front()]}, among);
    if (done) return run.take_placed();
    overlay_.undo(mark);
    if (!thrifty) failure = run.take_failure();
    if (!failure.over || chunk.size() == 1 || devices_.chosen_for_one_pod()) break;
  }
  return std::unexpected(std::move(failure));
}

Tasks GangPlacer::Run::wanted_in(const policy::PodSet& set) const {
  Tasks tasks;
  for (const auto& task : set.tasks) {
    if (wanted_[task.id] != 0) tasks.push_back(&job_.tasks[task.id]);
  }
  return tasks;
}

Tasks GangPlacer::Run::wanted_in(const policy::SubGroup& group) const {
  Tasks tasks;
  for (const auto& set : group.pod_sets)
    std::ranges::copy(wanted_in(set), std::back_inserter(tasks));
  for (const auto& sub : group.sub_groups) {
    std::ranges::copy(wanted_in(sub), std::back_inserter(tasks));
  }
  return tasks;
}

void GangPlacer::Run::taken_in(const policy::PodSet& set, std::vector<NodeIndex>& nodes) const {
  for (const auto& task : set.tasks) {
    const auto& member = job_.tasks[task.id];
    if (member.state == policy::TaskState::placed && member.node) nodes.push_back(*member.node);
  }
}

void GangPlacer::Run::taken_in(const policy::SubGroup& group, std::vector<NodeIndex>& nodes) const {
  for (const auto& set : group.pod_sets) taken_in(set, nodes);
  for (const auto& sub : group.sub_groups) taken_in(sub, nodes);
}

/// Tries a part's domains in their order.
template <class Part, class Place>
bool GangPlacer::Run::place_part(const Part& part, const NodeSet& among, const Place& place) {
  const auto tasks = wanted_in(part);
  if (tasks.empty()) return true;
  const auto try_in = [&](const NodeSet& set) {
    const auto before = mark();
    if (place(tasks, set)) return true;
    undo(before);
    return false;
  };
  if (Domains::anywhere(part.topology)) return try_in(among);
  std::vector<NodeIndex> taken;
  taken_in(part, taken);
  const auto sets = domains_.sets(part.topology, tasks, taken, among);
  if (sets.empty()) {
    failure_ = {
        .task = tasks.front(), .placed = placed_.size(), .no_domain = true, .among = among.nodes};
  }
  for (const auto& set : sets) {
    if (try_in(set)) return true;
    if (fit_.exhausted()) return false;
  }
  return false;
}

bool GangPlacer::Run::place_group(const policy::SubGroup& group, const NodeSet& among) {
  return place_part(group, among, [&](const Tasks& /*tasks*/, const NodeSet& set) {
    return place_members(group, set);
  });
}

bool GangPlacer::Run::place_members(const policy::SubGroup& group, const NodeSet& among) {
  return std::ranges::all_of(policy::members_in_order(group, policy::by_need),
                             [&](const policy::GroupMember& member) {
                               return member.set != nullptr ? place_set(*member.set, among)
                                                            : place_group(*member.group, among);
                             });
}

bool GangPlacer::Run::place_set(const policy::PodSet& set, const NodeSet& among) {
  return place_part(set, among, [&](const Tasks& tasks, const NodeSet& nodes) {
    return place_tasks(tasks, nodes);
  });
}

bool GangPlacer::Run::place_tasks(const Tasks& tasks, const NodeSet& among) {
  rankings_ = &choice_.rankings(among);
  const auto before = mark();
  const bool done = std::ranges::all_of(tasks, [&](Task* task) { return place_one(*task); });
  if (done) return true;
  if (tasks.size() < 2 || tasks.size() > joint_members || fit_.exhausted()) return false;
  // Nobody was placed before it: another order changes nothing.
  if (failure_.nowhere && placed_.size() == before.placed) return false;
  undo(before);
  const auto failure = failure_;
  if (place_hardest_first(tasks, among)) return true;
  undo(before);
  failure_ = failure;
  return false;
}

/// Those with the least choice first; then all together.
bool GangPlacer::Run::place_hardest_first(Tasks tasks, const NodeSet& among) {
  const auto written = tasks;
  std::map<const Shape*, std::size_t> choices;
  for (const auto* task : tasks) {
    const auto [known, first] = choices.try_emplace(task->shape.get());
    if (!first) continue;
    known->second = static_cast<std::size_t>(std::ranges::count_if(among.nodes, [&](auto node) {
      return fit_.verdict(*task, node).releasing == Reason::none;
    }));
    if (known->second == 0) return false;
  }
  std::ranges::stable_sort(tasks, [&](const Task* a, const Task* b) {
    return std::tuple(choices[a->shape.get()], -a->demand->devices, -a->demand->milli_cpu) <
           std::tuple(choices[b->shape.get()], -b->demand->devices, -b->demand->milli_cpu);
  });
  const auto before = mark();
  if (tasks != written) {
    const bool done = std::ranges::all_of(tasks, [&](Task* task) { return place_one(*task); });
    if (done) return true;
  }
  undo(before);
  // Whoever allocates for one pod at a time finds no devices that suit several.
  return !devices_.chosen_for_one_pod() && place_jointly(tasks, among);
}

/// A shared claim has as many users as it may have, those included that were just placed.
bool GangPlacer::Run::too_many_users(const Task& task) const {
  return std::ranges::any_of(task.claims, [&](const auto& claim) {
    if (claim->reserved_for.size() + placed_.size() < max_consumers) return false;
    const auto& pod = task.pod();
    const auto stands_for = [&](const Placed& each) {
      return std::ranges::find(each.task->claims, claim) != each.task->claims.end() &&
             same_user(*claim, each.task->pod(), pod);
    };
    if (is_listed_user(*claim, pod) || std::ranges::any_of(placed_, stands_for)) return false;
    const auto users = std::ranges::count_if(placed_, [&](const Placed& each) {
      return std::ranges::find(each.task->claims, claim) != each.task->claims.end() &&
             !is_listed_user(*claim, each.task->pod());
    });
    return claim->reserved_for.size() + static_cast<std::size_t>(users) >= max_consumers;
  });
}

/// The member gets the `i`th place of what was chosen.
void GangPlacer::Run::put(Task& task, NodeIndex node, Room room, MemberChoice& choice,
                          std::size_t i, const ChosenFor& chosen) {
  bounds_.place(task, *choice.takes[i]);
  auto& placement = choice.devices.placements[i];
  overlay_.place(job_, task, node, placement, room, choice.takes[i]);
  placed_.push_back({&task, std::move(placement), room, {}, chosen});
  if (i == 0) placed_.back().warnings = std::move(choice.devices.warnings);
}

bool GangPlacer::Run::place_one(Task& task) {
  BarredNodes barred;
  std::optional<policy::CapacityRefusal> over;
  std::map<NodeIndex, MemberChoice> found;
  const Task* const one = &task;
  const auto try_on = [&](NodeIndex node, Room room) -> MemberChoice* {
    auto made = members_.choose(std::span(&one, 1), node, room, bounds_);
    if (made) return &found.insert_or_assign(node, *std::move(made)).first->second;
    barred.insert_or_assign(node, made.error().reason);
    const auto& no = made.error().over;
    if (no && (!over || no->requested < over->requested)) over = no;
    return nullptr;
  };
  AcceptsNode accepts;
  if (bounds_.any() && !task.takes_what_it_asks()) {
    accepts = [&](NodeCandidate& candidate, Room room) {
      const auto* made = try_on(candidate.node, room);
      if (made == nullptr) return false;
      candidate.preference = std::min(candidate.preference, made->devices.preference);
      return true;
    };
  }
  const auto choose = [&] {
    if (too_many_users(task)) return std::optional<Choice>();
    return choice_.best(job_, task, *rankings_, barred, room_, accepts);
  };
  while (const auto choice = choose()) {
    const auto known = found.find(choice->node);
    auto* made = known != found.end() ? &known->second : try_on(choice->node, choice->room);
    if (made == nullptr) continue;
    put(task, choice->node, choice->room, *made, 0, choice->chosen);
    return true;
  }
  failure_ = {.task = &task,
              .placed = placed_.size(),
              .no_domain = false,
              .nowhere = barred.empty() && room_ == Room::releasing && !too_many_users(task) &&
                         !fit_.refuses_some(),
              .among = rankings_->among().nodes,
              .barred = std::move(barred),
              .over = over};
  return false;
}

/// Nodes that might take a member, those with the fewest free devices first.
std::vector<NodeIndex> GangPlacer::Run::joint_options(const Task& task, const NodeSet& among) {
  std::vector<NodeIndex> nodes;
  for (const auto node : among.nodes) {
    if (fit_.refused(task, node)) continue;
    const auto& seen = fit_.verdict(task, node);
    if (seen.releasing == Reason::none && seen.in(room_) == Reason::none) nodes.push_back(node);
  }
  const auto column = overlay_.nodes().devices_column();
  const Overlay& overlay = overlay_;
  std::ranges::stable_sort(nodes, {},
                           [&](NodeIndex node) { return overlay.nodes().free(node)[column]; });
  if (nodes.size() > joint_nodes) nodes.resize(joint_nodes);
  return nodes;
}

/// Members to nodes by depth-first search, each node's devices chosen for all its members at once.
bool GangPlacer::Run::place_jointly(const Tasks& tasks, const NodeSet& among) {
  const bool any_claims =
      std::ranges::any_of(tasks, [](const auto* task) { return !task->claims.empty(); });
  const bool alike = std::ranges::all_of(
      tasks, [&](const auto* task) { return task->shape == tasks.front()->shape; });
  if (!any_claims && alike) return false;  // each node's room is what it is
  std::vector<std::vector<NodeIndex>> options;
  for (const auto* task : tasks) options.push_back(joint_options(*task, among));
  const auto before = mark();
  std::vector<NodeIndex> chosen;
  std::size_t steps = 0;
  const std::function<bool()> search = [&] {
    if (chosen.size() == tasks.size()) return true;
    for (const auto node : options[chosen.size()]) {
      if (++steps > joint_steps) return false;
      chosen.push_back(node);
      undo(before);
      if (assign(std::span(tasks).first(chosen.size()), chosen) && search()) return true;
      chosen.pop_back();
    }
    return false;
  };
  if (search()) return true;
  undo(before);
  return false;
}

bool GangPlacer::Run::assign(std::span<Task* const> tasks, std::span<const NodeIndex> nodes) {
  std::map<NodeIndex, Tasks> groups;
  for (std::size_t i = 0; i < tasks.size(); ++i) groups[nodes[i]].push_back(tasks[i]);
  return std::ranges::all_of(
      groups, [&](const auto& group) { return put_together(group.second, group.first); });
}

bool GangPlacer::Run::put_together(std::span<Task* const> tasks, NodeIndex node) {
  // Where one goes that is moved, its old place is gone.
  if (std::ranges::none_of(tasks, &Task::has_to_leave) && put_together(tasks, node, Room::idle)) {
    return true;
  }
  return room_ == Room::releasing && put_together(tasks, node, Room::releasing);
}

bool GangPlacer::Run::put_together(std::span<Task* const> tasks, NodeIndex node, Room room) {
  const std::vector<const Task*> members(tasks.begin(), tasks.end());
  auto found = members_.choose(members, node, room, bounds_);
  if (!found) return false;
  const auto before = mark();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    auto& task = *tasks[i];
    const auto& state = overlay_.view(room);
    const bool fits = task.shape->fit.check(state, node) == Reason::none &&
                      devices_.given_elsewhere(state, task, node) == Reason::none &&
                      !too_many_users(task);
    if (!fits) {
      undo(before);
      return false;
    }
    put(task, node, room, *found, i, {});
  }
  return true;
}

}  // namespace dray::planner
