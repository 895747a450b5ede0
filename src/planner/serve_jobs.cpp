#include <fmt/format.h>

#include <algorithm>

#include "dray/policy/capacity.h"
#include "planner/plan_maker.h"

// Jobs in their turns onto what is free.

namespace dray::planner {

/// Jobs for which an earlier plan holds room come first: they start where they can, else their room
/// stays theirs.
void PlanMaker::keep_holds() {
  for (const auto& hold : input_.holds) {
    auto* job = jobs_.find(hold.job);
    if (job == nullptr || std::ranges::find(waiting_, job) == waiting_.end()) continue;
    const auto chunk = job->next_chunk();
    const auto counts = job->counts_of(chunk, queues_.resources());
    if (policy::check_capacity(queues_, *job->queue, counts, job->job->preemptible)) continue;
    auto placed = place_.place(*job, chunk, fit_.everywhere(), false);
    const bool now = !placed.empty();
    if (!now) {
      NodeSet held;
      for (const auto& placement : hold.placements) {
        if (const auto node = input_.snapshot->node(placement.node)) held.nodes.push_back(*node);
      }
      std::ranges::sort(held.nodes, {}, [&](auto node) { return overlay_.nodes().rank(node); });
      held.nodes.erase(std::unique(held.nodes.begin(), held.nodes.end()), held.nodes.end());
      placed = place_.place(*job, chunk, held, true);
    }
    if (!placed.empty()) take(*job, placed, !now);
  }
}

void PlanMaker::serve() {
  JobTurns turns(queues_, total_, input_.now, policy_.config.aging);
  for (auto* job : waiting_) {
    if (!job->next_chunk().empty()) turns.add(*job);
  }
  turns.start();
  std::size_t served = 0;
  while (auto* job = turns.next()) {
    const bool first = !outcomes_.contains(job);
    if (first && (served >= input_.budget.jobs || fit_.exhausted())) {
      plan_.exhausted = true;
      break;
    }
    served += first ? 1 : 0;
    turns.settle(serve_chunk(*job) && !job->next_chunk().empty());
  }
}

bool PlanMaker::serve_chunk(PlanJob& job) {
  const auto chunk = job.next_chunk();
  const auto counts = job.counts_of(chunk, queues_.resources());
  const auto started = [&] { return job.placed > 0 && job.has_minimum(); };
  if (const auto no = policy::check_capacity(queues_, *job.queue, counts, job.job->preemptible)) {
    ++plan_.refused_early;
    const bool limit = no->rule == policy::CapacityRule::limit;
    if (!outcomes_.contains(&job) || outcome(job).reason != Reason::none || !started()) {
      wait(job, limit ? Reason::queue_limit : Reason::queue_quota,
           policy::message(*no, queues_, policy_.counting.resources()));
    }
    return false;
  }
  const auto& among = kept_for_ != nullptr && kept_for_ != &job ? open_nodes_ : fit_.everywhere();
  auto placed = place_.place(job, chunk, among, true);
  if (placed.empty()) {
    if (!outcomes_.contains(&job) || !started()) explain(job, chunk);
    keep_room(job, chunk);
    return false;
  }
  const bool now = std::ranges::all_of(placed, &Placed::now);
  take(job, placed, !now);
  return true;
}

void PlanMaker::explain(PlanJob& job, std::span<const std::uint32_t> chunk) {
  const auto& failure = place_.failure();
  if (failure.task == nullptr || failure.task->shape == nullptr) {
    return wait(job, Reason::no_node_fits, {});
  }
  auto refusal = fit_.explain(*failure.task, failure.among);
  if (fit_.exhausted()) return wait(job, Reason::planning, refusal.detail);
  if (refusal.detail.empty() && kept_for_ != nullptr) refusal.reason = Reason::room_kept;
  if (failure.no_domain) return wait(job, Reason::no_domain, refusal.detail);
  if (chunk.size() == 1) return wait(job, refusal.reason, refusal.detail);
  wait(job, Reason::gang_no_room,
       fmt::format("room for {} of {} pods; the next: {}", failure.placed, chunk.size(),
                   refusal.detail.empty() ? std::string(name(refusal.reason)) : refusal.detail));
}

/// The first job that has waited for too long gets nodes to itself: what ends on them is not given
/// to others, and so it starts at the latest when the jobs on these nodes have ended.
void PlanMaker::keep_room(PlanJob& job, std::span<const std::uint32_t> chunk) {
  if (kept_for_ != nullptr || chunk.size() < 2 || fit_.exhausted()) return;
  const auto due = job.job->queued + policy_.config.gangs.reserve_after;
  if (due > input_.now) return say_again(due);
  std::vector<PlanTask*> tasks;
  for (const auto id : chunk) tasks.push_back(&job.tasks[id]);
  auto nodes = domains_.roomiest(job, tasks, fit_.everywhere());
  if (nodes.empty()) return;
  std::ranges::sort(nodes);
  std::erase_if(open_nodes_.nodes,
                [&](auto node) { return std::ranges::binary_search(nodes, node); });
  kept_for_ = &job;
  wait(job, Reason::gang_no_room,
       outcome(job).detail + fmt::format("; {} nodes are kept for it", nodes.size()));
}

}  // namespace dray::planner
