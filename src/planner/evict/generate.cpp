#include "planner/evict/generate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <ranges>
#include <set>
#include <utility>

#include "dray/policy/capacity.h"
#include "dray/policy/reclaim.h"

namespace dray::planner {

using cluster::NodeIndex;

namespace {

/// So many nodes are tried in the second look of a pod, each with a scenario of its own.
constexpr std::size_t nodes_of_second_look = 64;
/// And so many devices of which victims have parts.
constexpr std::size_t devices_of_second_look = 64;

double devices_of(const Victims& chunk) {
  double devices = 0;
  for (const auto* task : chunk.tasks) devices += static_cast<double>(task->demand->devices);
  return devices;
}

/// What a part of a device is a part of: the device, or a counter set that it draws on.
using Whole = std::pair<cluster::PoolIndex, std::string>;

/// All that the victims have only parts of; whole devices are not in it.
std::set<Whole> wholes_of(const cluster::Snapshot& snapshot, const AllocatedDevice& had) {
  const auto pool = snapshot.find_pool(had.device.driver, had.device.pool);
  if (!pool) return {};
  std::set<Whole> wholes;
  if (had.share_id) wholes.emplace(*pool, had.device.device.get());
  if (!snapshot.pool(*pool).has_counters) return wholes;
  for (const auto& slot : snapshot.pool(*pool).slots) {
    for (const auto& device : slot.slice->devices) {
      if (*device.name != had.device.device.get()) continue;
      for (const auto& takes : device.traits->consumes_counters) {
        wholes.emplace(*pool, takes.counter_set);
      }
    }
  }
  return wholes;
}

std::set<Whole> wholes_of(const cluster::Snapshot& snapshot, const Task& task) {
  std::set<Whole> wholes;
  for (const auto& claim : task.claims) {
    const auto had = snapshot.allocation(claim->key());
    if (!had) continue;
    for (const auto& device : had->devices) wholes.merge(wholes_of(snapshot, device));
  }
  return wholes;
}

/// The places that are marked.
Scenario marked(const std::vector<char>& in) {
  Scenario picked;
  for (std::size_t place = 0; place < in.size(); ++place) {
    if (in[place] != 0) picked.push_back(place);
  }
  return picked;
}

}  // namespace

GrowingNodes::GrowingNodes(const VictimCapacity& capacity, std::size_t members, std::size_t victims,
                           Asked asked)
    : asked_(asked),
      givers_(capacity.givers()),
      in_(victims, 0),
      needed_(members - std::min(members, capacity.elsewhere())) {
  if (asked == Asked::rest) {
    for (auto& giver : givers_) {
      giver.room -= giver.idle;
      needed_ -= std::min(needed_, giver.idle);
    }
    std::erase_if(givers_, [](const auto& giver) { return giver.room == 0; });
  }
  lacking_ = needed_;
}

std::optional<Scenario> GrowingNodes::next() {
  if (auto fewest = std::exchange(fewest_, std::nullopt)) return fewest;
  while (at_ < givers_.size()) {
    const auto i = at_++;
    for (const auto place : givers_[i].chunks) in_[place] = 1;
    lacking_ -= std::min(lacking_, givers_[i].room);
    if (lacking_ > 0 || (i < next_try_ && i + 1 < givers_.size())) continue;
    next_try_ = i + step_;
    step_ *= 2;
    fewest_ = fewest_up_to(i);
    return marked(in_);
  }
  return std::nullopt;
}

/// The job might go to smaller nodes where others' victims have to leave for good, though these
/// nodes alone give room enough. Nothing: it takes all of them.
std::optional<Scenario> GrowingNodes::fewest_up_to(std::size_t last) const {
  std::vector<char> in(in_.size(), 0);
  auto lacking = needed_;
  auto at = last + 1;
  while (lacking > 0 && at-- > 0) {
    for (const auto place : givers_[at].chunks) in[place] = 1;
    lacking -= std::min(lacking, givers_[at].room);
  }
  return at == 0 || lacking == needed_ ? std::nullopt : std::optional(marked(in));
}

ScenarioGenerator::ScenarioGenerator(const PlanContext& context, const Attempt& attempt,
                                     const policy::QueueTree& queues, const JobOrder& order,
                                     const VictimOrder::Candidates& candidates,
                                     const ClaimSharers& sharers, VictimValidator& validator,
                                     VictimCapacity capacity)
    : context_(context),
      attempt_(attempt),
      queues_(queues),
      sharers_(sharers),
      order_(queues, context.total, order, candidates, validator.open_queues(attempt, candidates),
             [&](const Task& task) { return !validator.may_be_withdrawn(attempt, task); }),
      validator_(validator),
      capacity_(std::move(capacity)),
      taken_(queues.queues().size(), policy::Amounts(queues.resources())) {
  // A queue that owes nothing may still have jobs moved.
  const auto& moving = context.policy.config.consolidation;
  moves_left_ = moving.enabled && attempt.action == Action::reclaim ? moving.max_jobs : 0;
  if (attempt.action == Action::consolidate) return;
  const auto& job = attempt.job;
  if (policy::check_capacity(queues, *job.queue, attempt.counts, job.job->preemptible)) {
    all_found_ = AllFound{.queues = queues};
  }
}

std::optional<Scenario> ScenarioGenerator::next(bool stop) {
  if (auto scenario = next_open()) return scenario;
  if (stop && phase_ == Phase::looking) phase_ = Phase::last;
  while (phase_ == Phase::looking) {
    if (!find_victims()) {
      phase_ = Phase::last;
      break;
    }
    if (!capacity_.enough()) continue;
    open_scenarios();
    if (auto scenario = next_open()) return scenario;
  }
  if (phase_ == Phase::ended) return std::nullopt;
  phase_ = Phase::ended;
  if (attempt_.each_alone && attempt_.chunk.size() == 1) {
    open_nodes_of_all();
    return next_open();
  }
  // Victims that were found since sets were tried last.
  if (capacity_.enough() && tried_.found > 0 && tried_.found < found_.size()) {
    grow(GrowingNodes::Asked::all);
  }
  return next_open();
}

std::optional<Scenario> ScenarioGenerator::next_open() {
  while (!open_.devices.empty()) {
    auto scenario = with_surplus(open_.devices.back());
    open_.devices.pop_back();
    if (tried_.sets.insert(scenario).second) return scenario;
  }
  while (!open_.nodes.empty()) {
    const auto node = open_.nodes.back();
    open_.nodes.pop_back();
    if (capacity_.of(node) > 0) return with_surplus(capacity_.chunks_on(node));
  }
  while (growing_) {
    if (auto nodes = growing_->next()) {
      auto scenario = with_surplus(*nodes);
      if (tried_.sets.insert(scenario).second) return scenario;
    } else if (attempt_.each_alone && growing_->asked() == GrowingNodes::Asked::all) {
      // Of a queue that does not owe all of them, nobody goes where there is room anyway.
      grow(GrowingNodes::Asked::rest);
    } else {
      growing_.reset();
    }
  }
  if (!all_found_ || !std::exchange(all_found_->open, false)) return std::nullopt;
  Scenario all(found_.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

/// Where the limit of a queue is what is in the way, whoever goes helps, on any node.
bool ScenarioGenerator::queue_has_room() {
  const auto& job = attempt_.job;
  return all_found_ && found_.size() >= 2 * all_found_->tried &&
         !policy::check_capacity(all_found_->queues, *job.queue, attempt_.counts,
                                 job.job->preemptible);
}

/// A job gives its minimum only after all that is above it, wherever that is: what would be left
/// of it is no gang. And who shares claims goes together.
Scenario ScenarioGenerator::with_surplus(const Scenario& scenario) const {
  if (!seen_.in_pieces) return scenario;
  std::vector<char> in(found_.size(), 0);
  for (const auto place : scenario) in[place] = 1;
  for (bool more = true; more;) {
    more = false;
    std::set<const PlanJob*> jobs;
    for (std::size_t place = found_.size(); place-- > 0;) {
      const bool with_next =
          place + 1 < found_.size() && found_[place + 1].goes_with_last && in[place + 1] != 0;
      if (in[place] == 0 && (with_next || jobs.contains(found_[place].job))) in[place] = 1;
      if (in[place] != 0) jobs.insert(found_[place].job);
    }
    for (std::size_t place = 1; place < found_.size(); ++place) {
      if (!found_[place].goes_with_last || in[place - 1] == 0 || in[place] != 0) continue;
      in[place] = 1;
      more = true;
    }
  }
  return marked(in);
}

/// The next victims that may be taken; false: there are none, or as many as may be moved.
bool ScenarioGenerator::find_victims() {
  if (attempt_.each_alone && attempt_.chunk.size() > 1 && found_.size() >= few_victims)
    return false;
  while (auto victims = order_.next()) {
    if (!take(*std::move(victims))) continue;
    return attempt_.action != Action::consolidate ||
           found_.size() <= static_cast<std::size_t>(context_.policy.config.consolidation.max_jobs);
  }
  return false;
}

bool ScenarioGenerator::may_go_alone(std::span<const Victims> unit) {
  if (attempt_.action != Action::reclaim || attempt_.each_alone || found_.empty()) return false;
  const std::vector<policy::Amounts> none(taken_.size(), policy::Amounts(queues_.resources()));
  return validator_.queue_gives(attempt_, unit.front(), none) &&
         validator_.may_be_evicted(attempt_, unit, none);
}

/// The victims, and all who go with them.
bool ScenarioGenerator::take(Victims victims) {
  const auto queue = *victims.job->queue;
  std::vector<Victims> unit{std::move(victims)};
  for (const auto& [job, tasks] : sharers_.others_of(*unit[0].job, unit[0].tasks)) {
    unit.push_back(order_.add_to_last(*job, tasks));
  }
  const bool owes = validator_.queue_gives(attempt_, unit[0], taken_);
  // Pods that share claims are not moved.
  const bool closed = !owes && (unit.size() > 1 || --moves_left_ < 0);
  const bool evictable = !closed && validator_.may_be_evicted(attempt_, unit, taken_);
  // Who could only move, since others were taken before, might go without them.
  if (!owes || !evictable) seen_.left_out = seen_.left_out || may_go_alone(unit);
  if (!evictable) {
    order_.spare();
    if (closed && unit.size() == 1) order_.close_queue(queue);
    return false;
  }
  unit[0].only_moves = !owes;
  for (auto& chunk : unit) add(std::move(chunk));
  return true;
}

void ScenarioGenerator::add(Victims victims) {
  const auto queue = *victims.job->queue;
  if (!attempt_.each_alone) {
    for (std::optional at = queue; at; at = queues_[*at].parent_index) {
      taken_[at->get()] += victims.counts;
    }
  }
  if (all_found_) {
    all_found_->queues.remove_allocated(queue, victims.counts, victims.job->job->preemptible);
  }
  seen_.in_pieces = seen_.in_pieces || victims.job->placed > 0 || victims.goes_with_last;
  capacity_.free(victims, found_.size());
  found_.push_back(std::move(victims));
}

/// A pod needs one node, and the victims before were not enough on theirs; a gang may need many.
void ScenarioGenerator::open_scenarios() {
  if (queue_has_room()) {
    all_found_->open = true;
    all_found_->tried = found_.size();
  }
  if (attempt_.chunk.size() == 1 && attempt_.action != Action::consolidate) {
    // Each node is tried once, with all who may go there.
    if (!attempt_.each_alone) open_nodes_of_last();
  } else if (capacity_.total() > tried_.total || found_.size() >= 2 * tried_.found) {
    tried_.total = capacity_.total();
    tried_.found = found_.size();
    grow(GrowingNodes::Asked::all);
  }
}

void ScenarioGenerator::grow(GrowingNodes::Asked asked) {
  growing_.emplace(capacity_, attempt_.chunk.size(), found_.size(), asked);
}

/// The nodes whose victims may give enough by themselves, those that are nearly enough first.
void ScenarioGenerator::open_nodes_of_all() {
  for (const auto& giver : capacity_.givers()) {
    if (open_.nodes.size() == nodes_of_second_look) break;
    if (may_give_enough(giver)) open_.nodes.push_back(giver.node);
  }
  open_devices_of(open_.nodes);
  std::ranges::reverse(open_.nodes);
}

/// Of parts of devices, those of one device are tried alone, where least goes: with all of the node
/// gone, the job might be given a device whose victims' queues owe too little.
void ScenarioGenerator::open_devices_of(std::span<const NodeIndex> nodes) {
  std::map<std::pair<NodeIndex, Whole>, Scenario> parts;
  for (const auto node : nodes) {
    for (const auto place : capacity_.chunks_on(node)) {
      std::set<Whole> wholes;
      for (const auto* task : found_[place].tasks) {
        if (task->node == node) wholes.merge(wholes_of(*context_.input.snapshot, *task));
      }
      for (const auto& whole : wholes) parts[{node, whole}].push_back(place);
    }
  }
  std::vector<std::pair<double, Scenario>> by_loss;
  for (auto& [whole, scenario] : parts) {
    double loss = 0;
    for (const auto place : scenario) {
      for (std::size_t r = 0; r < queues_.resources(); ++r) loss += found_[place].counts[r];
    }
    by_loss.emplace_back(loss, std::move(scenario));
  }
  std::ranges::stable_sort(by_loss, {}, [](const auto& each) { return each.first; });
  if (by_loss.size() > devices_of_second_look) by_loss.resize(devices_of_second_look);
  for (auto& [loss, scenario] : by_loss | std::views::reverse) {
    open_.devices.push_back(std::move(scenario));
  }
}

/// Whether the node's victims can give what is lacking there, as far as their queues owe it.
bool ScenarioGenerator::may_give_enough(const VictimCapacity::Giver& on) const {
  const policy::Reclaimer reclaimer{*attempt_.job.queue, attempt_.counts,
                                    attempt_.job.job->preemptible};
  std::map<policy::QueueIndex, std::vector<std::size_t>> chunks;
  for (const auto place : on.chunks) {
    chunks[policy::rivals(queues_, reclaimer.queue, *found_[place].job->queue).second].push_back(
        place);
  }
  policy::Amounts counts(queues_.resources());
  double devices = 0;
  for (const auto& [giver, places] : chunks) {
    std::vector<policy::Amounts> given;
    std::vector<double> each_devices;
    for (const auto place : places) {
      given.push_back(found_[place].counts);
      each_devices.push_back(devices_of(found_[place]));
    }
    const auto most = policy::most_given(queues_, reclaimer, giver, given);
    counts += most;
    auto most_devices = std::reduce(each_devices.begin(), each_devices.end());
    for (std::size_t r = 0; r < most.size(); ++r) {
      const bool counts_devices = std::ranges::equal(
          given, each_devices, {}, [r](const policy::Amounts& chunk) { return chunk[r]; });
      if (counts_devices) most_devices = std::min(most_devices, most[r]);
    }
    devices += most_devices;
  }
  return capacity_.enough_with(on.node, counts, devices);
}

/// First where fewest of the last victims are, who are served before the others: they are spared
/// where they find another place.
void ScenarioGenerator::open_nodes_of_last() {
  auto first = found_.size() - 1;
  while (found_[first].goes_with_last) --first;
  std::vector<const Task*> tasks;
  for (auto place = first; place < found_.size(); ++place) {
    tasks.insert(tasks.end(), found_[place].tasks.begin(), found_[place].tasks.end());
  }
  for (const auto* task : tasks) {
    if (task->node && std::ranges::find(open_.nodes, *task->node) == open_.nodes.end()) {
      open_.nodes.push_back(*task->node);
    }
  }
  std::ranges::stable_sort(open_.nodes, {}, [&](NodeIndex node) {
    return std::ranges::count_if(tasks, [&](const auto* task) { return task->node == node; });
  });
  std::ranges::reverse(open_.nodes);
}

}  // namespace dray::planner
