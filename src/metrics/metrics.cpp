#include "metrics/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace dray::metrics {
namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Family;
using prometheus::Histogram;

using Buckets = Histogram::BucketBoundaries;

/// From ten microseconds to ten seconds: a decision takes micro-, a write milliseconds.
Buckets time_buckets() {
  return {1e-5,  2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01,
          0.025, 0.05,   0.1,  0.25, 0.5,    1,    2.5,  5,      10};
}

/// Figures whose labels come and go: made anew for each page.
void add_passing(prometheus::Registry& registry, const EngineFigures& figures) {
  const auto family = [&](const char* name, const char* help) -> Family<prometheus::Gauge>& {
    return BuildGauge().Name(name).Help(help).Register(registry);
  };
  auto& share = family("dray_queue_fair_share", "What the queue may hold now, by resource.");
  auto& held = family("dray_queue_allocated", "What the queue holds, by resource.");
  auto& asked = family("dray_queue_requested", "What the queue holds and waits for, by resource.");
  for (const auto& queue : figures.queues) {
    const std::map<std::string, std::string> labels{{"queue", queue.queue},
                                                    {"resource", queue.resource}};
    share.Add(labels).Set(queue.fair_share);
    held.Add(labels).Set(queue.allocated);
    asked.Add(labels).Set(queue.requested);
  }
  if (figures.policy_problem.empty()) return;
  family("dray_policy_problem", "Why the policy is not in force as it was written last.")
      .Add({{"reason", figures.policy_problem}})
      .Set(1);
}

}  // namespace

struct Metrics::Families {
  explicit Families(const std::string& version)
      : calls(BuildCounter()
                  .Name("dray_extender_requests_total")
                  .Help("Calls of kube-scheduler by verb and result.")
                  .Register(registry)),
        call_seconds(BuildHistogram()
                         .Name("dray_extender_request_duration_seconds")
                         .Help("From the request's body to the answer's, by verb.")
                         .Register(registry)),
        writes(BuildCounter()
                   .Name("dray_api_writes_total")
                   .Help("Requests to the API server by kind and result.")
                   .Register(registry)),
        write_seconds(BuildHistogram()
                          .Name("dray_api_write_duration_seconds")
                          .Help("Requests to the API server by kind.")
                          .Register(registry)),
        step_seconds(BuildHistogram()
                         .Name("dray_engine_step_duration_seconds")
                         .Help("Steps of the engine on its strand by cause.")
                         .Register(registry)),
        plan_seconds(BuildHistogram()
                         .Name("dray_plan_duration_seconds")
                         .Help("Plans made beside the strand.")
                         .Register(registry)
                         .Add({}, time_buckets())),
        plan_jobs(BuildCounter()
                      .Name("dray_plan_jobs_total")
                      .Help("Jobs that plans looked at.")
                      .Register(registry)
                      .Add({})),
        plan_nodes(BuildCounter()
                       .Name("dray_plan_nodes_tried_total")
                       .Help("Nodes that plans looked at for a job.")
                       .Register(registry)
                       .Add({})) {
    BuildGauge()
        .Name("dray_build_info")
        .Help("Always 1; the version is a label.")
        .Register(registry)
        .Add({{"version", version}})
        .Set(1);
  }

  void gauge(const char* name, const char* help, double value) {
    BuildGauge().Name(name).Help(help).Register(registry).Add({}).Set(value);
  }
  /// The engine counts by itself; the counter follows it up.
  void counter(const char* name, const char* help, double value,
               const std::map<std::string, std::string>& labels = {}) {
    auto& counter = BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
    if (value > counter.Value()) counter.Increment(value - counter.Value());
  }

  prometheus::Registry registry{prometheus::Registry::InsertBehavior::Merge};
  Family<prometheus::Counter>& calls;
  Family<Histogram>& call_seconds;
  Family<prometheus::Counter>& writes;
  Family<Histogram>& write_seconds;
  Family<Histogram>& step_seconds;
  Histogram& plan_seconds;
  prometheus::Counter& plan_jobs;
  prometheus::Counter& plan_nodes;
  std::mutex page;
};

Metrics::Metrics(const std::string& version) : families_(std::make_unique<Families>(version)) {}
Metrics::~Metrics() = default;

void Metrics::extender_call(std::string_view verb, std::string_view result, Seconds took) {
  const std::string name(verb);
  families_->calls.Add({{"verb", name}, {"result", std::string(result)}}).Increment();
  families_->call_seconds.Add({{"verb", name}}, time_buckets()).Observe(took.count());
}

void Metrics::write(std::string_view kind, std::string_view result, Seconds took) {
  const std::string name(kind);
  families_->writes.Add({{"kind", name}, {"result", std::string(result)}}).Increment();
  families_->write_seconds.Add({{"kind", name}}, time_buckets()).Observe(took.count());
}

void Metrics::engine_step(std::string_view cause, Seconds took) {
  families_->step_seconds.Add({{"cause", std::string(cause)}}, time_buckets())
      .Observe(took.count());
}

void Metrics::plan(std::size_t jobs, std::size_t nodes_tried, Seconds took) {
  families_->plan_seconds.Observe(took.count());
  families_->plan_jobs.Increment(static_cast<double>(jobs));
  families_->plan_nodes.Increment(static_cast<double>(nodes_tried));
}

std::string Metrics::page(const EngineFigures& figures) {
  auto& f = *families_;
  const std::lock_guard one_at_a_time(f.page);
  f.gauge("dray_synced", "1 once every kind has been listed.", figures.synced ? 1 : 0);
  f.gauge("dray_leader", "1 while this replica holds the Lease.", figures.leading ? 1 : 0);
  f.gauge("dray_nodes", "Nodes known.", figures.nodes);
  f.gauge("dray_devices", "Devices published.", figures.devices);
  f.gauge("dray_devices_allocated", "Devices in use or reserved.", figures.devices_allocated);
  f.gauge("dray_pods_waiting", "Pods of dray's scheduler without a placement.",
          figures.pods_waiting);
  f.gauge("dray_reservations", "Placements held for pods.", figures.reservations);
  f.gauge("dray_binds_in_flight", "Bindings under way.", figures.binds_in_flight);
  f.counter("dray_plans_total", "Plans asked for.", figures.plans);
  f.counter("dray_reservations_expired_total", "Reservations that ran out.",
            figures.reservations_expired);
  f.counter("dray_binds_total", "Bindings ended, by result.", figures.binds_done,
            {{"result", "bound"}});
  f.counter("dray_binds_total", "Bindings ended, by result.", figures.binds_undone,
            {{"result", "undone"}});
  f.gauge("dray_policy_in_force", "1 while the policy is in force as it was written last.",
          figures.policy_problem.empty() ? 1 : 0);
  f.gauge("dray_gangs_binding", "Gangs whose members are being bound.", figures.gangs_binding);
  f.counter("dray_gang_binds_refused_total",
            "Gangs that were not bound as a whole, or members late.", figures.gangs_refused);
  f.counter("dray_evictions_total", "Pods asked to go, by result.", figures.evictions,
            {{"result", "evicted"}});
  f.counter("dray_evictions_total", "Pods asked to go, by result.", figures.evictions_refused,
            {{"result", "refused"}});
  auto families = f.registry.Collect();
  prometheus::Registry passing;
  add_passing(passing, figures);
  std::ranges::move(passing.Collect(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace dray::metrics
