#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/command.h"
#include "app/common/policy_file.h"
#include "app/simulate/ask_server.h"
#include "app/simulate/cluster_input.h"
#include "app/simulate/pack_run.h"
#include "app/simulate/pods_play.h"
#include "app/simulate/read_input.h"
#include "app/simulate/recorded_input.h"
#include "app/simulate/report_file.h"
#include "app/simulate/schedulers.h"
#include "app/simulate/shard.h"
#include "app/simulate/simulate_flags.h"
#include "app/simulate/sources.h"
#include "app/simulate/sweep.h"
#include "dray/simulate/experiment.h"
#include "dray/simulate/synthetic.h"
#include "report/experiment_report.h"
#include "report/fair_shares.h"
#include "report/jobs_report.h"
#include "report/page_data.h"

namespace dray::app {
namespace {

Result<std::vector<simulate::Strategy>> strategies_of(const std::vector<std::string>& names) {
  std::vector<simulate::Strategy> strategies;
  for (const auto& name : names) {
    const auto strategy = simulate::find_strategy(name);
    if (!strategy) {
      return fail(ErrorCode::invalid, fmt::format("--policy {}: there is no such policy", name));
    }
    strategies.push_back(*strategy);
  }
  return strategies;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) return fail(ErrorCode::invalid, path + ": cannot be written");
  return {};
}

class SimulateCommand : public Command {
 public:
  explicit SimulateCommand(CLI::App& app)
      : command_(app.add_subcommand(
            "simulate",
            "Play a workload against a cluster in virtual time, under several policies")) {
    add_simulate_flags(*command_, flags_);
    merge_ = command_->add_subcommand(
        "merge", "Print what one process would have, of the outputs of all shards");
    merge_->add_option("FILE", shards_, "What each shard printed, in any order")->required();
    command_->footer(
        "Exit status: 0 done, 2 a file or a flag cannot be used, 3 the dray at --server does not "
        "answer or refuses, 4 a policy is not valid; with --checkpoint also 128 and the number of "
        "the signal that ended it.");
  }

  Result<int> run() override {
    if (merge_->parsed()) return merge();
    if (auto whole = complete(*command_, flags_); !whole) return std::unexpected(whole.error());
    if (!flags_.server.empty()) {
      if (auto answered = ask_server(flags_); !answered) return std::unexpected(answered.error());
      return done;
    }
    if (parse_source(flags_.workload).form == "pods") {
      const auto text = play_pods(flags_);
      if (!text) return std::unexpected(text.error());
      std::fputs(text->c_str(), stdout);
      return done;
    }
    if (!flags_.report.empty()) {
      // Before the work, which would be lost without it.
      auto page = load_report_page();
      if (!page) return std::unexpected(page.error());
      page_ = std::move(*page);
    }
    auto setting = load();
    if (!setting) return std::unexpected(setting.error());
    return parse_source(flags_.workload).form == "openb" ? run_experiments(*setting)
                                                         : play_jobs(*setting);
  }

  [[nodiscard]] int error_status(const Error& error) const override {
    for (const auto& policy : flags_.policies) {
      const auto status = status_with_policy(error, policy);
      if (status == exit_status::invalid_policy) return status;
    }
    return exit_status::of(error);
  }

 private:
  Result<int> merge() const {
    std::vector<std::string> texts;
    for (const auto& path : shards_) {
      auto text = read_input(path);
      if (!text) return std::unexpected(std::move(text.error()));
      texts.push_back(std::move(*text));
    }
    const auto merged = merge_shards(texts);
    if (!merged) return std::unexpected(merged.error());
    std::fputs(merged->c_str(), stdout);
    return done;
  }

  Result<int> run_experiments(const simulate::Setting& setting) const {
    if (!flags_.shard.empty()) {
      return fail(ErrorCode::invalid, "--shard: of jobs in time and of pods (docs/simulator.md)");
    }
    if (!flags_.churn.empty()) {
      return fail(ErrorCode::invalid, "--churn: of jobs in time and of pods (docs/simulator.md)");
    }
    if (flags_.output == "curves") {
      return fail(ErrorCode::invalid, "-o curves: of jobs in time; -o csv has each demand point");
    }
    const auto strategies = strategies_of(flags_.policies);
    if (!strategies) return std::unexpected(strategies.error());
    const auto orders = load_orders(setting);
    if (!orders) return std::unexpected(orders.error());
    auto sweep = Sweep::of(flags_, Shard{});
    if (!sweep) return std::unexpected(sweep.error());
    report::ExperimentRuns runs(sweep->runs().size());
    std::vector<const simulate::ArrivalOrder*> order_of;
    for (const auto& run : sweep->runs()) order_of.push_back(&(*orders)[run.repeat]);
    const auto made =
        sweep->make({.make = [&](const Sweep::Run& run) -> Result<void> {
                       runs[run.place] = simulate::run_experiment(
                           setting, *order_of[run.place], (*strategies)[run.policy], run.seed);
                       return {};
                     },
                     .pack = [&](const Sweep::Run& run) { return pack_run(runs[run.place]); },
                     .take =
                         [&](const Sweep::Run& run, const std::string& bytes) {
                           auto kept = unpack_run<simulate::ExperimentRun>(bytes);
                           if (!kept) return false;
                           runs[run.place] = *std::move(kept);
                           return true;
                         }});
    if (!made) return std::unexpected(made.error());
    if (!flags_.decisions.empty()) {
      const auto text = report::decisions_csv(runs, order_of);
      if (auto written = write_file(flags_.decisions, text); !written) {
        return std::unexpected(written.error());
      }
    }
    if (!flags_.report.empty()) {
      const auto data = report::experiment_page_data(about(), setting, runs, order_of);
      if (auto written = write_report(flags_, page_, data); !written)
        return std::unexpected(written.error());
    }
    print(runs);
    return done;
  }

  Result<int> play_jobs(const simulate::Setting& setting) const {
    if (!flags_.decisions.empty()) {
      return fail(ErrorCode::invalid, "--decisions: of openb:FILE alone (docs/simulator.md)");
    }
    std::vector<std::string> warnings;
    const auto loaded = load_schedulers(flags_.policies, setting, recorded_, warnings);
    if (!loaded) return std::unexpected(loaded.error());
    print_warnings("simulate", warnings);
    const auto& schedulers = *loaded;
    auto options = jobs_options(flags_);
    if (!options) return std::unexpected(options.error());
    auto churn = load_churn(flags_, simulate::churn_targets(setting.cluster()));
    if (!churn) return std::unexpected(churn.error());
    options->churn = std::move(*churn);
    const auto shard = shard_of(flags_);
    if (!shard) return std::unexpected(shard.error());
    const auto made = make_runs(*shard, setting, schedulers, *options);
    if (!made) return std::unexpected(made.error());
    const auto& runs = *made;
    if (!flags_.report.empty()) {
      const auto data = report::jobs_page_data(about(), setting, runs);
      if (auto written = write_report(flags_, page_, data); !written)
        return std::unexpected(written.error());
    }
    const auto text = flags_.output == "csv"      ? report::jobs_csv(runs)
                      : flags_.output == "curves" ? report::jobs_curves(runs)
                      : flags_.output == "json" ? name_shard(report::jobs_json(runs) + "\n", *shard)
                      : flags_.output == "prometheus" ? report::jobs_metrics(runs)
                                                      : report::jobs_table(runs);
    std::fputs(text.c_str(), stdout);
    return done;
  }

  Result<std::vector<report::MeasuredRun>> make_runs(
      const Shard& shard, const simulate::Setting& setting,
      const std::vector<simulate::Scheduler>& schedulers,
      const simulate::JobsOptions& options) const {
    // Of the first seed the report has a map.
    const auto keeps_stays = [&](const Sweep::Run& run) {
      return !flags_.report.empty() && run.repeat == 0;
    };
    auto sweep = Sweep::of(flags_, shard, [&](const Sweep::Run& run) {
      return std::string(keeps_stays(run) ? "stays" : "");
    });
    if (!sweep) return std::unexpected(sweep.error());
    std::vector<report::MeasuredRun> runs(sweep->runs().size());
    const auto done_with = [&](const Sweep::Run& run, simulate::JobsRun made) {
      auto& one = runs[run.place];
      one.run = std::move(made);
      one.measures = simulate::measure(setting.workload(), one.run);
    };
    const auto made = sweep->make(
        {.make = [&](const Sweep::Run& run) -> Result<void> {
           auto how = options;
           how.keep_stays = keeps_stays(run);
           done_with(run, simulate::run_jobs(setting, schedulers[run.policy], run.seed, how));
           return {};
         },
         .pack = [&](const Sweep::Run& run) { return pack_run(runs[run.place].run); },
         .take =
             [&](const Sweep::Run& run, const std::string& bytes) {
               auto kept = unpack_run<simulate::JobsRun>(bytes);
               if (!kept) return false;
               kept->policy = schedulers[run.policy].name;
               done_with(run, *std::move(kept));
               return true;
             }});
    if (!made) return std::unexpected(made.error());
    report::add_shares(runs, schedulers);
    return runs;
  }

  [[nodiscard]] report::About about() const { return about_input(flags_, recorded_ != nullptr); }

  /// The cluster and the workload that the flags name.
  Result<simulate::RecordedLoad> load_both(std::vector<std::string>& warnings) {
    auto columns = parse_columns(flags_.columns, flags_.workload);
    if (!columns) return std::unexpected(std::move(columns.error()));
    const simulate::TraceRules rules{flags_.lenient, *std::move(columns)};
    const auto source = parse_source(flags_.workload);
    simulate::RecordedLoad load;
    if (source.form == "recorded") {
      auto recorded = load_recorded(source.path, flags_.gpus, warnings);
      if (!recorded) return recorded;
      load = *std::move(recorded);
      if (flags_.cluster.empty()) {
        recorded_ = std::make_shared<const simulate::RecordedRun>(std::move(load.run));
        return load;
      }
    } else {
      auto workload = load_workload(flags_.workload, rules, warnings);
      if (!workload) return std::unexpected(std::move(workload.error()));
      load.workload = *std::move(workload);
    }
    auto cluster = load_simulated_cluster(flags_.cluster, flags_.gpus, rules, warnings);
    if (!cluster) return std::unexpected(std::move(cluster.error()));
    load.cluster = *std::move(cluster);
    return load;
  }

  Result<void> draw_queues(simulate::Workload& workload) const {
    if (flags_.draw_queues.empty()) return {};
    if (parse_source(flags_.workload).form == "openb") {
      return fail(ErrorCode::invalid, "--draw-queues: not with openb:, whose pods have no queues");
    }
    const auto queues = simulate::parse_queues(flags_.draw_queues);
    if (!queues) return std::unexpected(Error(queues.error()).within("--draw-queues"));
    simulate::draw_queues(workload, *queues);
    return {};
  }

  Result<simulate::Setting> load() {
    std::vector<std::string> warnings;
    auto both = load_both(warnings);
    if (!both) return std::unexpected(std::move(both.error()));
    print_warnings("simulate", warnings);
    if (both->cluster.nodes.empty()) {
      return fail(ErrorCode::invalid, (recorded_ ? flags_.workload : flags_.cluster.front()) +
                                          ": no node for jobs in it");
    }
    if (both->workload.jobs.empty()) {
      return fail(ErrorCode::invalid, flags_.workload + ": no job in it");
    }
    if (auto drawn = draw_queues(both->workload); !drawn) return std::unexpected(drawn.error());
    return simulate::Setting::of(std::move(both->cluster), std::move(both->workload));
  }

  /// Of each seed.
  Result<std::vector<simulate::ArrivalOrder>> load_orders(const simulate::Setting& setting) const {
    std::vector<simulate::ArrivalOrder> orders;
    const auto jobs = setting.workload().jobs.size();
    std::string text;
    if (!flags_.order.empty()) {
      auto read = read_input(flags_.order);
      if (!read) return std::unexpected(read.error());
      text = std::move(*read);
    }
    for (std::uint64_t seed = flags_.seed; seed < flags_.seed + flags_.repeat; ++seed) {
      if (flags_.order.empty()) {
        orders.push_back(
            simulate::draw_order(setting.workload(), setting.nodes(), flags_.demand, seed));
        continue;
      }
      auto order = simulate::read_order(text, seed, jobs, setting.nodes().size());
      if (!order) return fail(order.error().code, flags_.order + ":" + order.error().message);
      orders.push_back(std::move(*order));
    }
    return orders;
  }

  void print(const report::ExperimentRuns& runs) const {
    const auto text = flags_.output == "csv"          ? report::experiment_csv(runs)
                      : flags_.output == "json"       ? report::experiment_json(runs) + "\n"
                      : flags_.output == "prometheus" ? report::experiment_metrics(runs)
                                                      : report::experiment_table(runs);
    std::fputs(text.c_str(), stdout);
  }

  CLI::App* command_;
  CLI::App* merge_ = nullptr;
  std::vector<std::string> shards_;
  SimulateFlags flags_;
  std::string page_;  ///< of reports, to be filled
  /// What happened; null: the cluster is another one, or nothing was recorded.
  std::shared_ptr<const simulate::RecordedRun> recorded_;
};

}  // namespace

std::unique_ptr<Command> add_simulate(CLI::App& app) {
  return std::make_unique<SimulateCommand>(app);
}

}  // namespace dray::app
