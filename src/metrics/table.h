#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "dray/alloc/feature_gates.h"
#include "dray/engine/engine.h"
#include "dray/engine/outbox.h"

namespace dray::metrics {

/// What is read when /metrics is asked for.
struct Reading {
  engine::Engine::Status engine;
  std::string policy_problem;  ///< why the policy is not in force as written last; empty: it is
  std::string version;
  engine::Outbox::Status outbox = {};
  std::vector<alloc::GateDifference> gates = {};
};

/// Takes a metric's values, each with the values of its labels in the order of their names.
class Samples {
 public:
  struct Sample {
    double value = 0;
    std::vector<std::string> labels;
  };

  template <class Number>
  void operator()(Number value, std::initializer_list<std::string_view> labels = {}) {
    taken_.push_back({static_cast<double>(value), {labels.begin(), labels.end()}});
  }
  [[nodiscard]] std::span<const Sample> taken() const { return taken_; }

 private:
  std::vector<Sample> taken_;
};

enum class Type : std::uint8_t { counter, gauge, histogram };
using Labels = std::array<std::string_view, 2>;  ///< names; empty: no more
using Read = void (*)(const Reading&, Samples&);

/// A metric: how it is called, what it says, and how it is fed.
struct Metric {
  std::string_view name;
  Type type = Type::gauge;
  std::string_view help;  ///< its document: what is counted, in which unit
  Labels labels = {};
  std::span<const double> buckets = {};  ///< of a histogram: upper bounds, rising
  /// Reads it off the engine for each page. None: it is fed where it happens, by Metrics::count()
  /// or Metrics::observe().
  Read read = nullptr;

  [[nodiscard]] constexpr std::size_t label_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(labels, [](std::string_view label) { return !label.empty(); }));
  }
};

namespace row {

using engine::Engine;
using planner::QueueReport;

/// From ten microseconds to ten seconds: a decision takes micro-, a write milliseconds.
inline constexpr auto seconds =
    std::to_array<double>({1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025,
                           0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10});

constexpr Metric gauge(std::string_view name, std::string_view help, Labels labels, Read read) {
  return {name, Type::gauge, help, labels, {}, read};
}
/// The engine counts by itself.
constexpr Metric counter(std::string_view name, std::string_view help, Labels labels, Read read) {
  return {name, Type::counter, help, labels, {}, read};
}
/// Fed by Metrics::count().
constexpr Metric counted(std::string_view name, std::string_view help, Labels labels = {}) {
  return {name, Type::counter, help, labels, {}, nullptr};
}
/// Fed by Metrics::observe().
constexpr Metric observed(std::string_view name, std::string_view help, Labels labels = {}) {
  return {name, Type::histogram, help, labels, seconds, nullptr};
}

/// A figure of Engine::Status.
template <auto Figure>
void figure(const Reading& reading, Samples& out) {
  out(reading.engine.*Figure);
}
/// A figure of Outbox::Status.
template <auto Figure>
void outbox(const Reading& reading, Samples& out) {
  out(reading.outbox.*Figure);
}
/// A figure of each class of writes.
template <auto Figure>
void classes(const Reading& reading, Samples& out) {
  using Status = engine::Outbox::ClassStatus;
  for (std::size_t i = 0; i < engine::write_classes; ++i) {
    const Status& each = reading.outbox.classes[i];
    const auto figure = each.*Figure;
    const auto label = engine::name(static_cast<engine::WriteClass>(i));
    if constexpr (std::is_same_v<decltype(figure), const Duration>) {
      out(std::chrono::duration<double>(figure).count(), {label});
    } else {
      out(figure, {label});
    }
  }
}
/// What each queue has of each counted resource, as of the last plan.
template <auto Amounts>
void queues(const Reading& reading, Samples& out) {
  const auto& resources = reading.engine.resources;
  for (const auto& queue : reading.engine.queues) {
    const policy::Amounts& amounts = queue.*Amounts;
    const auto count = std::min(resources.size(), amounts.size());
    for (std::size_t i = 0; i < count; ++i) out(amounts[i], {queue.queue.get(), resources[i].name});
  }
}

}  // namespace row

/// Every metric of dray, one row each, in the order of the page.
inline constexpr auto table = [] {
  using namespace row;
  using Status = Engine::Status;
  using Outbox = engine::Outbox::Status;
  using Class = engine::Outbox::ClassStatus;
  return std::to_array<Metric>({
      gauge("dray_build_info", "Always 1; the version is a label.", {"version"},
            [](const Reading& r, Samples& out) { out(1, {r.version}); }),
      gauge("dray_synced", "1 once every kind has been listed.", {}, figure<&Status::synced>),
      gauge("dray_leader", "1 while this replica holds the Lease.", {}, figure<&Status::leading>),
      counted("dray_broken_invariants_total",
              "Faults of dray itself that it found: it stopped writing at the first."),
      counted("dray_extender_requests_total",
              "Calls of kube-scheduler by verb and result: ok, refused (no node is left) or error.",
              {"verb", "result"}),
      observed("dray_extender_request_duration_seconds",
               "From the request's body to the answer's, by verb.", {"verb"}),
      counted("dray_api_writes_total",
              "Requests to the API server by kind and result: ok or the error's code.",
              {"kind", "result"}),
      observed("dray_api_write_duration_seconds", "Requests to the API server by kind.", {"kind"}),
      gauge("dray_outbox_waiting", "Writes that wait for their turn, by class.", {"class"},
            classes<&Class::waiting>),
      gauge("dray_outbox_longest_wait",
            "Seconds that the write has waited that waits longest now, by class.", {"class"},
            classes<&Class::oldest>),
      counter("dray_outbox_sent_total", "Writes whose turn came, by class.", {"class"},
              classes<&Class::sent>),
      counter("dray_outbox_wait_seconds_total", "Seconds that they had waited, together, by class.",
              {"class"}, classes<&Class::waited>),
      gauge("dray_outbox_in_flight", "Writes under way.", {}, outbox<&Outbox::in_flight>),
      gauge("dray_outbox_limit", "Writes that may be under way: what the API server bears.", {},
            outbox<&Outbox::limit>),
      counter("dray_outbox_cuts_total",
              "Times that this was cut: 429, 503, 504, no answer in time, or high latency.", {},
              outbox<&Outbox::cuts>),
      counter("dray_outbox_resent_total", "Writes sent again after a 429.", {},
              outbox<&Outbox::again>),
      observed("dray_engine_step_duration_seconds", "Steps of the engine on its strand by cause.",
               {"cause"}),
      counter("dray_plans_total", "Plans asked for.", {}, figure<&Status::plans_made>),
      observed("dray_plan_duration_seconds", "Plans made beside the strand."),
      counted("dray_plan_jobs_total", "Jobs that plans looked at."),
      counted("dray_plan_nodes_tried_total", "Nodes that plans looked at for a job."),
      gauge("dray_nodes", "Nodes known.", {}, figure<&Status::nodes>),
      gauge("dray_devices", "Devices published.", {}, figure<&Status::devices>),
      gauge("dray_devices_allocated", "Devices in use or reserved.", {},
            figure<&Status::devices_allocated>),
      gauge("dray_unreadable_objects",
            "Objects that cannot be read, by kind: dray goes on without them.", {"kind"},
            [](const Reading& r, Samples& out) {
              for (std::size_t i = 0; i < r.engine.unreadable.size(); ++i) {
                if (r.engine.unreadable[i] > 0) out(r.engine.unreadable[i], {kind_table[i].name});
              }
            }),
      gauge("dray_devices_in_two_claims",
            "Devices that more than one claim has: must be 0; dray repair --dry-run names them.",
            {}, figure<&Status::devices_in_two_claims>),
      counter("dray_audit_healed_total",
              "What the auditor gave back: claims with a device that another has, too, and users "
              "of claims that were gone.",
              {"found"},
              [](const Reading& r, Samples& out) {
                out(r.engine.claims_healed, {"device in two claims"});
                out(r.engine.orphans_released, {"user is gone"});
              }),
      gauge("dray_pods_waiting", "Pods of dray's scheduler without a placement.", {},
            figure<&Status::pods_waiting>),
      gauge("dray_reservations", "Placements held for pods.", {}, figure<&Status::reservations>),
      counter("dray_reservations_expired_total", "Reservations that ran out.", {},
              figure<&Status::reservations_expired>),
      counter("dray_foretold_claims_total",
              "Mode advise: claims that got devices, by result: those that advice was made by "
              "(as_foretold), or others.",
              {"result"},
              [](const Reading& r, Samples& out) {
                out(r.engine.foretold, {"as_foretold"});
                out(r.engine.foretold_otherwise, {"otherwise"});
              }),
      gauge("dray_binds_in_flight", "Bindings under way.", {}, figure<&Status::binds_in_flight>),
      counter("dray_binds_total", "Bindings ended, by result: bound or undone.", {"result"},
              [](const Reading& r, Samples& out) {
                out(r.engine.binds_done, {"bound"});
                out(r.engine.binds_undone, {"undone"});
              }),
      gauge("dray_gangs_binding", "Gangs whose members are being bound.", {},
            figure<&Status::gangs_binding>),
      counter("dray_gang_binds_refused_total",
              "Gangs that were not bound as a whole, or members late.", {},
              figure<&Status::gangs_refused>),
      counter("dray_evictions_total",
              "Pods asked to go, by result: evicted, or refused by the API server.", {"result"},
              [](const Reading& r, Samples& out) {
                out(r.engine.evictions, {"evicted"});
                out(r.engine.evictions_refused, {"refused"});
              }),
      gauge("dray_queue_fair_share", "What the queue may hold now, by resource.",
            {"queue", "resource"}, queues<&QueueReport::fair_share>),
      gauge("dray_queue_allocated", "What the queue holds, by resource.", {"queue", "resource"},
            queues<&QueueReport::allocated>),
      gauge("dray_queue_requested", "What the queue holds and waits for, by resource.",
            {"queue", "resource"}, queues<&QueueReport::requested>),
      gauge("dray_feature_gate_difference",
            "1 for each feature gate of Kubernetes that stands otherwise in the API server than in "
            "dray, by its name and where it is on.",
            {"gate", "on_in"},
            [](const Reading& r, Samples& out) {
              for (const auto& each : r.gates) {
                out(1, {each.gate, each.on_in_cluster ? "cluster" : "dray"});
              }
            }),
      gauge("dray_policy_in_force", "1 while the policy is in force as it was written last.", {},
            [](const Reading& r, Samples& out) { out(r.policy_problem.empty()); }),
      gauge("dray_policy_problem", "Why the policy is not in force as it was written last.",
            {"reason"},
            [](const Reading& r, Samples& out) {
              if (!r.policy_problem.empty()) out(1, {r.policy_problem});
            }),
  });
}();

}  // namespace dray::metrics
