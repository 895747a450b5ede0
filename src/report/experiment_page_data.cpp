#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "report/comparison.h"
#include "report/experiment_summary.h"
#include "report/page_data.h"
#include "report/page_parts.h"

namespace dray::report {
namespace {

/// As experiment_json() has percents.
void write_percent(wire::JsonWriter& json, std::string_view key, double percent) {
  json.key(key);
  json.raw(fmt::format("{:.4f}", percent));
}

void write_spread(wire::JsonWriter& json, std::string_view key, const Spread& spread) {
  json.key(key);
  json.begin_object();
  write_percent(json, "mean", spread.mean);
  write_percent(json, "deviation", spread.deviation);
  json.end_object();
}

/// Arrivals at which the demand has reached another whole percent, and those percents.
struct Steps {
  std::vector<double> arrivals;
  std::vector<double> demands;
};
Steps steps_of(const simulate::Setting& setting, const simulate::ArrivalOrder& order) {
  std::int64_t capacity = 0;
  for (const auto& node : setting.nodes())
    capacity += std::int64_t{node.gpus} * simulate::whole_gpu;
  Steps steps;
  std::int64_t asked = 0;
  for (std::size_t i = 0; i < order.jobs.size() && capacity > 0; ++i) {
    const auto& job = setting.workload().jobs[order.jobs[i]];
    asked += job.ask.total_gpu_milli() * job.pods;
    const std::int64_t whole_percent = 100 * asked / capacity;
    const auto percent = static_cast<double>(whole_percent);
    if (!steps.demands.empty() && steps.demands.back() == percent) continue;
    steps.arrivals.push_back(static_cast<double>(i));
    steps.demands.push_back(percent);
  }
  return steps;
}

class ExperimentPage {
 public:
  ExperimentPage(const simulate::Setting& setting, const ExperimentRuns& runs,
                 const std::vector<const simulate::ArrivalOrder*>& orders)
      : setting_(setting),
        runs_(runs),
        orders_(orders),
        summary_(summarize(runs)),
        queues_(queues_of(setting.workload())),
        steps_(steps_of(setting, *orders.front())) {
    frame_ = frame_map(setting.nodes(), steps_.arrivals, most_moments,
                       most_map_letters / summary_.policies.size());
  }

  std::string write(const About& about) const {
    wire::JsonWriter json;
    json.begin_object();
    write_text(json, "kind", "experiment");
    write_about(json, about, setting_, summary_.policies.front().seeds);
    write_count(json, "full", summary_.full);
    write_count(json, "last", summary_.last);
    std::vector<double> labels;
    for (const auto moment : frame_.moments) {
      const auto at = std::ranges::find(steps_.arrivals, moment) - steps_.arrivals.begin();
      labels.push_back(steps_.demands[static_cast<std::size_t>(at)]);
    }
    write_map_frame(json, setting_, frame_, "demand", labels, queues_);
    json.key("policies");
    json.begin_list();
    for (const auto& policy : summary_.policies) write_policy(json, policy);
    json.end_list();
    json.end_object();
    return std::move(json).take();
  }

 private:
  void write_policy(wire::JsonWriter& json, const PolicySummary& policy) const {
    json.begin_object();
    write_text(json, "policy", simulate::name(policy.strategy));
    write_count(json, "seeds", policy.seeds);
    write_spread(json, "allocatedFull", policy.allocated_full);
    write_spread(json, "allocatedLast", policy.allocated_last);
    write_spread(json, "fragmentedLast", policy.fragmented_last);
    write_spread(json, "refused", policy.refused);
    json.key("points");
    json.begin_list();
    for (const auto& point : mean_points(runs_, policy.strategy)) {
      json.begin_object();
      write_count(json, "demand", point.demand);
      write_percent(json, "allocated", point.allocated);
      write_percent(json, "least", point.allocated_least);
      write_percent(json, "most", point.allocated_most);
      write_percent(json, "fragmented", point.fragmented);
      write_percent(json, "fragmentedIdle", point.fragmented_idle);
      json.end_object();
    }
    json.end_list();
    write_sizes(json, policy.strategy);
    const auto first =
        std::ranges::find(runs_, policy.strategy, &simulate::ExperimentRun::strategy);
    write_refused_for(json, *first);
    const auto& order = *orders_[static_cast<std::size_t>(first - runs_.begin())];
    write_names(
        json, "pictures",
        draw_map(setting_.nodes(), frame_, holds_of(setting_.workload(), *first, order, queues_)));
    json.end_object();
  }

  /// Pods that arrived and that were refused, over all seeds, by what they ask for.
  void write_sizes(wire::JsonWriter& json, simulate::Strategy strategy) const {
    std::array<std::size_t, size_classes> pods{};
    std::array<std::size_t, size_classes> refused{};
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      if (runs_[r].strategy != strategy) continue;
      for (std::size_t i = 0; i < runs_[r].decisions.size(); ++i) {
        const auto size = size_class(setting_.workload().jobs[orders_[r]->jobs[i]]);
        ++pods.at(size);
        if (runs_[r].decisions[i].node < 0) ++refused.at(size);
      }
    }
    json.key("sizes");
    json.begin_list();
    for (std::size_t size = 0; size < size_classes; ++size) {
      if (pods.at(size) == 0) continue;
      json.begin_object();
      write_text(json, "size", size_class_name(size));
      write_count(json, "pods", pods.at(size));
      write_count(json, "refused", refused.at(size));
      json.end_object();
    }
    json.end_list();
  }

  const simulate::Setting& setting_;
  const ExperimentRuns& runs_;
  const std::vector<const simulate::ArrivalOrder*>& orders_;
  ExperimentSummary summary_;
  std::vector<std::string> queues_;
  Steps steps_;
  MapFrame frame_;
};

}  // namespace

std::string experiment_page_data(const About& about, const simulate::Setting& setting,
                                 const ExperimentRuns& runs,
                                 const std::vector<const simulate::ArrivalOrder*>& orders) {
  return ExperimentPage(setting, runs, orders).write(about);
}

}  // namespace dray::report
