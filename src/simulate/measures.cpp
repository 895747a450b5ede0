#include "dray/simulate/measures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace dray::simulate {
namespace {

double gpus_asked(const TraceJob& job) {
  return static_cast<double>(job.ask.total_gpu_milli() * job.pods) / whole_gpu;
}

Measures measure_jobs(const Workload& workload, const JobsRun& run,
                      const std::function<bool(const TraceJob&)>& counts) {
  Measures some;
  std::vector<double> waits;
  std::vector<double> gang_waits;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const auto& job = workload.jobs[i];
    if (!counts(job)) continue;
    const auto& record = run.jobs[i];
    ++some.jobs;
    if (record.ended) ++some.ended;
    some.evictions += record.evictions;
    some.preemptions += record.preemptions;
    some.failures += record.failures;
    some.moves += record.moves;
    some.lost_gpu_hours += in_seconds(record.lost) * gpus_asked(job) / 3600;
    if (record.ended && job.run_time) {
      some.gpu_hours += in_seconds(*job.run_time) * gpus_asked(job) / 3600;
    }
    if (!record.started) continue;
    ++some.started;
    waits.push_back(in_seconds(record.waited));
    if (job.pods > 1) gang_waits.push_back(waits.back());
  }
  if (!waits.empty()) {
    some.wait_mean =
        std::accumulate(waits.begin(), waits.end(), 0.0) / static_cast<double>(waits.size());
  }
  some.wait_p50 = percentile(waits, 50);
  some.wait_p95 = percentile(waits, 95);
  some.wait_p99 = percentile(waits, 99);
  some.gang_wait_p95 = percentile(gang_waits, 95);
  return some;
}

/// Jain's index of the parts of their demand that queues held.
class Evenness {
 public:
  void add(double held, double waiting) {
    if (held + waiting <= 0) return;
    const auto part = held / (held + waiting);
    sum_ += part;
    squares_ += part * part;
    ++count_;
  }
  [[nodiscard]] double index() const {
    return squares_ > 0 ? sum_ * sum_ / (count_ * squares_) : 1;
  }

 private:
  double sum_ = 0;
  double squares_ = 0;
  double count_ = 0;
};

double jain_index(const std::vector<Curve>& curves) {
  Evenness even;
  for (const auto& curve : curves) {
    even.add(std::accumulate(curve.held.begin(), curve.held.end(), 0.0),
             std::accumulate(curve.waiting.begin(), curve.waiting.end(), 0.0));
  }
  return even.index();
}

struct SizeClass {
  std::string_view name;
  std::int64_t most_milli;  ///< thousandths of GPUs
};
constexpr std::array<SizeClass, size_classes> classes{
    {{"no GPU", 0},
     {"part of a GPU", 999},
     {"1 GPU", 1'000},
     {"up to 4 GPUs", 4'000},
     {"up to 8 GPUs", 8'000},
     {"up to 16 GPUs", 16'000},
     {"up to 64 GPUs", 64'000},
     {"over 64 GPUs", std::numeric_limits<std::int64_t>::max()}}};

}  // namespace

std::size_t size_class(const TraceJob& job) {
  const auto milli = job.ask.total_gpu_milli() * job.pods;
  const auto found = std::ranges::lower_bound(classes, milli, {}, &SizeClass::most_milli);
  return static_cast<std::size_t>(found - classes.begin());
}

std::string_view size_class_name(std::size_t size) {
  return classes.at(size).name;
}

double in_seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

double percentile(std::vector<double>& values, double percent) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::vector<double> jain_over_time(const std::vector<Curve>& curves) {
  std::vector<double> indices(curves.empty() ? 0 : curves.front().held.size());
  for (std::size_t part = 0; part < indices.size(); ++part) {
    Evenness even;
    for (const auto& curve : curves) even.add(curve.held[part], curve.waiting[part]);
    indices[part] = even.index();
  }
  return indices;
}

RunMeasures measure(const Workload& workload, const JobsRun& run) {
  RunMeasures measures;
  measures.all = measure_jobs(workload, run, [](const TraceJob&) { return true; });
  for (const auto& curve : run.curves) {
    measures.queues.push_back(
        measure_jobs(workload, run, [&](const TraceJob& job) { return job.queue == curve.name; }));
    measures.queues.back().queue = curve.name;
    measures.queues.back().held = std::accumulate(curve.held.begin(), curve.held.end(), 0.0) /
                                  static_cast<double>(std::max<std::size_t>(curve.held.size(), 1));
  }
  const auto span = in_seconds(run.span);
  if (span > 0) measures.all.held = run.used / span;
  if (span > 0 && run.gpus > 0) measures.utilisation = 100 * run.used / (span * run.gpus);
  std::optional<Duration> first;
  Duration last{0};
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    if (!first || workload.jobs[i].submitted < *first) first = workload.jobs[i].submitted;
    if (run.jobs[i].ended) last = std::max(last, *run.jobs[i].ended);
  }
  if (first && last > *first) measures.makespan = in_seconds(last - *first);
  measures.jain = jain_index(run.curves);
  for (std::size_t size = 0; size < size_classes; ++size) {
    auto some =
        measure_jobs(workload, run, [&](const TraceJob& job) { return size_class(job) == size; });
    if (some.jobs > 0) measures.sizes.push_back({size, std::move(some)});
  }
  if (run.pods_of_several > 0) {
    measures.aligned =
        100 * static_cast<double>(run.pods_together) / static_cast<double>(run.pods_of_several);
  }
  if (!run.fragmented.empty() && run.gpus > 0 && span > 0) {
    const auto mean = std::accumulate(run.fragmented.begin(), run.fragmented.end(), 0.0) /
                      static_cast<double>(run.fragmented.size());
    const auto idle = run.gpus - run.used / span;
    measures.fragmented = 100 * mean / run.gpus;
    if (idle > 0) measures.fragmented_idle = 100 * mean / idle;
  }
  return measures;
}

}  // namespace dray::simulate
