#include "planner/serve_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "dray/base/count_of.h"
#include "planner/state/job_order.h"

namespace dray::planner {
namespace {

bool all_idle(std::span<const Placed> placed) {
  return std::ranges::all_of(placed, [](const Placed& each) { return each.room == Room::idle; });
}

/// It runs, or will by this plan; what waits is more of it.
bool started(const PlanJob& job) {
  return job.placed > 0 && job.has_minimum();
}

}  // namespace

ServeJobs::ServeJobs(const PlanContext& context, const JobTable& jobs, Overlay& overlay,
                     Placer& placer, Decisions& decisions, Turns& turns, Feasibility& feasibility,
                     RoomKeeper& keeper, JobWatch* watch)
    : context_(context),
      jobs_(jobs),
      overlay_(overlay),
      placer_(placer),
      decisions_(decisions),
      turns_(turns),
      feasibility_(feasibility),
      keeper_(keeper),
      watch_(watch) {}

Served ServeJobs::run(std::span<PlanJob* const> waiting, bool place) {
  serve_holds(waiting);
  const auto* started = keeper_.begin(waiting, place);
  if (started != nullptr) turns_.looked(*started);
  if (started != nullptr && watch_ != nullptr) watch_->turns.push_back(started->job->uid);
  if (place) serve_all(waiting);
  return served_;
}

void ServeJobs::take(PlanJob& job, std::span<const Placed> placed) {
  ++placements_;
  if (all_idle(placed)) {
    decisions_.start(job, placed, overlay_.queues());
  } else {
    decisions_.hold(job, placed, overlay_.queues());
  }
}

/// Jobs for which an earlier plan holds room come first: they start where they can, else their room
/// stays theirs.
void ServeJobs::serve_holds(std::span<PlanJob* const> waiting) {
  for (const auto& hold : context_.input.holds) {
    auto* job = jobs_.find(hold.job);
    if (job == nullptr || std::ranges::find(waiting, job) == waiting.end()) continue;
    if (watch_ != nullptr) watch_->turns.push_back(job->job->uid);
    serve_hold(*job, hold);
    if (decisions_.find(*job) != nullptr) turns_.looked(*job);
  }
}

void ServeJobs::serve_hold(PlanJob& job, const Hold& hold) {
  const auto chunk = job.next_chunk();
  const auto least = job.least_of(chunk, overlay_.queues().resources());
  if (policy::check_capacity(overlay_.queues(), *job.queue, least, job.job->preemptible)) return;
  if (const auto placed = placer_.place(job, chunk, placer_.fit().everywhere(), Room::idle)) {
    return decisions_.start(job, *placed, overlay_.queues());
  }
  NodeSet held;
  for (const auto& placement : hold.placements) {
    if (const auto node = context_.input.snapshot->node(placement.node)) {
      held.nodes.push_back(*node);
    }
  }
  const Overlay& overlay = overlay_;
  std::ranges::sort(held.nodes, {}, [&](auto node) { return overlay.nodes().rank(node); });
  held.nodes.erase(std::unique(held.nodes.begin(), held.nodes.end()), held.nodes.end());
  if (const auto placed = placer_.place(job, chunk, held, Room::releasing)) {
    decisions_.hold(job, *placed, overlay_.queues());
  }
}

void ServeJobs::serve_all(std::span<PlanJob* const> waiting) {
  std::vector<PlanJob*> jobs;
  std::ranges::copy_if(waiting, std::back_inserter(jobs),
                       [](const auto* job) { return job->has_next(); });
  const auto order_of = [this](std::span<PlanJob* const> of) {
    return JobOrder(overlay_.queues(), context_.total, context_.input.now,
                    context_.policy.config.aging, of);
  };
  const auto& budget = context_.input.budget;
  // The other actions get a part of their own.
  const auto nodes = budget.nodes_tried - (evicts(context_) ? budget.nodes_tried / 4 : 0);
  const BudgetParts parts(nodes, turns_.carries());
  auto order = order_of(jobs);
  const auto left =
      serve(order, {.jobs = budget.jobs - turns_.reserved().size(), .nodes = parts.in_order});
  std::vector<PlanJob*> rest;
  std::ranges::copy_if(turns_.reserved(), std::back_inserter(rest),
                       [this](const PlanJob* job) { return decisions_.find(*job) == nullptr; });
  auto order_of_rest = order_of(rest);
  static_cast<void>(serve(order_of_rest, {.jobs = 0, .nodes = left.nodes + parts.reserved}));
  // Those before it may have ended that.
  auto* extended = turns_.extended();
  if (extended != nullptr && decisions_.find(*extended) == nullptr && !is_over()) {
    auto order_of_one = order_of({&extended, 1});
    static_cast<void>(serve(order_of_one, {}));
  }
  report_alike(waiting);
}

/// Serves jobs in their order until nothing is left for the next one; those that something is
/// reserved for do not count as jobs.
ServeJobs::Left ServeJobs::serve(JobOrder& order, Left left) {
  auto& fit = placer_.fit();
  bool cut_short = false;
  while (auto* job = is_over() ? nullptr : order.next()) {
    const bool first = decisions_.find(*job) == nullptr;
    const bool counts = first && !turns_.is_reserved(*job);
    if (counts && left.jobs == 0) {
      turns_.ended_by(BudgetKind::jobs);
      break;
    }
    if (first && cut_short) break;
    if (counts) --left.jobs;
    if (first && watch_ != nullptr) watch_->turns.push_back(job->job->uid);
    const bool extended = job == turns_.extended();
    fit.allow(extended ? turns_.extend(context_.input.budget.nodes_tried) : left.nodes);
    const bool served = serve_chunk(*job);
    turn_over_ = watched(*job) && watch_->ends_with_turn && !(served && job->has_next());
    if (!extended) left.nodes = fit.allowed();
    if (fit.exhausted()) {
      cut_short = cut_short || !extended;
      turns_.ended_by(BudgetKind::nodes_tried);
      turns_.missed(*job);
    } else {
      turns_.looked(*job);
    }
    if (counts && turns_.is_set_aside(*job)) ++left.jobs;
    order.settle(served && job->has_next());
  }
  return left;
}

/// Whether the job got its next chunk.
bool ServeJobs::serve_chunk(PlanJob& job) {
  // It is here for its room only: what is asked is another job.
  if (context_.input.only && keeper_.keeps_for(job)) return false;
  const auto chunk = job.next_chunk();
  const auto least = job.least_of(chunk, overlay_.queues().resources());
  if (const auto no =
          policy::check_capacity(overlay_.queues(), *job.queue, least, job.job->preemptible)) {
    refuse(job, *no);
    return false;
  }
  const auto placed = keeper_.place(job, chunk);
  if (placed) {
    take(job, *placed);
    return true;
  }
  if (serve_another_chunk(job, placed.error())) return true;
  if (report_infeasible(job, chunk, placed.error())) return false;
  if (!placed.error().over) keeper_.refused(job, chunk);
  if (decisions_.find(job) == nullptr || !started(job)) {
    explain(job, chunk, placed.error());
  } else if (const auto* task = placed.error().task;
             watched(job) && task != nullptr && task->shape != nullptr && !placed.error().over) {
    // The rest of a job that starts: nothing is decided of it, but who asks is told why it waits.
    show(chunk.size(), placed.error(), placer_.why_not(placed.error()).devices);
    watch_->no_room->is_rest = true;
  }
  return false;
}

/// A group of a gang that finds no room does not keep the gang's other groups from starting:
/// whether the job got a chunk without it.
bool ServeJobs::serve_another_chunk(PlanJob& job, const NoRoom& failure) {
  const auto* lacking = failure.task;
  bool served = false;
  while (!served && lacking != nullptr && !placer_.fit().exhausted() && job.pass_over(*lacking)) {
    const auto chunk = job.next_chunk();
    const auto least = job.least_of(chunk, overlay_.queues().resources());
    if (policy::check_capacity(overlay_.queues(), *job.queue, least, job.job->preemptible)) break;
    const auto placed = keeper_.place(job, chunk);
    served = placed.has_value();
    if (served) {
      take(job, *placed);
    } else {
      lacking = placed.error().task;
    }
  }
  job.pass_over_none();
  return served;
}

void ServeJobs::refuse(const PlanJob& job, const policy::CapacityRefusal& refusal) {
  ++served_.refused_early;
  say_over(job, refusal);
}

void ServeJobs::say_over(const PlanJob& job, const policy::CapacityRefusal& refusal) {
  if (watched(job)) watch_->capacity = refusal;
  // Of a job that has started only now nothing is said, but that it did.
  const auto* known = decisions_.find(job);
  if (known != nullptr && known->reason == Reason::none && started(job)) return;
  const bool limit = refusal.rule == policy::CapacityRule::limit;
  decisions_.wait(
      job, limit ? Reason::queue_limit : Reason::queue_quota,
      policy::message(refusal, overlay_.queues(), context_.policy.counting.resources()));
}

/// Whether no node could take the job, whoever leaves: then nothing else is done for it.
bool ServeJobs::report_infeasible(PlanJob& job, std::span<const std::uint32_t> chunk,
                                  const NoRoom& failure) {
  const auto* before = decisions_.find(job);
  if (context_.input.only || (before != nullptr && gets_something(*before))) return false;
  auto& fit = placer_.fit();
  const auto looks = feasibility_.looks();
  const auto found = feasibility_.check(job, fit.allowed());
  fit.spend(feasibility_.looks() - looks);
  if (!found) return false;
  turns_.set_infeasible(job, found->lasting);
  if (watched(job)) {  // who asks why is shown what each node lacks
    explain(job, chunk, failure);
    return true;
  }
  auto why = found->too_large;
  if (found->homeless != nullptr) {
    auto refusal = placer_.why_not(
        {.task = found->homeless, .nowhere = true, .among = fit.everywhere().nodes});
    why = refusal.detail.empty() ? std::string(plain_text(refusal.reason))
                                 : std::move(refusal.detail);
    if (!job.gang && found->lasting) {
      infeasible_.insert_or_assign(found->homeless->shape->number, why);
    }
  }
  decisions_.wait(job, Reason::no_node_fits, std::move(why));
  return true;
}

/// Jobs that are like one that the plan has found infeasible, and that it has not reached: they
/// need no turn.
void ServeJobs::report_alike(std::span<PlanJob* const> waiting) {
  if (infeasible_.empty()) return;
  for (auto* job : waiting) {
    const auto& shape = job->tasks.front().shape;
    if (job->gang || shape == nullptr || decisions_.find(*job) != nullptr || watched(*job))
      continue;
    const auto why = infeasible_.find(shape->number);
    if (why == infeasible_.end()) continue;
    turns_.set_infeasible(*job, true);
    turns_.looked(*job);
    decisions_.wait(*job, Reason::no_node_fits, why->second);
  }
}

void ServeJobs::explain(PlanJob& job, std::span<const std::uint32_t> chunk, NoRoom failure) {
  if (watch_ != nullptr && watch_->job_alone && !watched(job)) {
    return decisions_.wait(job, Reason::no_node_fits, {});
  }
  if (keeper_.keeps_from(job) && !placer_.fit().exhausted() && room_is_kept(job, chunk, failure)) {
    if (watched(job)) show(chunk.size(), failure, {});
    if (chunk.size() == 1) return decisions_.wait(job, Reason::room_kept, {});
    return decisions_.wait(job, Reason::gang_no_room,
                           fmt::format("room for {} of {} pods; the others: {}", failure.placed,
                                       chunk.size(), plain_text(Reason::room_kept)));
  }
  if (!keeper_.keeps_for(job)) return say_no_room(job, chunk.size(), failure);
  const RoomKeeper::Lifted lifted(keeper_);
  say_no_room(job, chunk.size(), failure);
  auto& outcome = decisions_.outcome(job);
  const auto nodes = keeper_.nodes();
  decisions_.wait(job, outcome.reason,
                  fmt::format("{}; {} {} kept for it", outcome.detail, count_of(nodes, "node"),
                              nodes == 1 ? "is" : "are"));
}

/// Whether there would be room for the chunk if none were kept for another job; if not, the failure
/// becomes the one without that.
bool ServeJobs::room_is_kept(PlanJob& job, std::span<const std::uint32_t> chunk, NoRoom& failure) {
  const auto& shape = job.tasks[chunk.front()].shape;
  const bool alike = chunk.size() == 1 && shape != nullptr && !shape->singular;
  if (!alike || watched(job)) return keeper_.would_fit(job, chunk, failure);
  // Room becomes less in the course of a plan.
  const auto known = would_fit_.find(shape->number);
  if (known != would_fit_.end() && (!known->second.fits || known->second.at == placements_)) {
    return known->second.fits;
  }
  const bool fits = keeper_.would_fit(job, chunk, failure);
  would_fit_[shape->number] = {.fits = fits, .at = placements_};
  return fits;
}

void ServeJobs::say_no_room(const PlanJob& job, std::size_t members, const NoRoom& failure) {
  if (failure.task == nullptr) return decisions_.wait(job, Reason::no_node_fits, {});
  if (failure.task->shape == nullptr) {
    const auto& why = failure.task->not_ready;
    return decisions_.wait(job, why ? why->reason : Reason::no_node_fits, why ? why->detail : "");
  }
  if (failure.over && !placer_.fit().exhausted()) return say_over(job, *failure.over);
  auto refusal = placer_.why_not(failure);
  if (watched(job)) show(members, failure, refusal.devices);
  if (placer_.fit().exhausted()) return decisions_.wait(job, Reason::planning, refusal.detail);
  if (failure.no_domain) return decisions_.wait(job, Reason::no_domain, refusal.detail);
  if (members == 1) return decisions_.wait(job, refusal.reason, std::move(refusal.detail));
  decisions_.wait(
      job, Reason::gang_no_room,
      fmt::format("room for {} of {} pods; the next: {}", failure.placed, members,
                  refusal.detail.empty() ? std::string(name(refusal.reason)) : refusal.detail));
}

void ServeJobs::show(std::size_t members, NoRoom failure, std::string text) {
  NodesAlike kept{.reason = Reason::room_kept,
                  .what = {},
                  .text = std::string(plain_text(Reason::room_kept)),
                  .nearest = {},
                  .nodes = {}};
  if (keeper_.keeps_from(*jobs_.find(watch_->job))) {
    for (const auto node : keeper_.nodes_for(*failure.task)) {
      kept.nodes.push_back(overlay_.snapshot().name(node));
      std::erase(failure.among, node);
    }
  }
  auto nodes = nodes_alike(failure, placer_.fit(), overlay_);
  if (!kept.nodes.empty()) nodes.push_back(std::move(kept));
  std::ranges::stable_sort(nodes, std::greater(),
                           [](const NodesAlike& alike) { return alike.nodes.size(); });
  watch_->no_room.emplace(JobWatch::NoRoom{.pod = failure.task->pod().meta.uid,
                                           .members = members,
                                           .found = failure.placed,
                                           .no_domain = failure.no_domain,
                                           .is_rest = false,
                                           .text = std::move(text),
                                           .nodes = std::move(nodes),
                                           .state = overlay_.releasing()});
}

}  // namespace dray::planner
