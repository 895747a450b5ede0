#include <fmt/format.h>

#include "report/jobs_report.h"

namespace dray::report {
namespace {

/// Nothing where shares are not known.
double share_at(const MeasuredRun& measured, std::size_t queue, std::size_t part) {
  const auto& shares = measured.shares.of_queues;
  return queue < shares.size() ? shares[queue][part] : 0;
}

/// The lines of one part of the time.
void add_lines(std::string& text, const MeasuredRun& measured, std::size_t part, double jain) {
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
  text += fmt::format("{:.4f}\n", jain);
  for (std::size_t queue = 0; queue < run.curves.size(); ++queue) {
    const auto& curve = run.curves[queue];
    line(curve.name, curve.held[part], curve.waiting[part], share_at(measured, queue, part));
    text += "\n";
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

void write_run_curves(wire::JsonWriter& json, const MeasuredRun& measured) {
  json.key("overTime");
  json.begin_object();
  write_curve(json, "jain", simulate::jain_over_time(measured.run.curves), 4);
  json.end_object();
}

std::string jobs_curves(const std::vector<MeasuredRun>& runs) {
  std::string text = "policy,seed,queue,seconds,held,waiting,fairShare,jain\n";
  for (const auto& measured : runs) {
    const auto jain = simulate::jain_over_time(measured.run.curves);
    for (std::size_t part = 0; part < jain.size(); ++part) {
      add_lines(text, measured, part, jain[part]);
    }
  }
  return text;
}

}  // namespace dray::report
