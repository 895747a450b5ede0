#include "report/jobs_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/metrics_text.h"
#include "report/page_parts.h"
#include "report/text_table.h"
#include "wire/json/json_writer.h"

namespace dray::report {
namespace {

using simulate::Measures;

struct NamedValue {
  const char* name;
  double value;
};

std::vector<NamedValue> values_of(const Measures& some) {
  return {{"jobs", static_cast<double>(some.jobs)},
          {"started", static_cast<double>(some.started)},
          {"ended", static_cast<double>(some.ended)},
          {"waitMean", some.wait_mean},
          {"waitP50", some.wait_p50},
          {"waitP95", some.wait_p95},
          {"waitP99", some.wait_p99},
          {"gangWaitP95", some.gang_wait_p95},
          {"evictions", static_cast<double>(some.evictions)},
          {"preemptions", static_cast<double>(some.preemptions)},
          {"failures", static_cast<double>(some.failures)},
          {"moves", static_cast<double>(some.moves)},
          {"lostGpuHours", some.lost_gpu_hours},
          {"gpuHours", some.gpu_hours},
          {"held", some.held},
          {"fairShare", some.fair_share},
          {"owed", some.owed}};
}

void write_measures(wire::JsonWriter& json, const Measures& some, std::string_view size = {},
                    bool of_queue = false) {
  json.begin_object();
  if (of_queue) {
    json.key("queue");
    json.string(some.queue);
  }
  if (!size.empty()) {
    json.key("size");
    json.string(size);
  }
  for (const auto& [name, value] : values_of(some)) {
    json.key(name);
    json.raw(number(value));
  }
  json.end_object();
}

std::vector<std::string> queue_row(const MeasuredRun& run, const Measures& some) {
  return {run.run.policy,
          fmt::format("{}", run.run.seed),
          some.queue,
          fmt::format("{}", some.jobs),
          time_text(some.wait_p50),
          time_text(some.wait_p95),
          time_text(some.wait_p99),
          fmt::format("{}", some.evictions),
          fmt::format("{:.0f}", some.gpu_hours),
          fmt::format("{:.2f}", some.held)};
}

/// Devices held on average, % of those that there are.
double utilisation(double used, double devices, const simulate::JobsRun& run) {
  const auto all = devices * simulate::in_seconds(run.span);
  return all > 0 ? 100 * used / all : 0;
}

/// % of the gangs.
double together(const simulate::GangSpread& spread) {
  return 100 * static_cast<double>(spread.together) / static_cast<double>(spread.gangs);
}

/// What is told of the run beside its queues.
void write_parts(wire::JsonWriter& json, const MeasuredRun& measured) {
  const auto& run = measured.run;
  json.key("sizes");
  json.begin_list();
  for (const auto& each : measured.measures.sizes) {
    write_measures(json, each.some, simulate::size_class_name(each.size));
  }
  json.end_list();
  write_list(json, "models", run.models, [&](const simulate::ModelUse& model) {
    write_text(json, "model", model.model);
    write_number(json, "gpus", model.gpus);
    write_number(json, "utilisation", utilisation(model.used, model.gpus, run));
  });
  write_list(json, "classes", run.classes, [&](const simulate::ClassUse& use) {
    write_text(json, "class", use.name);
    write_number(json, "devices", use.devices);
    write_number(json, "utilisation", utilisation(use.used, use.devices, run));
  });
  if (measured.measures.aligned) write_number(json, "aligned", *measured.measures.aligned);
  write_list(json, "gangs", run.gangs, [&](const simulate::GangSpread& spread) {
    write_text(json, "level", spread.level);
    write_count(json, "gangs", spread.gangs);
    write_number(json, "together", together(spread));
  });
  write_list(json, "waitsFor", run.waiting, [&](const simulate::WaitingFor& waiting) {
    write_text(json, "reason", waiting.reason);
    write_count(json, "jobs", waiting.jobs);
  });
}

using Labels = MetricsText::Labels;

Labels with(Labels labels, std::string_view name, std::string value) {
  labels.emplace_back(name, std::move(value));
  return labels;
}

void add_measures(MetricsText& text, const Labels& labels, const Measures& some) {
  for (const auto& [state, count] :
       {std::pair{"submitted", some.jobs}, {"started", some.started}, {"ended", some.ended}}) {
    text.add("jobs", "Jobs, without queue and size all of the run.", with(labels, "state", state),
             static_cast<double>(count));
  }
  for (const auto& [quantile, seconds] :
       {std::pair{"0.5", some.wait_p50}, {"0.95", some.wait_p95}, {"0.99", some.wait_p99}}) {
    text.add("wait_seconds", "All the waiting of jobs that started, by the nearest rank.",
             with(labels, "quantile", quantile), seconds);
  }
  text.add("wait_seconds_mean", "The same on average.", labels, some.wait_mean);
  text.add("gang_wait_seconds", "The same of jobs of several pods.",
           with(labels, "quantile", "0.95"), some.gang_wait_p95);
  text.add("evictions", "Evictions of jobs, for other queues and for priority.", labels,
           static_cast<double>(some.evictions));
  text.add("preemptions", "Those of them for priority within a queue.", labels,
           static_cast<double>(some.preemptions));
  text.add("node_failures", "Jobs stopped by a node that failed.", labels,
           static_cast<double>(some.failures));
  text.add("moves", "Jobs that went on elsewhere at once, to make room.", labels,
           static_cast<double>(some.moves));
  text.add("lost_gpu_hours", "Run, and run again.", labels, some.lost_gpu_hours);
  text.add("gpu_hours", "Of jobs that ended, without what was lost.", labels, some.gpu_hours);
}

}  // namespace

std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3f}", value);
}

void write_run_measures(wire::JsonWriter& json, const MeasuredRun& measured, bool with_queues) {
  const auto& run = measured.run;
  const auto& measures = measured.measures;
  json.key("policy");
  json.string(run.policy);
  json.key("seed");
  json.integer(static_cast<std::int64_t>(run.seed));
  json.key("sharesOf");
  json.string(measured.shares.policy);
  for (const auto& [name, value] :
       {NamedValue{"gpus", run.gpus}, NamedValue{"utilisation", measures.utilisation},
        NamedValue{"fragmented", measures.fragmented},
        NamedValue{"fragmentedIdle", measures.fragmented_idle},
        NamedValue{"makespan", measures.makespan}, NamedValue{"jain", measures.jain},
        NamedValue{"span", simulate::in_seconds(run.span)},
        NamedValue{"events", static_cast<double>(run.events)},
        NamedValue{"plans", static_cast<double>(run.plans)},
        NamedValue{"cycles", static_cast<double>(run.cycles)}}) {
    json.key(name);
    json.raw(number(value));
  }
  json.key("all");
  write_measures(json, measures.all);
  if (!with_queues) return;
  json.key("queues");
  json.begin_list();
  for (const auto& queue : measures.queues) write_measures(json, queue, {}, true);
  json.end_list();
  write_parts(json, measured);
}

std::string time_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{}s", whole);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole % 3600 / 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole % 86400 / 3600);
}

std::string jobs_table(const std::vector<MeasuredRun>& runs) {
  std::vector<std::vector<std::string>> rows{{"POLICY", "SEED", "ENDED", "WAIT p50", "p95", "p99",
                                              "GANGS p95", "EVICTED", "FAILED", "MOVED",
                                              "LOST GPU-h", "USED%", "FRAG%", "MAKESPAN", "JAIN"}};
  std::vector<std::vector<std::string>> queues{
      {"POLICY", "SEED", "QUEUE", "JOBS", "WAIT p50", "p95", "p99", "EVICTED", "GPU-h", "HELD"}};
  for (const auto& run : runs) {
    const auto& all = run.measures.all;
    rows.push_back({run.run.policy, fmt::format("{}", run.run.seed),
                    fmt::format("{}/{}", all.ended, all.jobs), time_text(all.wait_p50),
                    time_text(all.wait_p95), time_text(all.wait_p99), time_text(all.gang_wait_p95),
                    fmt::format("{}", all.evictions), fmt::format("{}", all.failures),
                    fmt::format("{}", all.moves), fmt::format("{:.1f}", all.lost_gpu_hours),
                    fmt::format("{:.1f}", run.measures.utilisation),
                    fmt::format("{:.1f}", run.measures.fragmented),
                    time_text(run.measures.makespan), fmt::format("{:.3f}", run.measures.jain)});
    for (const auto& queue : run.measures.queues) queues.push_back(queue_row(run, queue));
  }
  auto text = text_table(rows);
  if (queues.size() > runs.size() + 1) text += "\n" + text_table(queues);
  return text;
}

std::string jobs_csv(const std::vector<MeasuredRun>& runs) {
  std::string text = "policy,seed,queue,size";
  for (const auto& [name, value] : values_of({})) text += fmt::format(",{}", name);
  text += ",utilisation,makespan,jain,fragmented,fragmentedIdle\n";
  const auto line = [&](const MeasuredRun& run, const Measures& some, std::string_view queue,
                        std::string_view size, std::string_view of_run) {
    text += fmt::format("{},{},{},{}", run.run.policy, run.run.seed, queue, size);
    for (const auto& [name, value] : values_of(some)) text += "," + number(value);
    text += of_run;
  };
  for (const auto& run : runs) {
    const auto& measures = run.measures;
    line(run, measures.all, "*", "*",
         fmt::format(",{},{},{},{},{}\n", number(measures.utilisation), number(measures.makespan),
                     number(measures.jain), number(measures.fragmented),
                     number(measures.fragmented_idle)));
    for (const auto& queue : measures.queues) line(run, queue, queue.queue, "*", ",,,,,\n");
    for (const auto& each : measures.sizes) {
      line(run, each.some, "*", simulate::size_class_name(each.size), ",,,,,\n");
    }
  }
  return text;
}

std::string jobs_json(const std::vector<MeasuredRun>& runs) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("runs");
  json.begin_list();
  for (const auto& measured : runs) {
    json.begin_object();
    write_run_measures(json, measured, true);
    write_curves(json, measured);
    json.end_object();
  }
  json.end_list();
  json.end_object();
  return std::move(json).take();
}

std::string jobs_metrics(const std::vector<MeasuredRun>& runs) {
  MetricsText text;
  for (const auto& [run, measures, shares] : runs) {
    const Labels labels{{"policy", run.policy}, {"seed", fmt::format("{}", run.seed)}};
    add_measures(text, labels, measures.all);
    for (const auto& queue : measures.queues) {
      const auto of_queue = with(labels, "queue", queue.queue);
      add_measures(text, of_queue, queue);
      text.add("queue_gpus", "GPUs that a queue held, on average.", of_queue, queue.held);
      text.add("queue_fair_share_gpus", "GPUs that were a queue's fair share, on average.",
               of_queue, queue.fair_share);
      text.add("queue_owed_gpus", "GPUs that a queue held less than its fair share, on average.",
               of_queue, queue.owed);
    }
    for (const auto& each : measures.sizes) {
      const auto size = std::string(simulate::size_class_name(each.size));
      add_measures(text, with(labels, "size", size), each.some);
    }
    text.add("gpus", "GPUs of the cluster.", labels, run.gpus);
    text.add("utilisation_percent", "GPUs held.", labels, measures.utilisation);
    for (const auto& model : run.models) {
      text.add("model_utilisation_percent", "GPUs of a model that were held.",
               with(labels, "model", model.model), utilisation(model.used, model.gpus, run));
    }
    for (const auto& use : run.classes) {
      text.add("class_utilisation_percent",
               "Devices of a DeviceClass, or of a device plugin's resource, that were held.",
               with(labels, "class", use.name), utilisation(use.used, use.devices, run));
    }
    if (measures.aligned) {
      text.add("aligned_percent",
               "Placed pods of several devices with all on one PCIe root or NUMA node.", labels,
               *measures.aligned);
    }
    for (const auto& spread : run.gangs) {
      text.add("gangs_together_percent",
               "Gangs that started with all pods in one domain of a topology level.",
               with(labels, "level", spread.level), together(spread));
    }
    for (const auto& waiting : run.waiting) {
      text.add("waiting_jobs", "Jobs that wait in the end, and what for.",
               with(labels, "reason", waiting.reason), static_cast<double>(waiting.jobs));
    }
    text.add("fragmented_percent", "FGD's measure on average over time, of all GPUs.", labels,
             measures.fragmented);
    text.add("makespan_seconds", "From the first arrival to the last end.", labels,
             measures.makespan);
    text.add("jain_index", "Of the parts of their demand that queues held.", labels, measures.jain);
  }
  return text.text();
}

}  // namespace dray::report
