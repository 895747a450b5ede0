#include <algorithm>

#include "dashboard/view_parts.h"
#include "dashboard/views.h"
#include "dray/model/reason.h"
#include "metrics/device_figures.h"

namespace dray::dashboard {
namespace {

constexpr std::string_view told_to_operators = "its text is for who sees the whole cluster";

/// Pods of dray's jobs by where they are.
struct PodCounts {
  std::size_t waiting_jobs = 0;
  std::size_t waiting = 0;
  std::size_t placed = 0;
};

PodCounts count_pods(const Picture& picture) {
  PodCounts counts;
  for (const auto& row : picture.jobs) {
    const auto waiting = waiting_members(*row.job);
    if (waiting > 0) ++counts.waiting_jobs;
    counts.waiting += waiting;
    counts.placed += static_cast<std::size_t>(std::ranges::count(
        row.job->members, planner::MemberState::placed, &planner::Member::state));
  }
  counts.waiting_jobs += picture.unformed.size();
  counts.waiting += picture.unformed.size();
  return counts;
}

std::vector<std::string> problems_of(const Picture& picture, const Standing& standing,
                                     const Viewer& viewer) {
  std::vector<std::string> problems;
  const auto add = [&](std::string_view what, const std::string& text) {
    if (!text.empty()) problems.push_back(std::string(what) + text);
  };
  add("dray found a fault of its own and has stopped: ", standing.broken);
  add("watch: ", standing.trouble);
  add("extender: ", standing.port);
  add("policy file: ", standing.policy);
  for (const auto& warning : standing.policy_warnings) add("policy: ", warning);
  const auto& status = picture.engine.status;
  const bool told = viewer.everything || status.policy_problem.empty();
  add("policy: ", told ? status.policy_problem : std::string(told_to_operators));
  if (!status.synced) add("", "the cluster has not been listed yet");
  if (status.devices_in_two_claims > 0) {
    add("", std::to_string(status.devices_in_two_claims) + " devices are in two claims at once");
  }
  std::size_t unreadable = 0;
  for (const auto count : status.unreadable) unreadable += count;
  if (unreadable > 0) {
    add("", std::to_string(unreadable) + " objects cannot be read; dray doctor names them");
  }
  return problems;
}

}  // namespace

Standing without_names(Standing standing) {
  for (auto* text : {&standing.broken, &standing.trouble, &standing.port, &standing.policy}) {
    if (!text->empty()) *text = told_to_operators;
  }
  if (!standing.policy_warnings.empty())
    standing.policy_warnings = {std::string(told_to_operators)};
  standing.replicas.reset();
  return standing;
}

std::string overview_json(const Picture& picture, const Standing& standing, const Viewer& viewer) {
  const auto& status = picture.engine.status;
  const auto pods = count_pods(picture);
  std::size_t evicted = 0;
  for (const auto& cause : status.evictions) evicted += cause.evicted;
  JsonWriter out;
  out.object([&](FieldWriter& io) {
    write_count(io, "revision", picture.revision);
    io.required("at", picture.at);
    io.required("version", standing.version);
    io.required("mode", standing.mode);
    io.required("leading", status.leading);
    io.required("synced", status.synced);
    io.required("everything", viewer.everything);
    io.field("user", viewer.name);
    if (!viewer.everything) write_count(io, "namespaces", viewer.namespaces.size());
    if (viewer.unasked > 0) write_count(io, "namespacesNotAsked", viewer.unasked);
    write_count(io, "nodes", status.nodes);
    write_count(io, "devices", status.devices);
    write_count(io, "devicesInUse", status.devices_allocated);
    write_count(io, "claims", picture.engine.snapshot->claim_count());
    write_count(io, "jobs", picture.jobs.size() + picture.unformed.size());
    write_count(io, "waitingJobs", pods.waiting_jobs);
    write_count(io, "waitingPods", pods.waiting);
    write_count(io, "placedPods", pods.placed);
    write_count(io, "bindsInFlight", status.binds_in_flight);
    write_count(io, "binds", status.binds_done);
    write_count(io, "bindsUndone", status.binds_undone);
    write_count(io, "plans", status.plans_made);
    write_count(io, "evictions", evicted);
    write_count(io, "queues", picture.engine.policy->queues.queues().size());
    io.required("problems", problems_of(picture, standing, viewer));
    io.field("gates", standing.gates);
    out.key("drivers");
    write_list(out, metrics::count_devices(*picture.engine.snapshot),
               [](FieldWriter& item, const auto& driver) {
                 const auto& [name, figures] = driver;
                 item.required("driver", name);
                 write_count(item, "devices", figures.all());
                 write_count(item, "inUse", figures.in_use + figures.shared);
               });
  });
  return std::move(out).take();
}

}  // namespace dray::dashboard
