#include "planner/evict/victim_order.h"

#include <algorithm>
#include <utility>

#include "dray/policy/queue_order.h"

namespace dray::planner {

using policy::QueueIndex;

namespace {

/// The pod set of the gang that the task is in; null: of none.
const policy::PodSet* set_of(const policy::SubGroup& gang, std::uint32_t task) {
  for (const auto& set : gang.pod_sets) {
    if (std::ranges::find(set.tasks, task, &policy::GangTask::id) != set.tasks.end()) return &set;
  }
  for (const auto& group : gang.sub_groups) {
    if (const auto* set = set_of(group, task)) return set;
  }
  return nullptr;
}

}  // namespace

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
  const auto& jobs = candidates_[leaf.get()];
  auto& at = at_[leaf.get()];
  while (at < jobs.size() && jobs[at]->placed == 0) ++at;
  auto* fresh = at < jobs.size() ? jobs[at] : nullptr;
  const auto& again = again_[leaf.get()];
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

std::optional<QueueIndex> VictimOrder::leaf_below(QueueIndex queue) {
  const auto& children = queues_[queue].children;
  if (children.empty()) return head(queue) != nullptr ? std::optional(queue) : std::nullopt;
  const auto child = pick(children);
  return child ? leaf_below(*child) : std::nullopt;
}

VictimOrder::Next VictimOrder::next_of(const PlanJob& job) const {
  Next next{.tasks = job.next_victims().tasks};
  const auto at = next.tasks.front();
  if (!job.gang || next.tasks.size() > 1 || !keeps_(job.tasks[at])) return next;
  const auto* set = set_of(*job.gang, at);
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

/// The one of `among` that would be served last, with what is taken and its next chunk away.
std::optional<QueueIndex> VictimOrder::pick(std::span<const QueueIndex> among) {
  std::optional<QueueIndex> last;
  policy::Amounts last_taken;
  for (const auto queue : among) {
    const auto leaf = leaf_below(queue);
    if (!leaf) continue;
    if (!last && among.size() == 1) return queue;
    auto taken = taken_[leaf->get()];
    const auto* job = head(*leaf);
    if (job->gang) {
      for (const auto id : next_of(*job).tasks) taken += job->tasks[id].demand->freed();
    } else {
      taken += job->tasks.front().demand->freed();
    }
    if (last) {
      const auto order = policy::compare_turns(
          {.queue = queues_[queue], .next = nullptr, .taken = std::span(&taken, 1)},
          {.queue = queues_[*last], .next = nullptr, .taken = std::span(&last_taken, 1)}, total_);
      if (order < 0) continue;
    }
    last = queue;
    last_taken = taken;
  }
  return last;
}

std::optional<VictimOrder::Chunk> VictimOrder::next() {
  const auto top = pick(queues_.tops());
  if (!top) return std::nullopt;
  const auto leaf = *leaf_below(*top);
  auto* job = head(leaf);
  drop_head(leaf);
  const auto victims = next_of(*job);
  Chunk chunk{.job = job, .tasks = {}, .counts = policy::Amounts(queues_.resources())};
  for (const auto id : victims.tasks) {
    auto& task = job->tasks[id];
    chunk.tasks.push_back(&task);
    chunk.counts += task.demand->freed();
    marked_.emplace_back(job, &task);
    job->set_state(task, policy::TaskState::yielding);
  }
  chunk.keeps_minimum = victims.runs_on && job->placed > 0 && job->has_minimum();
  taken_[leaf.get()] += chunk.counts;
  if (job->placed > 0) {
    auto& again = again_[leaf.get()];
    const auto place = std::ranges::lower_bound(
        again, job, [this](const auto* a, const auto* b) { return order_.before(*a, *b); });
    again.insert(place, job);
  }
  last_ = chunk;
  return chunk;
}

void VictimOrder::spare() {
  if (!last_) return;
  auto* job = last_->job;
  for (auto* task : last_->tasks) {
    job->set_state(*task, policy::TaskState::placed);
    std::erase(marked_, std::pair(job, task));
  }
  taken_[job->queue->get()] -= last_->counts;
  std::erase(again_[job->queue->get()], job);
  last_.reset();
}

}  // namespace dray::planner
