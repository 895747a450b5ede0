#include "dray/simulate/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "simulate/trace/random.h"

namespace dray::simulate {
namespace {

using Seconds = std::chrono::duration<double>;

/// So many seconds as a whole number of microseconds.
Duration duration_of(double seconds) {
  return Duration(static_cast<Duration::rep>(std::llround(seconds * 1e6)));
}

/// The place in `weights`, each as likely as it weighs.
template <class Item>
const Item& draw_by_weight(Random& random, const std::vector<Item>& items) {
  double sum = 0;
  for (const auto& item : items) sum += item.weight;
  auto at = random.part() * sum;
  for (const auto& item : items) {
    at -= item.weight;
    if (at < 0) return item;
  }
  return items.back();
}

/// Standard normal (Box and Muller).
double normal(Random& random) {
  const auto radius = std::sqrt(-2 * std::log(1 - random.part()));
  return radius * std::cos(2 * std::numbers::pi * random.part());
}

/// How likely an arrival at that time is, against the busiest: in the middle of the day 1, at
/// midnight 1 - 2 * swing / (1 + swing).
double part_of_peak(double seconds, double swing) {
  const auto day = Seconds(std::chrono::hours(24)).count();
  const auto wave = -std::cos(2 * std::numbers::pi * seconds / day);
  return (1 + swing * wave) / (1 + swing);
}

}  // namespace

Workload synthetic(const SyntheticWorkload& spec) {
  Random random(spec.seed);
  Workload workload;
  workload.jobs.reserve(spec.jobs);
  const auto peak = spec.jobs_per_hour / 3600 * (1 + spec.day_swing);
  double now = 0;
  while (workload.jobs.size() < spec.jobs) {
    // Arrivals as at the busiest time; of those at other times some are left out.
    now += -std::log(1 - random.part()) / peak;
    if (random.part() >= part_of_peak(now, spec.day_swing)) continue;
    auto& job = workload.jobs.emplace_back();
    job.name = fmt::format("job-{:06}", workload.jobs.size() - 1);
    job.queue = draw_by_weight(random, spec.queues).name;
    job.submitted = duration_of(now);
    const auto run_time = spec.run_time_median * std::exp(spec.run_time_sigma * normal(random));
    job.run_time = duration_of(std::min(run_time, spec.run_time_most));
    const auto& size = draw_by_weight(random, spec.sizes);
    job.pods = size.pods;
    job.ask.gpus = size.gpus;
    job.ask.gpu_milli = size.gpus > 0 ? whole_gpu : 0;
  }
  return workload;
}

void draw_queues(Workload& workload, const std::vector<WeightedQueue>& queues) {
  Random random(1);
  for (auto& job : workload.jobs) job.queue = draw_by_weight(random, queues).name;
}

}  // namespace dray::simulate
