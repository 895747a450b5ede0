#include <algorithm>
#include <numeric>
#include <utility>

#include "dray/simulate/measures.h"
#include "report/comparison.h"
#include "report/page_data.h"
#include "report/page_parts.h"

namespace dray::report {
namespace {

constexpr std::size_t most_queue_curves = 24;
constexpr std::size_t most_later_jobs = 50;

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

std::vector<double> total(const std::vector<simulate::Curve>& curves,
                          std::vector<double> simulate::Curve::* of) {
  std::vector<double> all;
  for (const auto& curve : curves) {
    const auto& values = curve.*of;
    all.resize(std::max(all.size(), values.size()));
    for (std::size_t i = 0; i < values.size(); ++i) all[i] += values[i];
  }
  return all;
}

/// Places of the queues that ask for the most, in the order of their names.
std::vector<std::size_t> largest_queues(const std::vector<simulate::Curve>& curves) {
  std::vector<std::size_t> places(curves.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  if (places.size() <= most_queue_curves) return places;
  std::ranges::stable_sort(places, std::greater{}, [&](std::size_t at) {
    return sum(curves[at].held) + sum(curves[at].waiting);
  });
  places.resize(most_queue_curves);
  std::ranges::sort(places);
  return places;
}

void write_waits(wire::JsonWriter& json, const Waits& waits) {
  json.key("waits");
  json.begin_object();
  json.key("percentiles");
  json.begin_list();
  for (const auto wait : waits.percentiles) json.raw(number(wait));
  json.end_list();
  json.key("sizes");
  json.begin_list();
  for (const auto& size : waits.sizes) {
    json.begin_object();
    write_text(json, "size", size_class_name(size.size));
    write_count(json, "jobs", size.jobs);
    write_count(json, "started", size.started);
    write_number(json, "p50", size.p50);
    write_number(json, "p95", size.p95);
    json.end_object();
  }
  json.end_list();
  json.end_object();
}

/// What a page of jobs is made of, and what all its runs have in common.
class JobsPage {
 public:
  JobsPage(const simulate::Setting& setting, const std::vector<MeasuredRun>& runs)
      : setting_(setting), workload_(setting.workload()), queues_(queues_of(workload_)) {
    for (const auto& run : runs) {
      (run.run.seed == runs.front().run.seed ? compared_ : others_).push_back(&run);
    }
    shown_ = largest_queues(first().curves);
    std::vector<double> moments;
    moments.reserve(most_moments);
    const auto span = simulate::in_seconds(first().span);
    for (std::size_t i = 0; i < most_moments; ++i) {
      moments.push_back(span * (static_cast<double>(i) + 0.5) / most_moments);
    }
    frame_ = frame_map(setting.nodes(), moments, most_moments, most_map_letters / compared_.size());
  }

  std::string write(const About& about) const {
    wire::JsonWriter json;
    json.begin_object();
    write_text(json, "kind", "jobs");
    write_about(json, about, setting_, 1 + others_.size() / compared_.size());
    write_count(json, "queuesLeftOut", first().curves.size() - shown_.size());
    write_map_frame(json, setting_, frame_, "seconds", frame_.moments, queues_);
    json.key("runs");
    json.begin_list();
    for (const auto* run : compared_) write_compared(json, *run);
    json.end_list();
    json.key("otherSeeds");
    json.begin_list();
    for (const auto* run : others_) {
      json.begin_object();
      write_run_measures(json, *run, false);
      json.end_object();
    }
    json.end_list();
    json.end_object();
    return std::move(json).take();
  }

 private:
  [[nodiscard]] const simulate::JobsRun& first() const { return compared_.front()->run; }

  void write_compared(wire::JsonWriter& json, const MeasuredRun& measured) const {
    const auto& run = measured.run;
    json.begin_object();
    write_run_measures(json, measured, true);
    write_waits(json, waits_of(workload_, run));
    write_curve(json, "held", total(run.curves, &simulate::Curve::held));
    write_curve(json, "waiting", total(run.curves, &simulate::Curve::waiting));
    json.key("curves");
    json.begin_list();
    for (const auto at : shown_) {
      json.begin_object();
      write_queue_curve(json, measured, at);
      json.end_object();
    }
    json.end_list();
    write_run_curves(json, measured);
    if (&run != &first()) write_fared(json, run);
    write_names(json, "pictures",
                draw_map(setting_.nodes(), frame_, holds_of(workload_, run, queues_)));
    json.end_object();
  }

  void write_fared(wire::JsonWriter& json, const simulate::JobsRun& run) const {
    const auto fared = compare_jobs(workload_, first(), run, most_later_jobs);
    json.key("fared");
    json.begin_object();
    write_count(json, "later", fared.later);
    write_count(json, "sooner", fared.sooner);
    write_count(json, "same", fared.same);
    json.key("worst");
    json.begin_list();
    for (const auto& worse : fared.worst) {
      const auto& job = workload_.jobs[worse.job];
      json.begin_object();
      write_text(json, "job", job.name);
      write_text(json, "queue", job.queue);
      write_number(json, "gpus",
                   static_cast<double>(job.ask.total_gpu_milli() * job.pods) / simulate::whole_gpu);
      write_count(json, "pods", static_cast<std::size_t>(job.pods));
      write_seconds(json, "submitted", job.submitted - start());
      if (worse.later) write_number(json, "later", *worse.later);
      write_seconds(json, "waitedBefore", first().jobs[worse.job].waited);
      write_seconds(json, "waited", run.jobs[worse.job].waited);
      write_count(json, "evictionsBefore", first().jobs[worse.job].evictions);
      write_count(json, "evictions", run.jobs[worse.job].evictions);
      json.end_object();
    }
    json.end_list();
    json.end_object();
  }

  static void write_seconds(wire::JsonWriter& json, std::string_view key, Duration time) {
    write_number(json, key, simulate::in_seconds(time));
  }

  [[nodiscard]] Duration start() const {
    return std::ranges::min(workload_.jobs, {}, &simulate::TraceJob::submitted).submitted;
  }

  const simulate::Setting& setting_;
  const simulate::Workload& workload_;
  std::vector<std::string> queues_;
  std::vector<const MeasuredRun*> compared_;
  std::vector<const MeasuredRun*> others_;
  std::vector<std::size_t> shown_;  ///< queues whose curves are there
  MapFrame frame_;
};

}  // namespace

std::string jobs_page_data(const About& about, const simulate::Setting& setting,
                           const std::vector<MeasuredRun>& runs) {
  return JobsPage(setting, runs).write(about);
}

}  // namespace dray::report
