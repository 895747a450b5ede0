#include "planner/plan_maker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

#include "dray/planner/job_watch.h"
#include "planner/late_reprieve.h"
#include "planner/node_growth.h"
#include "planner/serve_losers.h"
#include "planner/stale_gangs.h"

namespace dray::planner {
namespace {

/// Of the first set of pods that lacks some: `1 of 3`, `workers: 1 of 3`; empty: none does.
std::string members_there(const policy::SubGroup& group, bool alone = true) {
  alone = alone && group.sub_groups.empty() && group.pod_sets.size() == 1;
  for (const auto& set : group.pod_sets) {
    const auto there = std::ranges::count_if(set.tasks, [](const policy::GangTask& task) {
      return task.state != policy::TaskState::other;
    });
    if (std::cmp_greater_equal(there, set.min_member)) continue;
    return fmt::format("{}{} of {}", alone ? "" : set.name + ": ", there, set.min_member);
  }
  for (const auto& below : group.sub_groups) {
    if (auto text = members_there(below, false); !text.empty()) return text;
  }
  return {};
}

}  // namespace

PlanMaker::PlanMaker(const PlanInput& input, PlanMemory& memory)
    : input_(input),
      jobs_(memory.jobs()),
      start_(memory.start(input)),
      context_{input, memory.policy_of(input), start_.total},
      options_(memory.allocator().options()),
      overlay_(input.snapshot, memory.nodes(), start_.queues),
      placer_(context_, jobs_, overlay_, memory.allocator(), memory.verdicts(), memory.rankings()),
      feasibility_(input.snapshot, memory.nodes(), memory.allocator(), memory.feasibility()),
      decisions_(start_.queues, WhyThere(context_, overlay_, placer_.fit().everywhere(), options_)),
      keeper_(context_, jobs_, overlay_, placer_, decisions_, memory) {}

Plan PlanMaker::make(JobWatch* watch) {
  Plan plan;
  plan.total = start_.total;
  plan.queues = report_queues();
  release_leaving_pods();
  release_leaving_claims();
  const auto waiting = waiting_jobs();
  Earliest again_at(input_.now);

  Turns turns(context_, overlay_.queues(), waiting);
  auto served =
      ServeJobs(context_, jobs_, overlay_, placer_, decisions_, turns, feasibility_, keeper_, watch)
          .run(waiting, input_.actions.place);
  plan.refused_early = served.refused_early;
  if (evicts(context_)) {
    auto made = MakeRoom(context_, jobs_, overlay_, placer_, decisions_, turns, keeper_, watch)
                    .run(waiting);
    const auto& budget = input_.budget.nodes_tried;
    placer_.fit().allow(budget - std::min(budget, placer_.fit().tried()));
    LateReprieve(context_, jobs_, overlay_, placer_, decisions_).run(made.evictions);
    ServeLosers(context_, jobs_, overlay_, placer_, decisions_).run(std::move(made.losers));
    plan.evictions = std::move(made.evictions);
    plan.scenarios = made.scenarios;
    plan.refused_early += made.refused_early;
    again_at.add(made.again_at);
  }
  if (input_.actions.end_stale_gangs) {
    auto gangs = find_stale_gangs(context_, jobs_);
    plan.stale = std::move(gangs.stale);
    std::ranges::move(gangs.evictions, std::back_inserter(plan.evictions));
    again_at.add(gangs.again_at);
  }
  plan.kept = keeper_.kept();
  again_at.add(keeper_.again_at());
  plan.progress = input_.actions.place ? turns.finish(jobs_, decisions_) : input_.progress;
  plan.jobs = decisions_.take_outcomes();
  std::ranges::stable_partition(plan.jobs, gets_something);
  ask_node_groups(plan.jobs, watch);
  plan.nodes_tried = placer_.fit().tried();
  if (placer_.fit().exhausted()) turns.ended_by(BudgetKind::nodes_tried);
  plan.ended_by.assign(turns.ended_by().begin(), turns.ended_by().end());
  plan.exhausted = !plan.ended_by.empty();
  plan.again_at = again_at.get();
  overlay_.undo(0);
  return plan;
}

std::vector<Reason> PlanMaker::verdicts(const Uid& job) {
  release_leaving_pods();
  release_leaving_claims();
  auto& asked = *jobs_.find(job);
  const auto lack = lacks(asked, asked.tasks.front());
  std::vector<Reason> said;
  said.reserve(input_.only->size());
  for (const auto& name : *input_.only) {
    const auto node = input_.snapshot->node(name);
    if (lack != Reason::none) {
      said.push_back(lack);
    } else if (!node) {
      said.push_back(Reason::node_unknown);
    } else {
      said.push_back(said_by(*node, asked, asked.tasks.front()));
    }
  }
  judge_kept_nodes(asked, said);
  overlay_.undo(0);
  return said;
}

/// Nodes that would take the pod, and on which the room is kept for another job.
void PlanMaker::judge_kept_nodes(PlanJob& job, std::vector<Reason>& said) {
  static_cast<void>(keeper_.begin({}, false));
  if (!keeper_.keeps_from(job)) return;
  for (const auto node : keeper_.nodes_for(job.tasks.front())) {
    if (keeper_.takes(job, node)) continue;
    const auto& name = input_.snapshot->name(node);
    for (std::size_t i = 0; i < said.size(); ++i) {
      if ((*input_.only)[i] == name && said[i] == Reason::none) said[i] = Reason::room_kept;
    }
  }
}

Advice PlanMaker::advise(const Uid& job, const Uid& pod) {
  Advice advice;
  advice.nodes.resize(input_.only->size());
  auto& asked = *jobs_.find(job);
  const auto task = std::ranges::find_if(
      asked.tasks, [&](const Task& each) { return each.pod().meta.uid == pod; });
  release_leaving_pods();
  release_leaving_claims();
  const auto before = overlay_.mark();
  hold_room_of_others(asked);
  const auto best_first = judge(asked, *task, advice);
  // Whoever allocates knows nothing of what is held for others.
  overlay_.undo(before);
  for (const auto node : best_first) {
    const Task* const one = &*task;
    auto chosen = placer_.choose(asked, std::span(&one, 1), node);
    if (!chosen) continue;
    advice.placement = std::move(chosen->devices.placements.front());
    advice.warnings = std::move(chosen->devices.warnings);
    break;
  }
  overlay_.undo(0);
  return advice;
}

/// Room for others that an earlier plan holds, whoever of them it would start now.
void PlanMaker::hold_room_of_others(const PlanJob& job) {
  auto waiting = waiting_jobs();
  std::erase(waiting, &job);
  Turns turns(context_, overlay_.queues(), waiting);
  static_cast<void>(
      ServeJobs(context_, jobs_, overlay_, placer_, decisions_, turns, feasibility_, keeper_)
          .run(waiting, false));
}

/// What the nodes say; those that will do come back, the best first.
std::vector<cluster::NodeIndex> PlanMaker::judge(PlanJob& job, const Task& task, Advice& advice) {
  const auto lack = lacks(job, task);
  NodeSet fitting;
  for (std::size_t i = 0; i < advice.nodes.size(); ++i) {
    auto& said = advice.nodes[i].reason;
    const auto node = input_.snapshot->node((*input_.only)[i]);
    said = lack;
    if (lack != Reason::none) continue;
    said = node ? said_by(*node, job, task) : Reason::node_unknown;
    if (said == Reason::none) fitting.nodes.push_back(*node);
  }
  auto best_first = placer_.choice().ranked(job, task, fitting);
  std::map<cluster::NodeIndex, std::int64_t> ranks;
  for (const auto node : best_first) {
    ranks.emplace(node, static_cast<std::int64_t>(best_first.size() - ranks.size()));
  }
  for (std::size_t i = 0; i < advice.nodes.size(); ++i) {
    if (advice.nodes[i].reason != Reason::none) continue;
    advice.nodes[i].rank = ranks.at(*input_.snapshot->node((*input_.only)[i]));
  }
  return best_first;
}

/// Whether the node's idle room does for the pod, with devices that its queue may have.
Reason PlanMaker::said_by(cluster::NodeIndex node, const PlanJob& job, const Task& task) {
  const auto said = placer_.fit().verdict(task, node).in(Room::idle);
  const Task* const one = &task;
  if (said != Reason::none || !placer_.may_exceed(job, std::span(&one, 1))) return said;
  const auto chosen = placer_.choose(job, std::span(&one, 1), node);
  return chosen ? Reason::none : chosen.error().reason;
}

/// What keeps the pod from every node; Reason::none: nothing does.
Reason PlanMaker::lacks(const PlanJob& job, const Task& task) const {
  if (!job.queue) return Reason::queue_missing;
  if (task.not_ready) return task.not_ready->reason;
  const auto no =
      policy::check_capacity(start_.queues, *job.queue, task.wanted().least, job.job->preemptible);
  if (!no) return Reason::none;
  return no->rule == policy::CapacityRule::limit ? Reason::queue_limit : Reason::queue_quota;
}

/// Of the first jobs without room: which node groups would have to grow for them. As many as an
/// autoscaler may see; jobs for which none can grow do not count.
void PlanMaker::ask_node_groups(std::vector<JobOutcome>& outcomes, JobWatch* watch) {
  const auto& config = context_.policy.config;
  auto left = std::max(config.budgets.exposed_jobs, 0);
  if (config.node_groups.empty() || input_.only || left == 0) return;
  std::optional<NodeGrowth> growth;
  for (auto& outcome : outcomes) {
    if (gets_something(outcome) || !reason_info(outcome.reason).more_nodes_help) continue;
    auto& job = *jobs_.find(outcome.job);
    const auto tasks = tasks_without_room(job);
    if (tasks.empty()) continue;
    if (!growth) growth.emplace(context_, options_);
    auto verdict = growth->judge(job, tasks);
    const auto said = verdict.groups.empty()
                          ? "no node group can grow to fit: " + verdict.why_not
                          : fmt::format("{} can grow to fit", fmt::join(verdict.groups, " and "));
    outcome.detail += (outcome.detail.empty() ? "" : "; ") + said;
    if (watch != nullptr && watch->job == outcome.job) watch->node_groups = said;
    if (verdict.groups.empty()) continue;
    outcome.node_groups = std::move(verdict.groups);
    if (--left == 0) return;
  }
}

/// Those of the job's next chunk that the nodes that there are do not take: all of it where its
/// members want a domain, and where the plan's budget for looking has ended.
std::vector<const Task*> PlanMaker::tasks_without_room(PlanJob& job) {
  const auto chunk = job.next_chunk();
  std::optional<RoomKeeper::Lifted> its_own;
  if (keeper_.keeps_for(job)) its_own.emplace(keeper_);
  const auto before = overlay_.mark();
  std::vector<const Task*> tasks;
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    if (task.shape == nullptr) return {};
    const bool look = chunk.size() > 1 && !wants_domain(job.job->gang);
    if (!look || !placer_.place(job, std::span(&id, 1), placer_.fit().everywhere(), Room::idle)) {
      tasks.push_back(&task);
    }
  }
  overlay_.undo(before);
  return tasks;
}

std::vector<QueueReport> PlanMaker::report_queues() const {
  std::vector<QueueReport> reports;
  for (const auto& queue : start_.queues.queues()) {
    reports.push_back({queue.name, queue.fair_share, queue.allocated, queue.requested});
  }
  return reports;
}

void PlanMaker::release_leaving_pods() {
  for (const auto* job : jobs_.leaving()) {
    for (const auto& task : job->tasks) {
      if (task.member->state == MemberState::leaving) overlay_.release_leaving(task);
    }
  }
}

/// Pods that are gone still have their devices until somebody takes these off their claims.
void PlanMaker::release_leaving_claims() {
  for (const auto& leaving : input_.leaving) {
    const auto node = input_.snapshot->node(leaving.node);
    const auto held = input_.snapshot->allocation(leaving.claim);
    if (!node || !held) continue;
    PodDemand demand;
    demand.counts = demand.stays = policy::Amounts(start_.queues.resources());
    demand.devices = static_cast<double>(held->devices.size());
    overlay_.release_claim(leaving.claim, *node, demand);
  }
}

/// Jobs that could start; what the others lack is their outcome.
std::vector<PlanJob*> PlanMaker::waiting_jobs() {
  std::vector<PlanJob*> waiting;
  for (auto* job : jobs_.waiting()) {
    if (!job->queue) {
      decisions_.wait(*job, Reason::queue_missing, "queue " + job->job->queue.get());
    } else if (is_ready(*job)) {
      waiting.push_back(job);
    }
  }
  return waiting;
}

/// Whether the job has what it takes to start, were there room.
bool PlanMaker::is_ready(PlanJob& job) {
  const auto chunk = job.next_chunk();
  if (chunk.empty()) {
    const bool incomplete =
        job.gang && std::ranges::any_of(job.tasks, [](const Task& task) {
          return task.slot != nullptr && task.slot->state == policy::TaskState::pending;
        });
    if (incomplete) decisions_.wait(job, Reason::gang_incomplete, members_there(*job.gang));
    return false;
  }
  for (const auto id : chunk) {
    const auto& task = job.tasks[id];
    if (!task.not_ready) continue;
    decisions_.wait(job, task.not_ready->reason, task.not_ready->detail);
    return false;
  }
  if (job.reaches_minimum(chunk)) return true;
  decisions_.wait(job, Reason::gang_incomplete, job.gang ? members_there(*job.gang) : "");
  return false;
}

}  // namespace dray::planner
