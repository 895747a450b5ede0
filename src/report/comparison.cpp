#include "report/comparison.h"

#include <algorithm>
#include <array>

#include "dray/simulate/measures.h"

namespace dray::report {
namespace {

std::optional<Duration> done(const simulate::TraceJob& job, const simulate::JobRecord& record) {
  return job.run_time ? record.ended : record.started;
}

}  // namespace

Waits waits_of(const simulate::Workload& workload, const simulate::JobsRun& run) {
  std::vector<double> all;
  std::array<std::vector<double>, size_classes> by_size;
  std::array<std::size_t, size_classes> jobs{};
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const auto at = size_class(workload.jobs[i]);
    ++jobs.at(at);
    if (!run.jobs[i].started) continue;
    all.push_back(simulate::in_seconds(run.jobs[i].waited));
    by_size.at(at).push_back(all.back());
  }
  Waits waits;
  if (!all.empty()) {
    for (int percent = 0; percent <= 100; ++percent) {
      waits.percentiles.push_back(simulate::percentile(all, percent));
    }
  }
  for (std::size_t at = 0; at < jobs.size(); ++at) {
    if (jobs.at(at) == 0) continue;
    auto& of_size = by_size.at(at);
    waits.sizes.push_back({at, jobs.at(at), of_size.size(), simulate::percentile(of_size, 50),
                           simulate::percentile(of_size, 95)});
  }
  return waits;
}

Fared compare_jobs(const simulate::Workload& workload, const simulate::JobsRun& first,
                   const simulate::JobsRun& other, std::size_t most) {
  Fared fared;
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    const auto before = done(workload.jobs[i], first.jobs[i]);
    const auto after = done(workload.jobs[i], other.jobs[i]);
    if (before == after) {
      ++fared.same;
    } else if (!before || (after && *after < *before)) {
      ++fared.sooner;
    } else {
      ++fared.later;
      fared.worst.push_back(
          {i, after ? std::optional(simulate::in_seconds(*after - *before)) : std::nullopt});
    }
  }
  // Those that come first in the trace of those that are as much later.
  std::ranges::stable_sort(fared.worst, [](const LaterJob& a, const LaterJob& b) {
    if (a.later.has_value() != b.later.has_value()) return !a.later;
    return a.later && *a.later > *b.later;
  });
  if (fared.worst.size() > most) fared.worst.resize(most);
  return fared;
}

}  // namespace dray::report
