#include "app/inspect/cluster_view.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <limits>
#include <set>
#include <string>
#include <utility>

#include "app/common/policy_file.h"
#include "dray/engine/at_once.h"
#include "service/clock.h"

namespace dray::app {
namespace {

/// What queues hold and may hold; nobody is placed.
std::vector<planner::QueueReport> report_queues(const ClusterView& view, Time now) {
  planner::JobList::Items jobs;
  jobs.reserve(view.jobs.size());
  for (const auto& row : view.jobs) jobs.push_back(row.job);
  planner::PlanInput input;
  input.snapshot = view.snapshot;
  input.policy = view.policy;
  input.jobs = planner::JobList(std::move(jobs));
  input.actions = {.place = false,
                   .consolidate = false,
                   .reclaim = false,
                   .preempt = false,
                   .end_stale_gangs = false};
  input.now = now;
  return planner::Planner().plan(input).queues;
}

/// Devices of nodes that are not there belong to nobody's list: a file of slices alone, or a driver
/// that outlived its node.
void warn_of_lost_slices(const cluster::Snapshot& snapshot, std::string_view command) {
  std::set<std::string> nodes;
  snapshot.for_each_pool([&](const cluster::Pool& pool) {
    for (const auto& slot : pool.slots) {
      const auto& name = slot.slice->node_name();
      if (!name.empty() && !snapshot.node(NodeName(name))) nodes.insert(name);
    }
  });
  if (nodes.empty()) return;
  print_warnings(command,
                 {fmt::format("there are ResourceSlices of {} that the cluster does not have, and "
                              "whose devices are not counted: {}{}",
                              nodes.size() == 1 ? "a node" : "nodes", *nodes.begin(),
                              nodes.size() == 1 ? "" : " and others")});
}

}  // namespace

void add_view_flags(CLI::App& command, ViewFlags& flags) {
  command.add_option("--policy", flags.policy, "The policy file in force; without it: none is");
  add_cluster_source(command, flags.source);
  command.add_option("--scheduler-name", flags.options.scheduler_name, "Whose pods are dray's")
      ->capture_default_str();
  add_listing_output(command, flags.output);
  command.footer(
      "It changes nothing. Exit status: 0, or an error: 2 the command line or a file cannot be "
      "used, 3 the cluster cannot be reached, 4 the policy is not valid.");
}

Result<ClusterView> load_view(const ViewFlags& flags, std::string_view command) {
  std::shared_ptr<const policy::PolicyConfig> config;
  if (!flags.policy.empty()) {
    auto read = load_policy(flags.policy);
    if (!read) return std::unexpected(std::move(read.error()));
    config = std::make_shared<const policy::PolicyConfig>(*std::move(read));
  }
  auto loaded = load_objects(flags.source);
  if (!loaded) return std::unexpected(std::move(loaded.error()));
  print_warnings(command, loaded->warnings);
  const auto now = loaded->at.value_or(service::Clock().now());
  const auto objects = engine::with_claims(std::move(loaded->objects));
  const auto told = engine::at_once(objects, std::move(config), flags.options, now);
  if (!told) return std::unexpected(Error(told.error()).within(flags.policy));
  auto picture = told->engine->picture();
  warn_of_lost_slices(*picture.snapshot, command);
  if (!flags.policy.empty()) {
    print_warnings(command,
                   warnings_about(flags.policy, picture.policy->config, *picture.snapshot));
  }
  ClusterView view{
      .snapshot = std::move(picture.snapshot),
      .policy = std::move(picture.policy),
      .jobs = told->engine->jobs_after(std::nullopt, std::numeric_limits<std::size_t>::max(), now),
      .queues = {}};
  view.queues = report_queues(view, now);
  return view;
}

}  // namespace dray::app
