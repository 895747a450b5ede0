#include "planner/evict/victim_order.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "dray/policy/queue_order.h"

namespace dray::planner {

using policy::QueueIndex;

VictimOrder::VictimOrder(const policy::QueueTree& queues, const policy::Amounts& total,
                         const JobOrder& order, const Candidates& candidates,
                         std::vector<char> open, Keeps keeps)
    : queues_(queues),
      total_(total),
      order_(order),
      candidates_(candidates),
      open_(std::move(open)),
      keeps_(std::move(keeps)),
      at_(queues.queues().size(), 0),
      taken_(queues.queues().size(), policy::Amounts(queues.resources())),
      again_(queues.queues().size()) {}

VictimOrder::~VictimOrder() {
  for (auto& [job, task] : marked_) job->set_state(*task, policy::TaskState::placed);
}

PlanJob* VictimOrder::head(QueueIndex leaf) {
  if (open_[leaf.get()] == 0) return nullptr;
  auto& again = again_[leaf.get()];
  while (!again.empty() && again.back()->placed == 0) again.pop_back();  // went with others
  const auto& jobs = candidates_[leaf.get()];
  auto& at = at_[leaf.get()];
  while (at < jobs.size() && jobs[at]->placed == 0) ++at;
  auto* fresh = at < jobs.size() ? jobs[at] : nullptr;
  if (again.empty()) return fresh;
  return fresh == nullptr || order_.before(*fresh, *again.back()) ? again.back() : fresh;
}

void VictimOrder::drop_head(QueueIndex leaf) {
  auto* job = head(leaf);
  auto& again = again_[leaf.get()];
  if (!again.empty() && again.back() == job) {
    again.pop_back();
  } else {
    ++at_[leaf.get()];
  }
}

VictimOrder::Next VictimOrder::next_of(const PlanJob& job) const {
  Next next{.tasks = job.next_victims().tasks};
  const auto at = next.tasks.front();
  if (!job.gang || next.tasks.size() > 1 || !keeps_(job.tasks[at])) return next;
  const auto* set = policy::set_of(*job.gang, at);
  const auto open = [&](std::uint32_t id) {
    return job.tasks[id].state == policy::TaskState::placed && !keeps_(job.tasks[id]);
  };
  const auto others =
      std::ranges::count_if(set->tasks, [&](const auto& task) { return open(task.id); });
  const bool last =
      others == 1 && std::ranges::count_if(job.tasks, [&](const Task& task) {
                       return open(static_cast<std::uint32_t>(&task - job.tasks.data()));
                     }) == 1;
  if (others == 0 || (others <= set->min_member && !last)) return next;
  const auto other = std::ranges::find_if(set->tasks.rbegin(), set->tasks.rend(),
                                          [&](const auto& task) { return open(task.id); });
  return {.tasks = {other->id}, .runs_on = !last};
}

void VictimOrder::open_contest(Contest& contest, std::span<const QueueIndex> queues) {
  contest.queues.assign(queues.begin(), queues.end());
  const auto size = std::bit_ceil(queues.size());
  contest.winners.assign(2 * size, std::nullopt);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    standings_.places[queues[i].get()] = size + i;
    const auto& children = queues_[queues[i]].children;
    if (!children.empty()) open_contest(standings_.contests[queues[i].get()], children);
    sit(queues[i]);
    contest.winners[size + i] = queues[i];
  }
  for (auto at = size - 1; at > 0; --at) play(contest, at);
}

/// The one of two that would be served last, with what is taken and its next chunk away, wins; of
/// equal ones the later.
void VictimOrder::play(Contest& contest, std::size_t at) {
  const auto first = contest.winners[2 * at];
  const auto second = contest.winners[2 * at + 1];
  const auto gives = [this](std::optional<QueueIndex> queue) {
    return queue && standings_.seats[queue->get()].leaf;
  };
  auto& winner = contest.winners[at];
  if (!gives(first) || !gives(second)) {
    winner = gives(first) ? first : second;
    return;
  }
  const auto turn = [this](QueueIndex queue) {
    return policy::QueueTurn{.queue = queues_[queue],
                             .next = nullptr,
                             .taken = std::span(&standings_.seats[queue.get()].taken, 1)};
  };
  ++standings_.compared;
  winner = policy::compare_turns(turn(*second), turn(*first), total_) < 0 ? first : second;
}

/// What the queue gives next, as those below it are.
void VictimOrder::sit(QueueIndex queue) {
  auto& seat = standings_.seats[queue.get()];
  if (!queues_[queue].children.empty()) {
    const auto& winners = standings_.contests[queue.get()].winners;
    const auto winner = winners[1];
    seat = winner ? standings_.seats[winner->get()] : Seat{};
    return;
  }
  const auto* job = head(queue);
  seat.leaf = job != nullptr ? std::optional(queue) : std::nullopt;
  if (job == nullptr) return;
  seat.taken = taken_[queue.get()];
  if (job->gang) {
    for (const auto id : next_of(*job).tasks) seat.taken += job->tasks[id].freed();
  } else {
    seat.taken += job->tasks.front().freed();
  }
}

void VictimOrder::update(QueueIndex leaf) {
  for (std::optional at = leaf; at; at = queues_[*at].parent_index) {
    sit(*at);
    const auto parent = queues_[*at].parent_index;
    auto& contest = parent ? standings_.contests[parent->get()] : standings_.contests.back();
    for (auto place = standings_.places[at->get()] / 2; place > 0; place /= 2) play(contest, place);
  }
}

std::optional<QueueIndex> VictimOrder::last_served() {
  if (standings_.seats.empty()) {
    const auto count = queues_.queues().size();
    standings_.seats.resize(count);
    standings_.places.resize(count);
    standings_.contests.resize(count + 1);
    open_contest(standings_.contests.back(), queues_.tops());
    standings_.changed.clear();
  }
  for (const auto leaf : std::exchange(standings_.changed, {})) update(leaf);
  const auto& winners = standings_.contests.back().winners;
  const auto winner = winners.size() > 1 ? winners[1] : std::nullopt;
  return winner ? standings_.seats[winner->get()].leaf : std::nullopt;
}

bool VictimOrder::Chunk::holds_devices() const {
  return std::ranges::any_of(tasks, [](const auto* task) { return task->demand->devices > 0; });
}

std::optional<VictimOrder::Chunk> VictimOrder::next() {
  const auto served_last = last_served();
  if (!served_last) return std::nullopt;
  const auto leaf = *served_last;
  auto* job = head(leaf);
  drop_head(leaf);
  const auto victims = next_of(*job);
  std::vector<Task*> tasks;
  tasks.reserve(victims.tasks.size());
  for (const auto id : victims.tasks) tasks.push_back(&job->tasks[id]);
  Chunk chunk{.job = job, .tasks = {}, .counts = policy::Amounts(queues_.resources())};
  last_.clear();
  take(chunk, tasks);
  chunk.keeps_minimum = victims.runs_on && job->placed > 0 && job->has_minimum();
  last_.back() = chunk;
  return chunk;
}

VictimOrder::Chunk VictimOrder::add_to_last(PlanJob& job, const std::vector<Task*>& tasks) {
  Chunk chunk{.job = &job,
              .tasks = {},
              .counts = policy::Amounts(queues_.resources()),
              .goes_with_last = true};
  take(chunk, tasks);
  return chunk;
}

/// Marks the tasks; a job that has more to give stands where it does by now.
void VictimOrder::take(Chunk& chunk, const std::vector<Task*>& tasks) {
  auto* job = chunk.job;
  const auto leaf = *job->queue;
  for (auto* task : tasks) {
    chunk.tasks.push_back(task);
    chunk.counts += task->freed();
    marked_.emplace_back(job, task);
    job->set_state(*task, policy::TaskState::yielding);
  }
  taken_[leaf.get()] += chunk.counts;
  last_.push_back(chunk);
  standings_.changed.push_back(leaf);
  auto& again = again_[leaf.get()];
  const bool known = chunk.goes_with_last && std::erase(again, job) > 0;
  if (job->placed == 0 || (chunk.goes_with_last && !known)) return;
  const auto place = std::ranges::lower_bound(
      again, job, [this](const auto* a, const auto* b) { return order_.before(*a, *b); });
  again.insert(place, job);
}

void VictimOrder::spare() {
  if (last_.empty()) return;
  for (const auto& chunk : last_) {
    for (auto* task : chunk.tasks) {
      chunk.job->set_state(*task, policy::TaskState::placed);
      if (!marked_.empty()) marked_.pop_back();  // they were marked last
    }
    taken_[chunk.job->queue->get()] -= chunk.counts;
    standings_.changed.push_back(*chunk.job->queue);
  }
  const auto* job = last_.front().job;
  std::erase(again_[job->queue->get()], job);
  last_.clear();
}

}  // namespace dray::planner
