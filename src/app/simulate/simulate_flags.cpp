#include "app/simulate/simulate_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <sstream>
#include <utility>

#include "app/common/cluster_source.h"
#include "app/simulate/scenario.h"
#include "app/simulate/sources.h"
#include "wire/yaml/duration.h"

namespace dray::app {
namespace {

/// `90`, `90s`, `5m`; empty: nothing.
Result<std::optional<Duration>> read_time(const std::string& flag, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const bool plain = text.find_first_not_of("0123456789") == std::string::npos;
  const auto time = wire::parse_duration(plain ? text + "s" : text);
  if (time) return time;
  return fail(ErrorCode::invalid,
              fmt::format("--{} {}: expected a time, as 90, 90s, 5m or 7d", flag, text));
}

void add_pods(CLI::App& command, SimulateFlags& flags) {
  command.add_option("--apart", flags.apart, "Of pods: they come so long one after the other");
  command.add_option("--run-time", flags.run_time,
                     "Of pods: those that do not say how long they run end after so long");
  command.add_flag("--backlog", flags.backlog,
                   "Of pods: dray starts when all of them wait, and plans them together");
  command
      .add_option("--scheduler", flags.schedulers,
                  "Of pods: those that name this scheduler are dray's, too; repeatable")
      ->allow_extra_args(false);
}

void add_queues(CLI::App& command, SimulateFlags& flags) {
  command.add_flag("--known-run-times", flags.known_run_times,
                   "Of jobs in time: the planner knows how long each runs, as if that were its "
                   "activeDeadlineSeconds");
  command.add_option("--draw-queues", flags.draw_queues,
                     "Of jobs in time: each is of one of these queues, NAME*WEIGHT+…, drawn by "
                     "weight; for traces that name none");
}

void add_server(CLI::App& command, SimulateFlags& flags) {
  auto* server = command.add_option(
      "--server", flags.server,
      "Ask a live dray at the address of its dashboard: http://localhost:8080, in place of "
      "--cluster; pods:FILE, a policy or both");
  auto* token =
      command
          .add_option("--token-file", flags.token_file,
                      "With --server: a file with the bearer token of who asks (- for the standard "
                      "input), where the dashboard wants one")
          ->needs(server);
  command
      .add_option(
          "--kubeconfig", flags.kubeconfig,
          "With --server: the token of the user of this kubeconfig, as kubectl would send it")
      ->needs(server)
      ->excludes(token);
  command
      .add_option("--ca-file", flags.ca_file,
                  "With --server: authorities that sign the dashboard's certificate, PEM; else the "
                  "system's")
      ->needs(server);
}

void add_trace(CLI::App& command, SimulateFlags& flags) {
  command.add_flag("--lenient", flags.lenient, "Skip and count rows that cannot be read");
  command.add_option("--columns", flags.columns,
                     "Of csv:FILE: what its columns are called, where that is not the name that "
                     "dray reads: submit=queued_at,gpus=num_gpus");
}

void add_bounds(CLI::App& command, SimulateFlags& flags) {
  command.add_option("--until", flags.until, "Virtual time at which runs end: 7d");
  command.add_option("--shard", flags.shard,
                     "0/8 to 7/8: of jobs in time and pods a part of the runs, as JSON for "
                     "`dray simulate merge`");
  command.add_option("--checkpoint", flags.checkpoint,
                     "A folder that keeps each finished run: the same command goes on where an "
                     "earlier one was interrupted");
}

}  // namespace

void add_simulate_flags(CLI::App& command, SimulateFlags& flags) {
  command.add_option("-f,--filename", flags.scenario,
                     "A Scenario (YAML): every flag is a field of it (- for the standard input)");
  command
      .add_option("--cluster", flags.cluster,
                  "The nodes: openb:FILE.csv, nodes:64x8 (64 nodes of 8 GPUs), nodes:32xdgxh100 "
                  "(of a kind), or manifests, a folder of them or a snapshot; these repeatable")
      ->allow_extra_args(false);
  command.add_option("--gpus", flags.gpus,
                     "What GPUs are in manifests: a DeviceClass or a node's resource; else "
                     "gpu.nvidia.com or nvidia.com/gpu");
  command.add_option(
      "--workload", flags.workload,
      "What is to be scheduled: openb:FILE (FGD's experiment), or jobs in time: openb-times:, "
      "philly:, helios: or csv:FILE, recorded:FOLDER (of dray record; its cluster, too), or "
      "synthetic:KEY=VALUE,…; or Kubernetes' own: pods:FILE (docs/simulator.md)");
  add_queues(command, flags);
  command
      .add_option(
          "--policy", flags.policies,
          "fgd, dray, bestfit, dotproduct, packing, clustering, first-fit, random; of jobs in "
          "time also fcfs, fair (dray's planner), recorded (what happened), or a policy FILE.yaml; "
          "of pods a FILE.yaml or none; with --server also in-force; repeatable")
      ->allow_extra_args(false);
  command.add_option(
      "--order", flags.order,
      "Orders of arrival and ranks of nodes by seed (CSV, may be of gzip); else they "
      "are drawn");
  command
      .add_option("--demand", flags.demand,
                  "With drawn orders: GPUs asked for, as a multiple of those that there are")
      ->check(CLI::Range(0.01, 10.0))
      ->capture_default_str();
  command.add_option("--seed", flags.seed, "The first seed")->capture_default_str();
  command.add_option("--repeat", flags.repeat, "So many seeds, one after another")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--threads", flags.threads, "0: one a core; results do not depend on it")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  add_trace(command, flags);
  command.add_option("--decisions", flags.decisions, "Write where each pod went to this file");
  command.add_option("--report", flags.report,
                     "Write a page for people, with curves, to this HTML file");
  command.add_option("--plan-pause", flags.plan_pause,
                     "Virtual time between two plans, at least: seconds, or with a unit (90s, 5m)");
  command.add_option("--plan-every", flags.plan_every,
                     "Plans at regular times, and not when something happens");
  command
      .add_option("--churn", flags.churn,
                  "Of jobs in time and pods: `3h fails NODE`, or returns, cordoned, uncordoned; "
                  "`3h changes FILE`: slices, classes and taint rules; repeatable")
      ->allow_extra_args(false);
  add_pods(command, flags);
  add_bounds(command, flags);
  add_server(command, flags);
  command.add_option("-o,--output", flags.output)
      ->check(CLI::IsMember({"table", "csv", "curves", "json", "prometheus"}))
      ->capture_default_str();
}

Result<simulate::JobsOptions> jobs_options(const SimulateFlags& flags) {
  const auto times = times_of(flags);
  if (!times) return std::unexpected(times.error());
  const auto every = read_time("plan-every", flags.plan_every);
  if (!every) return std::unexpected(every.error());
  simulate::JobsOptions options;
  options.plan_pause = times->plan_pause.value_or(Duration(0));
  options.plan_every = every->value_or(Duration(0));
  options.until = times->until;
  options.known_run_times = flags.known_run_times;
  if (*every && **every == Duration(0)) {
    return fail(ErrorCode::invalid, "--plan-every 0: expected a time above 0");
  }
  if (options.plan_every > Duration(0) && options.plan_pause > Duration(0)) {
    return fail(ErrorCode::invalid, "--plan-every and --plan-pause exclude each other");
  }
  return options;
}

Result<std::vector<simulate::Churn>> load_churn(const SimulateFlags& flags,
                                                const simulate::ChurnTargets& cluster) {
  std::vector<simulate::Churn> churn;
  for (const auto& text : flags.churn) {
    std::istringstream words(text);
    std::string time;
    std::string what;
    std::string object;
    words >> time >> what;
    std::getline(words >> std::ws, object);
    const auto kind = simulate::find_churn(what);
    const auto at = read_time("churn", time);
    if (!at) return std::unexpected(at.error());
    if (!*at || !kind || object.empty()) {
      return fail(
          ErrorCode::invalid,
          fmt::format("--churn {}: expected TIME and fails, returns, cordoned or uncordoned "
                      "NODE, or changes FILE",
                      text));
    }
    auto& one = churn.emplace_back();
    one.at = **at;
    one.kind = *kind;
    if (*kind == simulate::ChurnKind::changes) {
      ClusterSource source;
      source.cluster = {object};
      auto objects = load_objects(source);
      if (!objects) return std::unexpected(std::move(objects.error()));
      one.objects = std::move(objects->objects);
    } else {
      one.node = object;
    }
    if (auto known = simulate::check_churn({one}, cluster); !known) {
      return std::unexpected(std::move(known.error()).within("--churn " + text));
    }
  }
  std::ranges::stable_sort(churn, {}, &simulate::Churn::at);
  return churn;
}

Result<SimulateTimes> times_of(const SimulateFlags& flags) {
  const auto until = read_time("until", flags.until);
  if (!until) return std::unexpected(until.error());
  const auto apart = read_time("apart", flags.apart);
  if (!apart) return std::unexpected(apart.error());
  const auto run_time = read_time("run-time", flags.run_time);
  if (!run_time) return std::unexpected(run_time.error());
  const auto pause = read_time("plan-pause", flags.plan_pause);
  if (!pause) return std::unexpected(pause.error());
  return SimulateTimes{*until, *apart, *run_time, *pause};
}

Result<Shard> shard_of(const SimulateFlags& flags) {
  const auto shard = parse_shard(flags.shard);
  if (!shard || flags.shard.empty()) return shard;
  if (flags.output != "json" || !flags.report.empty()) {
    return fail(ErrorCode::invalid, "--shard: with -o json, and without --report");
  }
  return shard;
}

Result<void> complete(CLI::App& command, const SimulateFlags& flags) {
  if (!flags.scenario.empty()) {
    if (auto applied = apply_scenario(command, flags.scenario); !applied) return applied;
  }
  const auto need = [&](bool there, const std::string& flag) -> Result<void> {
    if (there) return {};
    return fail(ErrorCode::invalid, flags.scenario.empty()
                                        ? "no --" + flag + ": give it, or a Scenario with -f"
                                        : flags.scenario + ": no " + flag + " in it");
  };
  if (!flags.server.empty()) {
    return need(!flags.workload.empty() || !flags.policies.empty(), "workload and no --policy");
  }
  if (auto is = need(!flags.workload.empty(), "workload"); !is) return is;
  const bool has_cluster =
      !flags.cluster.empty() || parse_source(flags.workload).form == "recorded";
  if (auto is = need(has_cluster, "cluster"); !is) return is;
  return need(!flags.policies.empty(), "policy");
}

}  // namespace dray::app
