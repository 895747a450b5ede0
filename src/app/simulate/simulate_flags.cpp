#include "app/simulate/simulate_flags.h"

#include <CLI/CLI.hpp>

namespace dray::app {

void add_simulate_flags(CLI::App& command, SimulateFlags& flags) {
  command
      .add_option("--cluster", flags.cluster,
                  "The nodes: openb:FILE.csv, or nodes:64x8 (64 nodes of 8 GPUs)")
      ->required();
  command
      .add_option(
          "--workload", flags.workload,
          "What is to be scheduled: openb:FILE (FGD's experiment), or jobs in time: openb-times:, "
          "philly:, helios: or csv:FILE, or synthetic:KEY=VALUE,… (docs/simulator.md)")
      ->required();
  command
      .add_option(
          "--policy", flags.policies,
          "fgd, dray, bestfit, dotproduct, packing, clustering, first-fit, random; of jobs in "
          "time also fcfs, fair (dray's planner), or a policy FILE.yaml; repeatable")
      ->required();
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
  command.add_flag("--lenient", flags.lenient, "Skip and count rows that cannot be read");
  command.add_option("--decisions", flags.decisions, "Write where each pod went to this file");
  command.add_option("--plan-pause", flags.plan_pause,
                     "Seconds of virtual time between two plans, at least");
  command.add_option("-o,--output", flags.output)
      ->check(CLI::IsMember({"table", "csv", "json"}))
      ->capture_default_str();
}

}  // namespace dray::app
