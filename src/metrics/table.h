#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "dray/model/kind_names.h"
#include "metrics/rows.h"

namespace dray::metrics {

/// Every metric of dray, one row each, in the order of the page.
inline constexpr auto table = [] {
  using namespace row;
  using Status = Engine::Status;
  using Outbox = engine::Outbox::Status;
  using Class = engine::Outbox::ClassStatus;
  using Watch = Reading::Watch;
  return std::to_array<Metric>({
      gauge("dray_build_info", "Always 1; the version is a label.", {"version"},
            [](const Reading& r, Samples& out) { out(1, {r.version}); }),
      gauge("dray_synced", "1 once every kind has been listed.", {}, figure<&Status::synced>),
      gauge("dray_leader", "1 while this replica holds the Lease.", {}, figure<&Status::leading>),
      gauge("dray_lease_epoch",
            "The Lease's transitions when this replica took it; 0 while it has none.", {},
            [](const Reading& r, Samples& out) { out(r.lease_epoch); }),
      counted("dray_broken_invariants_total",
              "Faults of dray itself that it found: it stopped writing at the first."),
      // Calls, and writes.
      counted("dray_extender_requests_total",
              "Calls of kube-scheduler by verb and result: ok, refused (no node is left) or error.",
              {"verb", "result"}),
      observed("dray_extender_request_duration_seconds",
               "From the request's body to the answer's, by verb and result.", {"verb", "result"}),
      counted("dray_extender_shed_total",
              "Calls of kube-scheduler that were not worked on, by verb and reason: full (too many "
              "wait), late (waited too long) or left (the caller has closed the connection).",
              {"verb", "reason"}),
      counted("dray_api_writes_total",
              "Requests to the API server by kind and result: ok or the error's code.",
              {"kind", "result"}),
      observed("dray_api_write_duration_seconds", "Requests to the API server by kind.", {"kind"}),
      gauge("dray_outbox_waiting", "Writes that wait for their turn, by class.", {"class"},
            classes<&Class::waiting>),
      gauge("dray_outbox_longest_wait_seconds",
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
      // Plans.
      counter("dray_plans_total", "Plans asked for.", {}, figure<&Status::plans_made>),
      observed("dray_plan_duration_seconds", "Plans made beside the strand."),
      counted("dray_plan_jobs_total", "Jobs that plans looked at."),
      counted("dray_plan_nodes_tried_total", "Nodes that plans looked at for a job."),
      counted(
          "dray_plan_allocator_questions_total",
          "Questions of plans to the allocator: has this node devices for these claims, or which."),
      counted("dray_plan_allocator_searches_total",
              "Those that memory could not answer, as other nodes' or earlier ones' answers."),
      counted("dray_plan_allocator_devices_tried_total",
              "Devices that these searches looked at, each as often as it was."),
      counted("dray_plan_victim_sets_tried_total",
              "Sets of victims that plans tried out to make room for a job."),
      counted("dray_plan_jobs_refused_early_total", "Jobs that a bound refused without a search."),
      counted("dray_plans_exhausted_total",
              "Plans that their budget ended: the jobs beyond it wait for the next one."),
      // What is known of the cluster.
      counter("dray_watch_lists_total", "Whole lists taken in, by kind; the first one is one.",
              {"kind"}, watches<&Watch::lists>),
      counter("dray_watch_corrections_total",
              "Objects that a later list showed otherwise than the watch had told, by kind.",
              {"kind"}, watches<&Watch::corrections>),
      gauge("dray_watch_silence_seconds",
            "Time since the API server last said something of the kind, or began to watch it: the "
            "most that dray can be behind. A watch of which nothing comes for 90 seconds is begun "
            "anew.",
            {"kind"}, watches<&Watch::silence>),
      gauge("dray_watch_failing_seconds",
            "How long lists and watches of the kind have failed; 0 while they work.", {"kind"},
            watches<&Watch::failing>),
      gauge("dray_nodes", "Nodes known.", {}, figure<&Status::nodes>),
      gauge("dray_devices", "Devices published.", {}, figure<&Status::devices>),
      gauge("dray_devices_allocated", "Devices in use or reserved.", {},
            figure<&Status::devices_allocated>),
      gauge("dray_driver_devices",
            "Devices by driver and state: free, tainted (free, but a taint of it keeps pods off), "
            "blocked (free, but partitions in use of its card leave too little for it), in_use, or "
            "shared (a part of it is in use).",
            {"driver", "state"}, states<&Reading::devices>),
      gauge("dray_class_devices",
            "Devices that a DeviceClass accepts, by class and state, as in dray_driver_devices. A "
            "device counts for each class that accepts it.",
            {"device_class", "state"}, states<&Reading::class_devices>),
      gauge("dray_driver_free_devices_on_used_nodes",
            "Free devices on nodes where others of the driver are used: what is left over there.",
            {"driver"}, drivers<&DeviceFigures::free_on_used_nodes>),
      gauge("dray_driver_free_devices_on_one_node",
            "Free devices of the node that has most of them: no pod gets more.", {"driver"},
            drivers<&DeviceFigures::most_free_on_one_node>),
      gauge("dray_unreadable_objects",
            "Objects that cannot be read, by kind: dray goes on without them.", {"kind"},
            [](const Reading& r, Samples& out) {
              for (std::size_t i = 0; i < r.engine.unreadable.size(); ++i) {
                if (r.engine.unreadable[i] > 0)
                  out(r.engine.unreadable[i], {unique_name(kind_table[i])});
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
      // Pods on their way.
      gauge("dray_pods_waiting", "Pods of dray's scheduler without a placement.", {},
            figure<&Status::pods_waiting>),
      gauge("dray_pods_waiting_by_reason", "The same pods, by the reason that they wait for.",
            {"reason"},
            [](const Reading& r, Samples& out) {
              for (const auto& [reason, pods] : r.engine.waiting_for) out(pods, {name(reason)});
            }),
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
              "Pods asked to go, by cause (Reclaim, Preemption, Consolidation, StaleGang) and "
              "result: evicted, or refused by the API server.",
              {"cause", "result"},
              [](const Reading& r, Samples& out) {
                for (std::size_t i = 0; i < r.engine.evictions.size(); ++i) {
                  const auto cause = name(static_cast<planner::EvictionCause>(i));
                  out(r.engine.evictions[i].evicted, {cause, "evicted"});
                  out(r.engine.evictions[i].refused, {cause, "refused"});
                }
              }),
      // Queues, and the policy.
      gauge("dray_queue_fair_share", "What the queue may hold now, by resource.",
            {"queue", "resource"}, queues<&QueueReport::fair_share>),
      gauge("dray_queue_allocated", "What the queue holds, by resource.", {"queue", "resource"},
            queues<&QueueReport::allocated>),
      gauge("dray_queue_requested", "What the queue holds and waits for, by resource.",
            {"queue", "resource"}, queues<&QueueReport::requested>),
      gauge("dray_queue_quota",
            "What the queue is owed by the policy in force, by resource; none: all that there is.",
            {"queue", "resource"}, rules<&policy::Queue::quota>),
      gauge("dray_queue_limit",
            "What the queue may hold at most by the policy in force, by resource; none: no limit.",
            {"queue", "resource"}, rules<&policy::Queue::limit>),
      gauge("dray_queue_jobs_waiting", "Jobs of the queue that wait for a place.", {"queue"},
            queues_waiting<&Engine::QueueWaiting::jobs>),
      gauge("dray_queue_pods_waiting", "Pods of these jobs that wait for a place.", {"queue"},
            queues_waiting<&Engine::QueueWaiting::pods>),
      gauge("dray_feature_gate_difference",
            "1 for each feature gate of Kubernetes that stands otherwise in the API server than in "
            "dray, by its name and where it is on.",
            {"gate", "on_in"},
            [](const Reading& r, Samples& out) {
              for (const auto& each : r.gates) {
                out(1, {each.gate, each.on_in_cluster ? "cluster" : "dray"});
              }
            }),
      gauge("dray_policy_generation",
            "Policy files put in force since the start; 0: there is none.", {},
            [](const Reading& r, Samples& out) { out(r.policy_generation); }),
      counted("dray_policy_loads_total",
              "Times that the policy file was read, by result: used, or refused for an error.",
              {"result"}),
      gauge("dray_policy_in_force", "1 while the policy is in force as it was written last.", {},
            [](const Reading& r, Samples& out) { out(r.policy_problem.empty()); }),
      gauge("dray_policy_problem", "Why the policy is not in force as it was written last.",
            {"reason"},
            [](const Reading& r, Samples& out) {
              if (!r.policy_problem.empty()) out(1, {r.policy_problem});
            }),
      gauge("dray_policy_warning",
            "What the policy names that the cluster does not have (a DeviceClass, a node's "
            "resource, a label), and quotas of several times the cluster.",
            {"warning"},
            [](const Reading& r, Samples& out) {
              for (const auto& each : r.policy_warnings) out(1, {each});
            }),
      counted("dray_trace_spans_total",
              "Spans of traces by what became of them: sent, dropped (the queue was full, or the "
              "collector gave no answer) or refused by the collector.",
              {"result"}),
      // The recorder.
      gauge("dray_recorder_recording",
            "1 while the flight recorder records, 0 once it has ended by itself; none: it is off.",
            {}, recorder<&Reading::Recording::going_on>),
      counter("dray_recorder_steps_total", "Steps of the engine that were given to it.", {},
              recorder<&Reading::Recording::steps>),
      gauge("dray_recorder_steps_waiting", "Steps that are still to be written.", {},
            recorder<&Reading::Recording::waiting>),
  });
}();

}  // namespace dray::metrics
