#include "service/plan_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <utility>

#include "dray/base/check.h"
#include "dray/base/count_of.h"
#include "service/log.h"
#include "service/tracer.h"

namespace dray::service {
namespace {

constexpr std::int64_t most_pods_traced = 256;

/// Who gets a place, job by job: most plans place nobody.
void log_placed(const planner::Plan& plan, const planner::PlanInput& input, Tracer* tracer) {
  for (const auto& outcome : plan.jobs) {
    if (outcome.placements.empty()) continue;
    const auto job = input.jobs.find(outcome.job);
    if (!job) continue;
    const auto& first = outcome.placements.front();
    const auto pods = outcome.placements.size();
    LogFields fields{{"job", job->name}, {"queue", job->queue.get()}};
    if (pods == 1) {
      fields.emplace_back("pod", first.pod.to_string());
      fields.emplace_back("node", first.node.get());
      if (tracer != nullptr) add_trace(fields, *tracer, first.pod_uid);
    }
    log_info(2,
             fmt::format("placed {} of queue {}: {}", job->name, job->queue.get(),
                         pods == 1 ? "on " + first.node.get() : fmt::format("{} pods", pods)),
             fields);
  }
}

/// Who is to be evicted for whom, by name: the Events of the victims leave out other tenants'.
void log_evicted(const planner::Plan& plan, const planner::PlanInput& input) {
  const auto named = [](const planner::Job& job) {
    return fmt::format("{} of queue {}", job.name, job.queue.get());
  };
  for (const auto& eviction : plan.evictions) {
    const auto victim = input.jobs.find(eviction.job);
    if (!victim) continue;
    const auto taker = eviction.beneficiary ? input.jobs.find(*eviction.beneficiary) : nullptr;
    const auto cause = std::string(planner::name(eviction.cause));
    LogFields fields{{"job", victim->name}, {"queue", victim->queue.get()}, {"cause", cause}};
    if (taker) fields.emplace_back("beneficiary", taker->name);
    log_info(2,
             fmt::format("the plan evicts {} of {}: {}", count_of(eviction.pods.size(), "pod"),
                         named(*victim), taker ? cause + " for " + named(*taker) : cause),
             fields);
  }
}

void log_plan(const planner::Plan& plan, const planner::PlanInput& input,
              std::chrono::steady_clock::duration took, Tracer* tracer) {
  if (!logs(2)) return;
  log_placed(plan, input, tracer);
  log_evicted(plan, input);
  if (!logs(4)) return;
  const auto placed = std::ranges::count_if(
      plan.jobs, [](const planner::JobOutcome& job) { return !job.placements.empty(); });
  log_info(4, fmt::format("plan: {} of {} jobs placed, {} nodes tried, {} us", placed,
                          plan.jobs.size(), plan.nodes_tried,
                          std::chrono::duration_cast<std::chrono::microseconds>(took).count()));
}

/// A span of the plan, and one of the plan in the trace of each pod that it places: the first of
/// them, since a plan may place thousands at once.
void trace_plan(const planner::Plan& plan, std::chrono::steady_clock::duration took,
                Tracer& tracer) {
  const auto lasted = std::chrono::duration_cast<Duration>(took);
  std::int64_t placed = 0;
  for (const auto& outcome : plan.jobs) {
    for (const auto& placement : outcome.placements) {
      if (++placed > most_pods_traced) continue;
      auto span = tracer.begin("plan", placement.pod_uid);
      if (!span) continue;
      span->start -= lasted;
      span->attributes = {{"k8s.namespace.name", placement.pod.namespace_name},
                          {"k8s.pod.name", placement.pod.name},
                          {"k8s.node.name", placement.node.get()}};
      tracer.end(*std::move(span));
    }
  }
  auto whole = tracer.begin("plan of all");
  if (!whole) return;
  whole->start -= lasted;
  whole->attributes = {{"dray.jobs", static_cast<std::int64_t>(plan.jobs.size())},
                       {"dray.pods_placed", placed},
                       {"dray.nodes_tried", static_cast<std::int64_t>(plan.nodes_tried)},
                       {"dray.evictions", static_cast<std::int64_t>(plan.evictions.size())}};
  tracer.end(*std::move(whole));
}

}  // namespace

PlanWorker::PlanWorker(MakePlan make, Watchers watchers, Listener listener)
    : metrics_(watchers.metrics),
      tracer_(watchers.tracer),
      listener_(std::move(listener)),
      make_(std::move(make)),
      thread_(1) {}

PlanWorker::~PlanWorker() {
  thread_.stop();
  thread_.join();
}

void PlanWorker::ask(engine::WantPlan wanted) {
  boost::asio::post(thread_, [this, wanted = std::move(wanted)] { work(wanted); });
}

void PlanWorker::work(const engine::WantPlan& wanted) {
  if (broken_) return;
  const auto start = std::chrono::steady_clock::now();
  planner::Plan plan;
  if (auto broken = run_checked([&] { plan = make_(*wanted.input); })) {
    broken_ = true;
    return listener_.broken("plan: " + broken->text);
  }
  const auto took = std::chrono::steady_clock::now() - start;
  metrics_.observe("dray_plan_duration_seconds", {}, took);
  metrics_.count("dray_plan_jobs_total", {}, static_cast<double>(plan.jobs.size()));
  metrics_.count("dray_plan_nodes_tried_total", {}, static_cast<double>(plan.nodes_tried));
  metrics_.count("dray_plan_victim_sets_tried_total", {}, static_cast<double>(plan.scenarios));
  metrics_.count("dray_plan_jobs_refused_early_total", {}, static_cast<double>(plan.refused_early));
  if (plan.exhausted) metrics_.count("dray_plans_exhausted_total");
  log_plan(plan, *wanted.input, took, tracer_);
  if (tracer_ != nullptr) trace_plan(plan, took, *tracer_);
  // The last one is destroyed here, and not where it was taken.
  last_ = std::make_shared<const planner::Plan>(std::move(plan));
  listener_.planned({wanted.generation, last_});
}

}  // namespace dray::service
