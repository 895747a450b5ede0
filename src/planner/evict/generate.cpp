#include "planner/evict/generate.h"

#include <algorithm>
#include <utility>

namespace dray::planner {

using cluster::NodeIndex;

GrowingNodes::GrowingNodes(const VictimCapacity& capacity, std::size_t members, std::size_t victims)
    : givers_(capacity.givers()),
      in_(victims, 0),
      lacking_(members - std::min(members, capacity.elsewhere())) {}

std::optional<Scenario> GrowingNodes::next() {
  while (at_ < givers_.size()) {
    const auto i = at_++;
    for (const auto place : givers_[i].chunks) in_[place] = 1;
    lacking_ -= std::min(lacking_, givers_[i].room);
    if (lacking_ > 0 || (i < next_try_ && i + 1 < givers_.size())) continue;
    next_try_ = i + step_;
    step_ *= 2;
    Scenario picked;
    for (std::size_t place = 0; place < in_.size(); ++place) {
      if (in_[place] != 0) picked.push_back(place);
    }
    return picked;
  }
  return std::nullopt;
}

ScenarioGenerator::ScenarioGenerator(const PlanContext& context, const Attempt& attempt,
                                     const policy::QueueTree& queues, const JobOrder& order,
                                     const VictimOrder::Candidates& candidates,
                                     VictimValidator& validator, VictimCapacity capacity)
    : context_(context),
      attempt_(attempt),
      queues_(queues),
      order_(queues, context.total, order, candidates, validator.open_queues(attempt, candidates)),
      validator_(validator),
      capacity_(std::move(capacity)),
      taken_(queues.queues().size(), policy::Amounts(queues.resources())) {
  // A queue that owes nothing may still have jobs moved.
  const auto& moving = context.policy.config.consolidation;
  moves_left_ = moving.enabled && attempt.action == Action::reclaim ? moving.max_jobs : 0;
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
  // Victims that were found since sets were tried last.
  if (capacity_.enough() && tried_found_ > 0 && tried_found_ < found_.size()) {
    growing_.emplace(capacity_, attempt_.chunk.size(), found_.size());
  }
  return next_open();
}

std::optional<Scenario> ScenarioGenerator::next_open() {
  while (!open_nodes_.empty()) {
    const auto node = open_nodes_.back();
    open_nodes_.pop_back();
    if (capacity_.of(node) > 0) return capacity_.chunks_on(node);
  }
  if (!growing_) return std::nullopt;
  auto scenario = growing_->next();
  if (!scenario) growing_.reset();
  return scenario;
}

/// The next victims that may be taken; false: there are none, or as many as may be moved.
bool ScenarioGenerator::find_victims() {
  while (auto victims = order_.next()) {
    if (!take(*std::move(victims))) continue;
    return attempt_.action != Action::consolidate ||
           found_.size() <= static_cast<std::size_t>(context_.policy.config.consolidation.max_jobs);
  }
  return false;
}

bool ScenarioGenerator::take(Victims victims) {
  const auto queue = *victims.job->queue;
  const bool owes = validator_.queue_gives(attempt_, victims, taken_);
  const bool closed = !owes && --moves_left_ < 0;
  if (closed || !validator_.may_be_evicted(attempt_, victims, taken_)) {
    order_.spare();
    if (closed) order_.close_queue(queue);
    return false;
  }
  for (std::optional at = queue; at; at = queues_[*at].parent_index) {
    taken_[at->get()] += victims.counts;
  }
  capacity_.free(victims, found_.size());
  found_.push_back(std::move(victims));
  return true;
}

/// A pod needs one node, and the victims before were not enough on theirs; a gang may need many.
void ScenarioGenerator::open_scenarios() {
  if (attempt_.chunk.size() == 1 && attempt_.action != Action::consolidate) {
    open_nodes_of_last();
  } else if (capacity_.total() > tried_total_ || found_.size() >= 2 * tried_found_) {
    tried_total_ = capacity_.total();
    tried_found_ = found_.size();
    growing_.emplace(capacity_, attempt_.chunk.size(), found_.size());
  }
}

void ScenarioGenerator::open_nodes_of_last() {
  for (const auto* task : found_.back().tasks) {
    if (task->node && std::ranges::find(open_nodes_, *task->node) == open_nodes_.end()) {
      open_nodes_.push_back(*task->node);
    }
  }
  std::ranges::reverse(open_nodes_);
}

}  // namespace dray::planner
