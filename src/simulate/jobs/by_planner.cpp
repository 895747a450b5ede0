#include "simulate/jobs/by_planner.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/planner/plan.h"
#include "dray/policy/usage.h"
#include "simulate/jobs/arrivals.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/jobs/recorder.h"

namespace dray::simulate {
namespace {

/// Evictions of a job for others are remembered this long, as the engine does.
constexpr Duration remembered = std::chrono::hours(1);
/// Plans at one moment: each starts somebody, or is the last.
constexpr int most_plans_at_once = 64;

/// What queues had over time, where the policy asks for it.
struct Usage {
  std::optional<policy::UsageHistory> history;
  policy::QueueTree held;  ///< at the last plan
  policy::Amounts total;
};

class PlannerRun {
 public:
  PlannerRun(const Setting& setting, std::shared_ptr<const policy::Policy> policy,
             const JobsOptions& options, JobsRun& run)
      : setting_(setting),
        options_(options),
        run_(run),
        arrivals_(setting.workload()),
        recorder_(setting, run) {
    input_.policy = std::move(policy);
    const auto& budgets = input_.policy->config.budgets;
    input_.budget.jobs = static_cast<std::size_t>(std::max(budgets.jobs, 1));
    input_.budget.nodes_tried = static_cast<std::size_t>(std::max(budgets.nodes_tried, 1));
    input_.budget.evictions = static_cast<std::size_t>(std::max(budgets.evictions, 0));
    for (const auto& node : setting.nodes()) {
      state_.apply(cluster::ObjectChanged{node_object(node)});
    }
    if (const auto& half_life = input_.policy->config.fairness.half_life) {
      usage_.history.emplace().half_life = *half_life;
    }
    usage_.held = input_.policy->queues;
    usage_.total = policy::Amounts(usage_.held.resources());
  }

  void play() {
    while (const auto at = next()) {
      if (options_.until && *at > *options_.until) break;
      now_ = *at;
      while (const auto due = arrivals_.next()) {
        if (*due > now_) break;
        take(arrivals_.take());
      }
      if (plan_at_ && *plan_at_ <= now_) plan_all();
    }
    recorder_.finish(options_.until ? std::max(now_, *options_.until) : now_);
  }

 private:
  /// When the next thing happens: an arrival, an end, a plan that is due.
  [[nodiscard]] std::optional<Duration> next() const {
    const auto event = arrivals_.next();
    if (!plan_at_ || waiting_ == 0) return event;
    return event ? std::min(*event, *plan_at_) : *plan_at_;
  }

  void want_plan(Duration at) {
    if (last_plan_) at = std::max(at, *last_plan_ + options_.plan_pause);
    if (!plan_at_ || at < *plan_at_) plan_at_ = at;
  }

  void take(const Arrivals::Event& event) {
    const auto& trace = setting_.workload().jobs[event.job];
    if (event.arrives) {
      recorder_.arrived(event.job, now_);
      ++waiting_;
      auto job = job_object(trace, event.job, queue_of(trace));
      changed_[job->uid] = std::move(job);
    } else {
      recorder_.ended(event.job, now_);
      const auto uid = job_uid(event.job);
      free_pods(*job_of(uid));
      changed_[uid] = nullptr;
    }
    if (waiting_ > 0) want_plan(now_);
  }

  /// A policy without the trace's queues has one for all.
  [[nodiscard]] policy::QueueName queue_of(const TraceJob& trace) const {
    const bool known = input_.policy->queues.find(trace.queue).has_value();
    return policy::QueueName(known ? trace.queue : std::string(policy::default_queue));
  }

  /// As it is now: also what the list does not show yet.
  [[nodiscard]] std::shared_ptr<const planner::Job> job_of(const Uid& uid) const {
    const auto changed = changed_.find(uid);
    return changed != changed_.end() ? changed->second : input_.jobs.find(uid);
  }

  void free_pods(const planner::Job& job) {
    for (const auto& member : job.members) {
      if (!member.node) continue;
      const auto& meta = member.pod->meta;
      state_.apply(cluster::ObjectGone{Kind::pod, meta.namespace_name, meta.name, meta.uid});
    }
  }

  void plan_all() {
    plan_at_.reset();
    for (int i = 0; i < most_plans_at_once && waiting_ > 0; ++i) {
      const auto plan = make_plan();
      const bool moved = apply(plan);
      if (plan.again_at) want_plan(std::max(*plan.again_at - trace_start, now_ + Duration(1)));
      if (!moved) return;
      if (!plan.exhausted && plan.evictions.empty()) return;
    }
    if (waiting_ > 0) want_plan(now_ + std::max(options_.plan_pause, Duration(1'000'000)));
  }

  planner::Plan make_plan() {
    std::set<Uid> uids;
    for (const auto& [uid, job] : changed_) uids.insert(uid);
    input_.jobs.update(uids, [&](const Uid& uid) { return changed_.at(uid); });
    changed_.clear();
    input_.now = trace_start + now_;
    if (usage_.history) {
      policy::advance(*usage_.history, usage_.held, usage_.total, input_.now);
      input_.usage = std::make_shared<const policy::UsageHistory>(*usage_.history);
    }
    input_.snapshot = state_.snapshot();
    auto plan = planner_.plan(input_);
    input_.snapshot.reset();
    ++run_.plans;
    last_plan_ = now_;
    if (usage_.history) account(plan);
    return plan;
  }

  void account(const planner::Plan& plan) {
    for (const auto& report : plan.queues) {
      if (const auto index = usage_.held.find(report.queue.get())) {
        usage_.held[*index].allocated = report.allocated;
      }
    }
    usage_.total = plan.total;
  }

  /// Victims go first, then those start for whom they went; room that is held is free at once.
  bool apply(const planner::Plan& plan) {
    for (const auto& eviction : plan.evictions) evict(eviction);
    bool moved = !plan.evictions.empty();
    for (const auto& outcome : plan.jobs) {
      if (!planner::gets_something(outcome)) break;
      auto placements = outcome.placements;
      placements.insert(placements.end(), outcome.held.begin(), outcome.held.end());
      start(outcome.job, placements);
      moved = true;
    }
    for (const auto& eviction : plan.evictions) {
      if (!eviction.moved.empty()) start(eviction.job, eviction.moved);
    }
    return moved;
  }

  void evict(const planner::Eviction& eviction) {
    auto job = std::make_shared<planner::Job>(*job_of(eviction.job));
    free_pods(*job);
    const auto now = trace_start + now_;
    job->evicted = now;
    job->queued = now;
    job->started.reset();
    std::erase_if(job->evicted_for, [&](const auto& each) { return each.until <= now; });
    if (eviction.beneficiary && eviction.moved.empty()) {
      const auto& lineage = job_of(*eviction.beneficiary)->lineage;
      const auto until =
          now + std::min(remembered, input_.policy->config.fairness.half_life.value_or(remembered));
      std::erase_if(job->evicted_for,
                    [&](const auto& each) { return each.beneficiary == lineage; });
      job->evicted_for.insert(std::ranges::lower_bound(job->evicted_for, lineage, {},
                                                       &planner::EvictedFor::beneficiary),
                              {lineage, until});
    }
    for (auto& member : job->members) {
      auto pod = *member.pod;
      pod.node_name.reset();
      member = {.pod = std::make_shared<const Pod>(std::move(pod)), .node = {}};
    }
    const auto index = index_of(job->uid);
    arrivals_.stopped(index);
    recorder_.evicted(index, now_, !eviction.moved.empty());
    ++waiting_;
    changed_[job->uid] = std::move(job);
  }

  void start(const Uid& uid, const std::vector<Placement>& placements) {
    auto job = std::make_shared<planner::Job>(*job_of(uid));
    for (const auto& placement : placements) {
      const auto member = std::ranges::find(job->members, placement.pod_uid,
                                            [](const auto& each) { return each.pod->meta.uid; });
      auto pod = *member->pod;
      pod.node_name = placement.node;
      pod.phase = "Running";
      member->pod = std::make_shared<const Pod>(pod);
      member->state = planner::MemberState::placed;
      member->node = placement.node;
      state_.apply(cluster::ObjectChanged{std::move(pod)});
    }
    const bool all =
        std::ranges::all_of(job->members, [](const auto& each) { return each.node.has_value(); });
    if (all) {
      job->started = trace_start + now_;
      const auto index = index_of(uid);
      recorder_.started(index, now_);
      arrivals_.started(index, now_);
      --waiting_;
    }
    changed_[uid] = std::move(job);
  }

  const Setting& setting_;
  const JobsOptions& options_;
  JobsRun& run_;
  Arrivals arrivals_;
  Recorder recorder_;
  cluster::ClusterState state_;
  planner::Planner planner_;
  planner::PlanInput input_;
  std::map<Uid, std::shared_ptr<const planner::Job>> changed_;  ///< null: it is gone
  Usage usage_;
  std::size_t waiting_ = 0;
  Duration now_{0};
  std::optional<Duration> plan_at_;
  std::optional<Duration> last_plan_;
};

}  // namespace

void run_by_planner(const Setting& setting, std::shared_ptr<const policy::Policy> policy,
                    const JobsOptions& options, JobsRun& run) {
  PlannerRun(setting, std::move(policy), options, run).play();
}

}  // namespace dray::simulate
