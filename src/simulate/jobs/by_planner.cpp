#include "simulate/jobs/by_planner.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "dray/cluster/state.h"
#include "dray/engine/engine.h"
#include "dray/planner/plan.h"
#include "simulate/jobs/arrivals.h"
#include "simulate/jobs/churn_queue.h"
#include "simulate/jobs/cluster_objects.h"
#include "simulate/jobs/job_claims.h"
#include "simulate/jobs/queue_books.h"
#include "simulate/jobs/recorder.h"
#include "simulate/jobs/waiting_jobs.h"

namespace dray::simulate {
namespace {

/// Plans at one moment: each starts somebody, or is the last.
constexpr int most_plans_at_once = 64;

/// Evicted jobs that wait.
struct Evicted {
  std::map<Uid, std::shared_ptr<const planner::Job>> waiting;
  std::multimap<Time, Uid> forgiven_at;  ///< when nothing follows from it any more
};

class PlannerRun {
 public:
  PlannerRun(const Setting& setting, std::shared_ptr<const policy::Policy> policy,
             const JobsOptions& options, JobsRun& run)
      : setting_(setting),
        options_(options),
        run_(run),
        arrivals_(setting.workload()),
        recorder_(setting, run, options),
        claims_(setting, state_),
        churn_(options.churn, setting.nodes()),
        waiting_(setting, *policy, options),
        books_(*policy) {
    input_.policy = std::move(policy);
    const auto& budgets = input_.policy->config.budgets;
    input_.budget.jobs = static_cast<std::size_t>(std::max(budgets.jobs, 1));
    input_.budget.nodes_tried = static_cast<std::size_t>(std::max(budgets.nodes_tried, 1));
    input_.budget.evictions = static_cast<std::size_t>(std::max(budgets.evictions, 0));
    for_each_object(setting.cluster(), [this](const KubeObject& object) {
      state_.apply(object);
      churn_.keep(object);
    });
    for (const auto& node : setting.nodes()) plan_.freed_gpus += node.gpus;
  }

  void play() {
    while (const auto at = next()) {
      if (options_.until && *at >= *options_.until) break;
      now_ = *at;
      while (const auto due = arrivals_.next()) {
        if (*due > now_) break;
        take(arrivals_.take());
      }
      while (const auto* one = churn_.take_until(now_)) take(*one);
      if (is_due()) plan_all();
    }
    recorder_.finish(options_.until ? std::max(now_, *options_.until) : now_);
  }

 private:
  /// When the next thing happens: an arrival, an end, a plan that is due.
  [[nodiscard]] std::optional<Duration> next() const {
    const auto event =
        churn_.next_of(arrivals_.next(), waiting_.size() > 0 || options_.until.has_value());
    auto plan = waiting_.size() == 0 ? std::nullopt : plan_.due;
    if (regular() && (event || plan || options_.until)) plan = plan_.look;
    if (!plan) return event;
    return event ? std::min(*event, *plan) : *plan;
  }

  [[nodiscard]] bool regular() const { return options_.plan_every > Duration(0); }

  /// Whether a plan is to be made now. Between two regular looks nothing is done; at one of them a
  /// plan is made if something happened since the last, or time alone moved the shares or made an
  /// evicted job one like others.
  bool is_due() {
    const bool due = plan_.due && *plan_.due <= now_;
    if (!regular()) return due;
    if (now_ < plan_.look) return false;
    plan_.look = now_ + options_.plan_every;
    ++run_.cycles;
    return waiting_.size() > 0 && (due || options_.show_all || is_forgiven(trace_start + now_) ||
                                   books_.shares_moved(trace_start + now_));
  }

  [[nodiscard]] bool is_forgiven(Time now) const {
    return !evicted_.forgiven_at.empty() && evicted_.forgiven_at.begin()->first <= now;
  }

  void want_plan(Duration at) {
    if (plan_.last) at = std::max(at, *plan_.last + options_.plan_pause);
    if (!plan_.due || at < *plan_.due) plan_.due = at;
  }

  void take(const Arrivals::Event& event) {
    if (event.arrives) {
      recorder_.arrived(event.job, now_);
      waiting_.add(event.job, false);
      books_.count(waiting_.queue_of(event.job), waiting_.counts_of(event.job));
      // Those like it found no room at the last plan, and none has come since.
      if (!waiting_.has_like(event.job) || options_.show_all ||
          books_.shares_moved(trace_start + now_)) {
        want_plan(now_);
      }
    } else {
      recorder_.ended(event.job, now_);
      books_.count(waiting_.queue_of(event.job), waiting_.counts_of(event.job), true);
      const auto uid = job_uid(event.job);
      const auto job = job_of(uid);
      free_pods(*job);
      hold(event.job, true);
      claims_.remove(*job);
      changed_[uid] = nullptr;
      if (waiting_.size() > 0) want_plan(now_);
    }
  }

  /// As it is now: also what the list does not show yet, or not any more.
  [[nodiscard]] std::shared_ptr<const planner::Job> job_of(const Uid& uid) const {
    if (const auto evicted = evicted_.waiting.find(uid); evicted != evicted_.waiting.end())
      return evicted->second;
    const auto changed = changed_.find(uid);
    return changed != changed_.end() ? changed->second : input_.jobs.find(uid);
  }

  /// The job has its room from now on; or, `less`, it has it no more.
  void hold(std::size_t job, bool less) {
    books_.hold(waiting_.queue_of(job), waiting_.counts_of(job), trace_start + now_, less);
  }

  [[nodiscard]] double gpus_of(const planner::Job& job) const {
    const auto& trace = setting_.workload().jobs[index_of(job.uid)];
    return static_cast<double>(trace.ask.gpus) * trace.pods;
  }

  void free_pods(const planner::Job& job) {
    plan_.freed_gpus += gpus_of(job);
    for (const auto& member : job.members) {
      if (!member.node) continue;
      claims_.give_back(*member.pod);
      const auto& meta = member.pod->meta;
      state_.apply(cluster::ObjectGone{Kind::pod, meta.namespace_name, meta.name, meta.uid});
    }
  }

  void plan_all() {
    plan_.due.reset();
    for (int i = 0; i < most_plans_at_once && waiting_.size() > 0; ++i) {
      const auto plan = make_plan();
      const bool moved = apply(plan);
      if (plan.again_at) want_plan(std::max(*plan.again_at - trace_start, now_ + Duration(1)));
      if (!moved) return;
      if (!plan.exhausted && plan.evictions.empty()) return;
    }
    if (waiting_.size() > 0) want_plan(now_ + std::max(options_.plan_pause, Duration(1'000'000)));
  }

  planner::Plan make_plan() {
    const auto now = trace_start + now_;
    input_.now = now;
    input_.usage = books_.usage_until(now);
    forgive(now);
    waiting_.show_for(std::exchange(plan_.freed_gpus, 0));
    planner::Plan plan;
    do {
      list_changes();
      input_.snapshot = state_.snapshot();
      plan = planner_.plan(input_);
      input_.progress = plan.progress;
      ++run_.plans;
    } while (waiting_.show_more(plan));
    recorder_.planned(plan, input_);
    input_.snapshot.reset();
    plan_.last = now_;
    input_.kept = plan.kept ? std::make_shared<const planner::KeptRoom>(*plan.kept) : nullptr;
    books_.read(plan);
    return plan;
  }

  /// Brings the planner's list up to what is there and shown.
  void list_changes() {
    for (const auto& [index, shown] : waiting_.take_changes()) {
      auto uid = job_uid(index);
      const auto evicted = evicted_.waiting.find(uid);
      std::shared_ptr<const planner::Job> job;
      if (shown && evicted != evicted_.waiting.end()) {
        job = evicted->second;
      } else if (shown) {
        job = job_object(setting_.workload().jobs[index], index, waiting_.queue_of(index),
                         setting_.cluster().gpus, options_.known_run_times);
        claims_.make(*job);
      }
      changed_[std::move(uid)] = std::move(job);
    }
    std::set<Uid> uids;
    for (const auto& [uid, job] : changed_) uids.insert(uid);
    input_.jobs.update(uids, [&](const Uid& uid) { return changed_.at(uid); });
    changed_.clear();
    input_.unlisted = waiting_.unlisted();
  }

  /// Jobs whose evictions are so long ago that nothing follows from them are like others again.
  void forgive(Time now) {
    while (is_forgiven(now)) {
      const auto known = evicted_.waiting.find(evicted_.forgiven_at.begin()->second);
      evicted_.forgiven_at.erase(evicted_.forgiven_at.begin());
      if (known == evicted_.waiting.end() || known->second->evicted_for.empty()) continue;
      auto job = std::make_shared<planner::Job>(*known->second);
      std::erase_if(job->evicted_for, [&](const auto& each) { return each.until <= now; });
      const auto index = index_of(job->uid);
      if (job->evicted_for.empty()) {
        waiting_.remove(index);
        waiting_.add(index, is_own(*job));
        known->second = std::move(job);
      }
    }
  }

  /// Whether it waits unlike others that ask for the same.
  [[nodiscard]] bool is_own(const planner::Job& job) const {
    return !job.evicted_for.empty() || (input_.policy->config.aging && job.evicted);
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

  /// The job without its pods, which are gone.
  std::shared_ptr<planner::Job> stopped(const Uid& uid) {
    auto job = std::make_shared<planner::Job>(*job_of(uid));
    free_pods(*job);
    const auto now = trace_start + now_;
    job->evicted = now;
    job->queued = now;
    job->started.reset();
    for (auto& member : job->members) {
      auto pod = *member.pod;
      pod.node_name.reset();
      member = {.pod = std::make_shared<const Pod>(std::move(pod)), .node = {}};
    }
    const auto index = index_of(uid);
    arrivals_.stopped(index);
    hold(index, true);
    return job;
  }

  void wait_again(std::shared_ptr<planner::Job> job) {
    waiting_.add(index_of(job->uid), is_own(*job));
    changed_.erase(job->uid);
    evicted_.waiting[job->uid] = std::move(job);
  }

  void take(const Churn& churn) {
    for (const auto& object : churn.objects) state_.apply(cluster::ObjectChanged{object});
    if (!churn.node.empty()) change_node(churn);
    if (waiting_.size() > 0) want_plan(now_);
  }

  void change_node(const Churn& churn) {
    if (churn.kind == ChurnKind::fails) {
      for (const auto& uid : running_on(NodeName(churn.node))) {
        auto job = stopped(uid);
        recorder_.failed(index_of(uid), now_);
        wait_again(std::move(job));
      }
      state_.apply(cluster::ObjectGone{Kind::node, "", churn.node, {}});
      return;
    }
    auto node = churn_.node(churn.node);
    node.unschedulable = churn.kind == ChurnKind::cordoned;
    state_.apply(cluster::ObjectChanged{std::move(node)});
    plan_.freed_gpus += setting_.nodes()[churn_.place_of(churn.node)].gpus;
  }

  /// Jobs with a pod on the node.
  [[nodiscard]] std::set<Uid> running_on(const NodeName& node) const {
    std::set<Uid> uids;
    for (const auto& job : input_.jobs) uids.insert(job->uid);
    for (const auto& [uid, job] : changed_) uids.insert(uid);
    std::erase_if(uids, [&](const Uid& uid) {
      const auto job = job_of(uid);
      return !job || std::ranges::none_of(job->members,
                                          [&](const auto& member) { return member.node == node; });
    });
    return uids;
  }

  void evict(const planner::Eviction& eviction) {
    const auto now = trace_start + now_;
    auto job = stopped(eviction.job);
    std::erase_if(job->evicted_for, [&](const auto& each) { return each.until <= now; });
    if (eviction.beneficiary && eviction.moved.empty()) {
      const auto& lineage = job_of(*eviction.beneficiary)->lineage;
      const auto until = now + input_.policy->config.fairness.memory();
      std::erase_if(job->evicted_for,
                    [&](const auto& each) { return each.beneficiary == lineage; });
      job->evicted_for.insert(std::ranges::lower_bound(job->evicted_for, lineage, {},
                                                       &planner::EvictedFor::beneficiary),
                              {lineage, until});
      evicted_.forgiven_at.emplace(until, job->uid);
    }
    recorder_.evicted(eviction, now_);
    wait_again(std::move(job));
  }

  /// Nothing where places are not wanted.
  [[nodiscard]] std::vector<Place> places_of(const planner::Job& job) const {
    std::vector<Place> places;
    if (!recorder_.wants_places()) return places;
    for (const auto& member : job.members) {
      places.push_back({.node = recorder_.node_of(member.node->get()), .gpus = 0});
    }
    return places;
  }

  void start(const Uid& uid, const std::vector<Placement>& placements) {
    auto job = std::make_shared<planner::Job>(*job_of(uid));
    for (const auto& placement : placements) {
      const auto member = std::ranges::find(job->members, placement.pod_uid,
                                            [](const auto& each) { return each.pod->meta.uid; });
      auto pod = *member->pod;
      pod.node_name = placement.node;
      pod.phase = "Running";
      pod.start_time = trace_start + now_;
      member->pod = std::make_shared<const Pod>(pod);
      member->state = planner::MemberState::placed;
      member->node = placement.node;
      claims_.take(placement);
      state_.apply(cluster::ObjectChanged{std::move(pod)});
    }
    const bool all =
        std::ranges::all_of(job->members, [](const auto& each) { return each.node.has_value(); });
    if (all) {
      job->started = trace_start + now_;
      const auto index = index_of(uid);
      recorder_.started(index, now_, places_of(*job));
      arrivals_.started(index, now_);
      hold(index, false);
      waiting_.remove(index);
      evicted_.waiting.erase(uid);
    }
    changed_[uid] = std::move(job);
  }

  const Setting& setting_;
  const JobsOptions& options_;
  JobsRun& run_;
  Arrivals arrivals_;
  Recorder recorder_;
  cluster::ClusterState state_;
  JobClaims claims_;
  ChurnQueue churn_;
  planner::Planner planner_{engine::Options().allocator};
  planner::PlanInput input_;
  WaitingJobs waiting_;
  QueueBooks books_;
  std::map<Uid, std::shared_ptr<const planner::Job>> changed_;  ///< null: not to be listed
  Evicted evicted_;
  Duration now_{0};
  struct {
    std::optional<Duration> due;
    std::optional<Duration> last;
    Duration look{0};       ///< the next regular one
    double freed_gpus = 0;  ///< since the last
  } plan_;
};

}  // namespace

void run_by_planner(const Setting& setting, std::shared_ptr<const policy::Policy> policy,
                    const JobsOptions& options, JobsRun& run) {
  PlannerRun(setting, std::move(policy), options, run).play();
}

}  // namespace dray::simulate
