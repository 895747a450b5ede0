#include <fmt/format.h>

#include "report/jobs_report.h"

namespace dray::report {
namespace {

/// Nothing where shares are not known.
double share_at(const MeasuredRun& measured, std::size_t queue, std::size_t part) {
  const auto& shares = measured.shares.of_queues;
  return queue < shares.size() ? shares[queue][part] : 0;
}

/// In percent of all GPUs.
std::vector<double> fragmented(const simulate::JobsRun& run) {
  auto percent = run.fragmented;
  for (auto& value : percent) value = run.gpus > 0 ? 100 * value / run.gpus : 0;
  return percent;
}

/// The lines of one part of the time; the last columns of the run's own are given.
void add_lines(std::string& text, const MeasuredRun& measured, std::size_t part,
               const std::string& of_run) {
  const auto& run = measured.run;
  const auto at = simulate::in_seconds(run.span) * static_cast<double>(part) /
                  static_cast<double>(run.curves.front().held.size());
  const auto line = [&](const std::string& queue, double held, double waiting, double share) {
    text += fmt::format("{},{},{},{},{:.2f},{:.2f},{:.2f},", run.policy, run.seed, queue,
                        number(at), held, waiting, share);
  };
  double held = 0;
  double waiting = 0;
  double share = 0;
  for (std::size_t queue = 0; queue < run.curves.size(); ++queue) {
    held += run.curves[queue].held[part];
    waiting += run.curves[queue].waiting[part];
    share += share_at(measured, queue, part);
  }
  line("*", held, waiting, share);
  text += of_run;
  for (std::size_t queue = 0; queue < run.curves.size(); ++queue) {
    const auto& curve = run.curves[queue];
    line(curve.name, curve.held[part], curve.waiting[part], share_at(measured, queue, part));
    text += ",\n";
  }
}

}  // namespace

void write_curve(wire::JsonWriter& json, const char* name, const std::vector<double>& values,
                 int decimals) {
  json.key(name);
  json.begin_list();
  for (const auto value : values) json.raw(fmt::format("{:.{}f}", value, decimals));
  json.end_list();
}

void write_queue_curve(wire::JsonWriter& json, const MeasuredRun& measured, std::size_t queue) {
  const auto& curve = measured.run.curves[queue];
  json.key("queue");
  json.string(curve.name);
  write_curve(json, "held", curve.held);
  write_curve(json, "waiting", curve.waiting);
  if (queue < measured.shares.of_queues.size()) {
    write_curve(json, "share", measured.shares.of_queues[queue]);
  }
}

void write_curves(wire::JsonWriter& json, const MeasuredRun& measured) {
  json.key("curves");
  json.begin_list();
  for (std::size_t queue = 0; queue < measured.run.curves.size(); ++queue) {
    json.begin_object();
    write_queue_curve(json, measured, queue);
    json.end_object();
  }
  json.end_list();
  write_run_curves(json, measured);
}

void write_run_curves(wire::JsonWriter& json, const MeasuredRun& measured) {
  json.key("overTime");
  json.begin_object();
  write_curve(json, "jain", simulate::jain_over_time(measured.run.curves), 4);
  write_curve(json, "fragmented", fragmented(measured.run));
  json.end_object();
}

std::string jobs_curves(const std::vector<MeasuredRun>& runs) {
  std::string text = "policy,seed,queue,seconds,held,waiting,fairShare,jain,fragmented\n";
  for (const auto& measured : runs) {
    const auto jain = simulate::jain_over_time(measured.run.curves);
    const auto parts = fragmented(measured.run);
    for (std::size_t part = 0; part < jain.size(); ++part) {
      add_lines(text, measured, part,
                fmt::format("{:.4f},{:.2f}\n", jain[part], part < parts.size() ? parts[part] : 0));
    }
  }
  return text;
}

}  // namespace dray::report
