#include "report/pods_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "dray/simulate/measures.h"
#include "report/jobs_report.h"
#include "report/metrics_text.h"
#include "report/text_table.h"
#include "wire/json/json_writer.h"

namespace dray::report {
namespace {

using simulate::in_seconds;
using simulate::PodRecord;

/// What a run was like.
struct Summary {
  std::size_t bound = 0;
  std::size_t ended = 0;
  std::size_t evicted = 0;
  std::size_t failed = 0;
  std::vector<double> waits;  ///< seconds, of bound ones
  std::map<std::string, std::size_t> reasons;
};

Summary summary_of(const simulate::PodsRun& run) {
  Summary summary;
  for (const auto& pod : run.pods) {
    if (pod.bound) {
      ++summary.bound;
      summary.waits.push_back(in_seconds(*pod.bound - pod.created));
    } else if (!pod.ended) {
      ++summary.reasons[pod.reason == Reason::none ? "not decided"
                                                   : std::string(plain_text(pod.reason))];
    }
    if (pod.ended && !pod.evicted && !pod.failed) ++summary.ended;
    if (pod.evicted) ++summary.evicted;
    if (pod.failed) ++summary.failed;
  }
  return summary;
}

std::vector<std::string> devices_of(const PodRecord& pod) {
  std::vector<std::string> names;
  names.reserve(pod.devices.size());
  for (const auto& each : pod.devices) names.push_back(each.device.to_string());
  return names;
}

void write_time(wire::JsonWriter& json, const char* name, const std::optional<Duration>& time) {
  if (!time) return;
  json.key(name);
  json.raw(number(in_seconds(*time)));
}

void write_text(wire::JsonWriter& json, const char* name, const std::string& text) {
  if (text.empty()) return;
  json.key(name);
  json.string(text);
}

void write_pod(wire::JsonWriter& json, const PodRecord& pod) {
  json.begin_object();
  write_text(json, "namespace", pod.pod.namespace_name);
  write_text(json, "name", pod.pod.name);
  write_text(json, "queue", pod.queue);
  write_time(json, "created", pod.created);
  write_time(json, "bound", pod.bound);
  write_time(json, "ended", pod.ended);
  for (const auto& [name, is] : {std::pair{"evicted", pod.evicted}, {"failed", pod.failed}}) {
    if (!is) continue;
    json.key(name);
    json.raw("true");
  }
  write_text(json, "node", pod.node.get());
  if (!pod.devices.empty()) {
    json.key("devices");
    json.begin_list();
    for (const auto& name : devices_of(pod)) json.string(name);
    json.end_list();
  }
  if (pod.reason != Reason::none) write_text(json, "reason", std::string(plain_text(pod.reason)));
  write_text(json, "detail", pod.detail);
  json.end_object();
}

void write_count(wire::JsonWriter& json, const char* name, std::uint64_t count) {
  json.key(name);
  json.integer(static_cast<std::int64_t>(count));
}

void write_run(wire::JsonWriter& json, const PodsRunOfSeed& one) {
  auto summary = summary_of(one.run);
  json.begin_object();
  json.key("policy");
  json.string(one.run.policy);
  write_count(json, "seed", one.seed);
  write_count(json, "bound", summary.bound);
  write_count(json, "ended", summary.ended);
  write_count(json, "evicted", summary.evicted);
  write_count(json, "failed", summary.failed);
  for (const auto& [name, percent] :
       {std::pair{"waitP50", 50.0}, std::pair{"waitP95", 95.0}, std::pair{"waitP99", 99.0}}) {
    json.key(name);
    json.raw(number(simulate::percentile(summary.waits, percent)));
  }
  json.key("span");
  json.raw(number(in_seconds(one.run.span)));
  write_count(json, "plans", one.run.plans);
  if (one.measured) {
    json.key("measures");
    json.begin_object();
    write_run_measures(json, *one.measured, true);
    write_curves(json, *one.measured);
    json.end_object();
  }
  json.key("pods");
  json.begin_list();
  for (const auto& pod : one.run.pods) write_pod(json, pod);
  json.end_list();
  json.end_object();
}

std::string seconds_or_none(const std::optional<Duration>& time) {
  return time ? number(in_seconds(*time)) : "";
}

}  // namespace

std::string pods_table(const std::vector<PodsRunOfSeed>& runs) {
  std::vector<std::vector<std::string>> rows{
      {"POLICY", "SEED", "BOUND", "ENDED", "EVICTED", "FAILED", "WAIT p50", "p95", "p99", "SPAN"}};
  std::vector<std::vector<std::string>> reasons{{"POLICY", "SEED", "WAIT", "FOR"}};
  for (const auto& [seed, run, measured] : runs) {
    auto summary = summary_of(run);
    const auto wait = [&](double percent) {
      return time_text(simulate::percentile(summary.waits, percent));
    };
    rows.push_back({run.policy, fmt::format("{}", seed),
                    fmt::format("{}/{}", summary.bound, run.pods.size()),
                    fmt::format("{}", summary.ended), fmt::format("{}", summary.evicted),
                    fmt::format("{}", summary.failed), wait(50), wait(95), wait(99),
                    time_text(in_seconds(run.span))});
    for (const auto& [reason, count] : summary.reasons) {
      reasons.push_back({run.policy, fmt::format("{}", seed), fmt::format("{}", count), reason});
    }
  }
  auto text = text_table(rows);
  if (reasons.size() > 1) text += "\n" + text_table(reasons);
  return text;
}

std::vector<MeasuredRun> measured_of(const std::vector<PodsRunOfSeed>& runs) {
  std::vector<MeasuredRun> all;
  for (const auto& run : runs) {
    if (run.measured) all.push_back(*run.measured);
  }
  return all;
}

std::string pods_csv(const std::vector<PodsRunOfSeed>& runs) {
  std::string text =
      "policy,seed,namespace,name,queue,created,bound,ended,evicted,failed,node,devices,reason\n";
  for (const auto& [seed, run, measured] : runs) {
    for (const auto& pod : run.pods) {
      text += fmt::format(
          "{},{},{},{},{},{},{},{},{},{},{},{},{}\n", run.policy, seed, pod.pod.namespace_name,
          pod.pod.name, pod.queue, number(in_seconds(pod.created)), seconds_or_none(pod.bound),
          seconds_or_none(pod.ended), pod.evicted ? 1 : 0, pod.failed ? 1 : 0, pod.node.get(),
          fmt::join(devices_of(pod), " "), pod.reason == Reason::none ? "" : name(pod.reason));
    }
  }
  return text;
}

std::string pods_json(const std::vector<PodsRunOfSeed>& runs) {
  wire::JsonWriter json;
  json.begin_object();
  json.key("runs");
  json.begin_list();
  for (const auto& run : runs) write_run(json, run);
  json.end_list();
  json.end_object();
  return std::move(json).take();
}

std::string pods_metrics(const std::vector<PodsRunOfSeed>& runs) {
  MetricsText text;
  for (const auto& [seed, run, measured] : runs) {
    auto summary = summary_of(run);
    const MetricsText::Labels labels{{"policy", run.policy}, {"seed", fmt::format("{}", seed)}};
    const auto with = [&](std::string_view name, std::string value) {
      auto more = labels;
      more.emplace_back(name, std::move(value));
      return more;
    };
    for (const auto& [state, count] : {std::pair{"created", run.pods.size()},
                                       {"bound", summary.bound},
                                       {"ended", summary.ended},
                                       {"evicted", summary.evicted},
                                       {"failed", summary.failed}}) {
      text.add("pods", "Pods that were so in the run.", with("state", state),
               static_cast<double>(count));
    }
    for (const auto& [quantile, percent] :
         {std::pair{"0.5", 50.0}, std::pair{"0.95", 95.0}, std::pair{"0.99", 99.0}}) {
      text.add("pod_wait_seconds", "From creation to binding, of bound pods, by the nearest rank.",
               with("quantile", quantile), simulate::percentile(summary.waits, percent));
    }
    for (const auto& [reason, count] : summary.reasons) {
      text.add("waiting_pods", "Pods that wait in the end, and what for.", with("reason", reason),
               static_cast<double>(count));
    }
    text.add("span_seconds", "To the last that happened to a pod.", labels, in_seconds(run.span));
  }
  const auto measured = measured_of(runs);
  return text.text() + (measured.empty() ? std::string() : jobs_metrics(measured));
}

}  // namespace dray::report
