#include "app/simulate/pods_play.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/common/cluster_source.h"
#include "app/common/policy_file.h"
#include "app/common/recorded_cluster.h"
#include "app/simulate/pack_run.h"
#include "app/simulate/report_file.h"
#include "app/simulate/schedulers.h"
#include "app/simulate/sources.h"
#include "app/simulate/sweep.h"
#include "dray/simulate/pods_run.h"
#include "report/pods_report.h"

namespace dray::app {
namespace {

using Config = std::shared_ptr<const policy::PolicyConfig>;

struct NamedPolicy {
  std::string name;
  Config config;
  std::string file = {};  ///< empty: none
};

Result<std::vector<NamedPolicy>> load_policies(const std::vector<std::string>& names) {
  std::vector<NamedPolicy> policies;
  for (const auto& name : names) {
    if (name == "none") {
      policies.push_back({name, nullptr});
      continue;
    }
    if (!is_policy_file(name)) {
      return fail(ErrorCode::invalid, "--policy " + name +
                                          ": pods:FILE is played by dray itself: expected a policy "
                                          "FILE.yaml, or none");
    }
    auto config = load_policy(name);
    if (!config) return std::unexpected(std::move(config.error()));
    policies.push_back({std::filesystem::path(name).stem().string(),
                        std::make_shared<const policy::PolicyConfig>(*std::move(config)), name});
  }
  return policies;
}

/// What the policies name and the cluster does not have.
void warn_of(const std::vector<NamedPolicy>& policies, const std::vector<KubeObject>& cluster) {
  const auto snapshot = snapshot_of(cluster);
  for (const auto& [name, config, file] : policies) {
    if (config) print_warnings("simulate", warnings_about(file, *config, *snapshot));
  }
}

/// The cluster, held to the policies.
Result<std::vector<KubeObject>> load_all(const std::vector<std::string>& paths,
                                         const std::vector<NamedPolicy>& policies) {
  ClusterSource source;
  source.cluster = paths;
  auto objects = load_objects(source);
  if (!objects) return std::unexpected(std::move(objects.error()));
  print_warnings("simulate", objects->warnings);
  warn_of(policies, objects->objects);
  return std::move(objects->objects);
}

/// Pods of the schedulers that the flags name become dray's; which others there are is told.
void take_over(simulate::PodWorkload& workload, const SimulateFlags& flags) {
  const auto dray = engine::Options().scheduler_name;
  std::map<std::string, std::size_t> others;
  for (auto& arrival : workload.pods) {
    auto& name = arrival.pod.scheduler_name;
    if (std::ranges::count(flags.schedulers, name) > 0) name = dray;
    if (name != dray) ++others[name];
  }
  std::vector<std::string> warnings;
  warnings.reserve(others.size());
  for (const auto& [name, count] : others) {
    warnings.push_back(fmt::format(
        "{}: {} of {} pods name the scheduler {} and wait for it: --scheduler {} makes them dray's",
        flags.workload, count, workload.pods.size(), name, name));
  }
  print_warnings("simulate", warnings);
}

Result<void> refuse_other_flags(const SimulateFlags& flags) {
  const auto refuse = [](const char* flag) {
    return fail(ErrorCode::invalid,
                std::string(flag) + ": not with a workload of pods:FILE (docs/simulator.md)");
  };
  if (!flags.columns.empty()) return refuse("--columns");
  if (!flags.draw_queues.empty()) return refuse("--draw-queues");
  if (!flags.order.empty()) return refuse("--order");
  if (!flags.decisions.empty()) return refuse("--decisions");
  if (!flags.plan_every.empty()) return refuse("--plan-every");
  if (flags.known_run_times) return refuse("--known-run-times");
  return {};
}

Result<std::string> printed(const SimulateFlags& flags, const Shard& shard,
                            std::vector<report::PodsRunOfSeed>& runs,
                            const report::PodsPlace& place) {
  if (flags.output == "csv") return report::pods_csv(runs);
  if (flags.output == "table") return report::pods_table(runs);
  if (auto measured = report::measure_pods(runs, place); !measured) {
    // Without GPUs there is nothing to measure but pods.
    if (!flags.gpus.empty() || flags.output == "curves") {
      return std::unexpected(std::move(measured.error()));
    }
  }
  if (flags.output == "curves") return report::jobs_curves(report::measured_of(runs));
  if (flags.output == "prometheus") return report::pods_metrics(runs);
  return name_shard(report::pods_json(runs) + "\n", shard);
}

/// Where --report asks for it.
Result<void> report_pods(const SimulateFlags& flags, const std::string& page,
                         const std::vector<report::PodsRunOfSeed>& runs,
                         const report::PodsPlace& place) {
  if (flags.report.empty()) return {};
  auto about = about_input(flags, false);
  about.unit = "pod";
  const auto data = report::pods_page_data(about, runs, place);
  if (!data) return std::unexpected(data.error());
  return write_report(flags, page, *data);
}

}  // namespace

Result<std::vector<KubeObject>> load_brought(const std::string& path) {
  ClusterSource source;
  source.later = true;
  (is_record(path) ? source.cluster : source.files) = {path};
  auto objects = load_objects(source);
  if (!objects) return std::unexpected(std::move(objects.error()));
  if (!objects->strangers.empty()) return fail(ErrorCode::unsupported, objects->strangers.front());
  print_warnings("simulate", objects->warnings);
  return std::move(objects->objects);
}

Result<std::string> play_pods(const SimulateFlags& flags) {
  if (auto plain = refuse_other_flags(flags); !plain) return std::unexpected(plain.error());
  // Before the work, which would be lost without it.
  auto page = flags.report.empty() ? std::string() : load_report_page();
  if (!page) return std::unexpected(std::move(page.error()));
  const auto options = jobs_options(flags);
  if (!options) return std::unexpected(options.error());
  const auto policies = load_policies(flags.policies);
  if (!policies) return std::unexpected(policies.error());
  auto brought = load_brought(parse_source(flags.workload).path);
  if (!brought) return std::unexpected(brought.error());
  const auto times = times_of(flags);
  if (!times) return std::unexpected(times.error());
  auto workload = simulate::pods_of(*brought, times->apart);
  if (workload.pods.empty()) return fail(ErrorCode::invalid, flags.workload + ": no pod in it");
  take_over(workload, flags);
  auto all = load_all(flags.cluster, *policies);
  if (!all) return std::unexpected(all.error());
  const auto cluster = simulate::cluster_without(*all, workload);
  const auto churn = load_churn(flags, simulate::churn_targets(cluster));
  if (!churn) return std::unexpected(churn.error());
  const auto shard = shard_of(flags);
  if (!shard) return std::unexpected(shard.error());
  auto sweep = Sweep::of(flags, *shard);
  if (!sweep) return std::unexpected(sweep.error());
  std::vector<report::PodsRunOfSeed> runs;
  for (const auto& run : sweep->runs()) runs.push_back({run.seed, {}});
  const auto made =
      sweep->make({.make = [&](const Sweep::Run& run) -> Result<void> {
                     simulate::PodsOptions how;
                     how.engine.plan_pause = options->plan_pause;
                     how.until = options->until;
                     how.run_time = times->run_time;
                     how.backlog = flags.backlog;
                     how.churn = *churn;
                     how.seed = run.seed;
                     const auto& policy = (*policies)[run.policy];
                     auto played = simulate::run_pods(cluster, workload, policy.config, how);
                     if (!played) {
                       return std::unexpected(std::move(played.error()).within(policy.name));
                     }
                     played->policy = policy.name;
                     runs[run.place].run = *std::move(played);
                     return {};
                   },
                   .pack = [&](const Sweep::Run& run) { return pack_run(runs[run.place].run); },
                   .take =
                       [&](const Sweep::Run& run, const std::string& bytes) {
                         auto kept = unpack_run<simulate::PodsRun>(bytes);
                         if (!kept) return false;
                         kept->policy = (*policies)[run.policy].name;
                         runs[run.place].run = *std::move(kept);
                         return true;
                       }});
  if (!made) return std::unexpected(made.error());
  report::PodsPlace place{cluster, {}, flags.gpus};
  for (const auto& run : sweep->runs()) place.policies.push_back((*policies)[run.policy].config);
  const auto written = report_pods(flags, *page, runs, place);
  return written ? printed(flags, *shard, runs, place) : std::unexpected(written.error());
}

}  // namespace dray::app
