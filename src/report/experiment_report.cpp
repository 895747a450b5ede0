#include "report/experiment_report.h"

#include <fmt/format.h>

#include <utility>

#include "report/experiment_summary.h"
#include "report/metrics_text.h"
#include "report/page_parts.h"
#include "report/statistics.h"
#include "report/text_table.h"
#include "wire/json/json_writer.h"

namespace dray::report {
namespace {

using simulate::DemandPoint;

std::string spread_text(const Spread& spread, std::size_t seeds) {
  return seeds < 2 ? fmt::format("{:.2f}", spread.mean)
                   : fmt::format("{:.2f}±{:.2f}", spread.mean, spread.deviation);
}

void write_point(wire::JsonWriter& json, std::size_t percent, const DemandPoint& point) {
  json.begin_object();
  json.key("demand");
  json.integer(static_cast<std::int64_t>(percent));
  json.key("pods");
  json.integer(static_cast<std::int64_t>(point.pods));
  json.key("allocated");
  json.raw(fmt::format("{:.4f}", point.allocated));
  json.key("fragmented");
  json.raw(fmt::format("{:.4f}", point.fragmented));
  json.key("fragmentedIdle");
  json.raw(fmt::format("{:.4f}", point.fragmented_idle));
  json.end_object();
}

}  // namespace

void write_refused_for(wire::JsonWriter& json, const simulate::ExperimentRun& run) {
  write_list(json, "refusedFor", run.refused_for, [&](const simulate::WaitingFor& each) {
    write_text(json, "reason", each.reason);
    write_count(json, "pods", each.jobs);
  });
}

std::string experiment_table(const ExperimentRuns& runs) {
  const auto summary = summarize(runs);
  std::vector<std::vector<std::string>> rows{
      {"POLICY", "SEEDS", fmt::format("ALLOC% AT {}%", summary.full),
       fmt::format("ALLOC% AT {}%", summary.last), fmt::format("FRAG% AT {}%", summary.last),
       "REFUSED"}};
  for (const auto& policy : summary.policies) {
    std::vector<std::string> row{std::string(name(policy.strategy)),
                                 fmt::format("{}", policy.seeds)};
    for (const auto& spread :
         {policy.allocated_full, policy.allocated_last, policy.fragmented_last, policy.refused}) {
      row.push_back(spread_text(spread, policy.seeds));
    }
    rows.push_back(std::move(row));
  }
  return text_table(rows);
}

std::string experiment_csv(const ExperimentRuns& runs) {
  std::string text = "policy,seed,demand,pods,allocated,fragmented,fragmented_idle\n";
  for (const auto& run : runs) {
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      const auto& point = run.points[i];
      if (point.pods == 0) continue;
      text += fmt::format("{},{},{},{},{:.4f},{:.4f},{:.4f}\n", name(run.strategy), run.seed, i,
                          point.pods, point.allocated, point.fragmented, point.fragmented_idle);
    }
  }
  return text;
}

std::string experiment_json(const ExperimentRuns& runs) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("runs");
  json.begin_list();
  for (const auto& run : runs) {
    json.begin_object();
    json.key("policy");
    json.string(name(run.strategy));
    json.key("seed");
    json.integer(static_cast<std::int64_t>(run.seed));
    json.key("pods");
    json.integer(static_cast<std::int64_t>(run.decisions.size()));
    json.key("refused");
    json.integer(static_cast<std::int64_t>(run.refused));
    write_refused_for(json, run);
    json.key("allocated");
    json.raw(fmt::format("{:.4f}", run.allocated));
    json.key("points");
    json.begin_list();
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      if (run.points[i].pods > 0) write_point(json, i, run.points[i]);
    }
    json.end_list();
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return std::move(json).take();
}

std::string experiment_metrics(const ExperimentRuns& runs) {
  MetricsText text;
  for (const auto& run : runs) {
    const MetricsText::Labels labels{{"policy", std::string(name(run.strategy))},
                                     {"seed", fmt::format("{}", run.seed)}};
    for (std::size_t i = 0; i < run.points.size(); ++i) {
      const auto& point = run.points[i];
      if (point.pods == 0) continue;
      auto at = labels;
      at.emplace_back("demand_percent", fmt::format("{}", i));
      text.add("allocated_percent", "GPUs that pods have, of all, by what was asked for so far.",
               at, point.allocated);
      text.add("fragmented_percent", "Fragmentation of all GPUs, as FGD measures it.", at,
               point.fragmented);
      text.add("fragmented_idle_percent", "The same of the idle GPUs.", at, point.fragmented_idle);
    }
    text.add("refused_pods", "Pods that found no room.", labels, static_cast<double>(run.refused));
    for (const auto& each : run.refused_for) {
      auto lacking = labels;
      lacking.emplace_back("reason", each.reason);
      text.add("refused_for_pods", "The same by what such pods lack in the end.", lacking,
               static_cast<double>(each.jobs));
    }
  }
  return text.text();
}

std::string decisions_csv(const ExperimentRuns& runs,
                          const std::vector<const simulate::ArrivalOrder*>& orders) {
  std::string text = "policy,seed,arrival,pod_index,node_index,gpus\n";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    const auto& run = runs[r];
    for (std::size_t i = 0; i < run.decisions.size(); ++i) {
      std::string gpus;
      for (std::uint32_t bit = 0; bit < simulate::most_gpus; ++bit) {
        if ((run.decisions[i].gpus >> bit) & 1U) {
          gpus += fmt::format("{}{}", gpus.empty() ? "" : "|", bit);
        }
      }
      text += fmt::format("{},{},{},{},{},{}\n", name(run.strategy), run.seed, i,
                          orders[r]->jobs[i], run.decisions[i].node, gpus);
    }
  }
  return text;
}

}  // namespace dray::report
