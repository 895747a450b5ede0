#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "dray/simulate/trace.h"
#include "simulate/trace/read_rows.h"

// Traces of jobs: Philly (Microsoft, 2017), Helios (SenseTime, 2020), and CSV of one's own.

namespace dray::simulate {
namespace {

/// Nodes of both clusters have eight GPUs.
constexpr std::int64_t gpus_of_node = 8;
constexpr std::int64_t most_job_gpus = 1 << 16;

/// Pods of at most a node each, as few as can be of equal size.
void split(TraceJob& job, std::int64_t gpus) {
  auto pods = (gpus + gpus_of_node - 1) / gpus_of_node;
  while (pods > 0 && gpus % pods != 0) ++pods;
  job.pods = static_cast<std::int32_t>(std::max<std::int64_t>(pods, 1));
  job.ask.gpus = static_cast<std::int32_t>(gpus / job.pods);
  job.ask.gpu_milli = job.ask.gpus > 0 ? whole_gpu : 0;
}

/// `2017-10-09 07:01:55` in microseconds; the zone is the same for all.
Result<std::int64_t> timestamp(const CsvRows& rows, std::string_view column) {
  auto text = std::string(rows.text(column));
  if (text.size() > 10) text[10] = 'T';
  if (text.ends_with('Z')) text.pop_back();
  const auto time = parse_time(text + "Z");
  if (!time) return std::unexpected(rows.expected(column, "a time as 2017-10-09 07:01:55"));
  return time->time_since_epoch().count();
}

/// Times count from the first arrival.
void count_from_first(Workload& workload) {
  if (workload.jobs.empty()) return;
  const auto first = std::ranges::min(workload.jobs, {}, &TraceJob::submitted).submitted;
  for (auto& job : workload.jobs) job.submitted -= first;
}

template <class Read>
Result<Traced<Workload>> read_jobs(std::string_view csv, const TraceRules& rules,
                                   const std::vector<std::string_view>& columns, const Read& read,
                                   const CsvRows::Names& names = {}) {
  auto rows = CsvRows::open(csv, columns, names);
  if (!rows) return std::unexpected(rows.error());
  Traced<Workload> jobs;
  auto skipped = read_rows(*rows, rules, [&]() -> Result<void> {
    TraceJob job;
    auto done = read(*rows, job);
    if (done) jobs.value.jobs.push_back(std::move(job));
    return done;
  });
  if (!skipped) return std::unexpected(skipped.error());
  jobs.skipped = std::move(*skipped);
  count_from_first(jobs.value);
  return jobs;
}

/// Seconds, or a time.
Result<std::int64_t> moment(const CsvRows& rows, std::string_view column) {
  auto seconds = rows.seconds(column);
  if (seconds) return seconds;
  auto time = timestamp(rows, column);
  if (time) return time;
  return std::unexpected(rows.expected(column, "seconds, or a time as 2017-10-09 07:01:55"));
}

/// Arrival and run time in seconds, GPUs.
Result<void> read_common(const CsvRows& rows, TraceJob& job, std::string_view arrival,
                         std::string_view run_time, std::string_view gpus) {
  const auto submitted = rows.seconds(arrival);
  if (!submitted) return std::unexpected(submitted.error());
  job.submitted = Duration(*submitted);
  const auto runs = rows.seconds(run_time);
  if (!runs) return std::unexpected(runs.error());
  job.run_time = Duration(*runs);
  const auto count = rows.whole(gpus, 0, most_job_gpus);
  if (!count) return std::unexpected(count.error());
  split(job, *count);
  return {};
}

Result<void> read_philly_job(const CsvRows& rows, TraceJob& job) {
  const auto submitted = timestamp(rows, "timestamp");
  if (!submitted) return std::unexpected(submitted.error());
  if (auto done = read_common(rows, job, "duration", "duration", "num_gpus"); !done) return done;
  job.submitted = Duration(*submitted);
  job.queue = rows.text("cluster");
  return {};
}

/// HeliosData's cluster_log.csv. CPUs are of the job as a whole.
Result<void> read_helios_log_job(const CsvRows& rows, TraceJob& job) {
  const auto submitted = timestamp(rows, "submit_time");
  if (!submitted) return std::unexpected(submitted.error());
  if (auto done = read_common(rows, job, "duration", "duration", "gpu_num"); !done) return done;
  job.submitted = Duration(*submitted);
  job.name = rows.text("job_id");
  job.queue = rows.text("vc");
  if (rows.text("cpu_num").empty()) return {};
  const auto cpus = rows.whole("cpu_num", 0, most_job_gpus * 1'000);
  if (!cpus) return std::unexpected(cpus.error());
  job.ask.milli_cpu = *cpus * 1'000 / job.pods;
  return {};
}

Result<void> read_own_job(const CsvRows& rows, TraceJob& job) {
  const auto submitted = moment(rows, "submit");
  if (!submitted) return std::unexpected(submitted.error());
  if (auto done = read_common(rows, job, "run_time", "run_time", "gpus"); !done) return done;
  job.submitted = Duration(*submitted);
  job.name = rows.text("name");
  job.queue = rows.has("queue") ? rows.text("queue") : "default";
  struct Optional {
    std::string_view column;
    std::int64_t* value;
    std::int64_t least;
  };
  std::int64_t pods = 0;
  for (const auto& one :
       std::array{Optional{"cpu_milli", &job.ask.milli_cpu, 0},
                  Optional{"memory_mib", &job.ask.memory_mib, 0}, Optional{"pods", &pods, 1}}) {
    if (rows.text(one.column).empty()) continue;
    const auto value = rows.whole(one.column, one.least, std::int64_t{1} << 40U);
    if (!value) return std::unexpected(value.error());
    *one.value = *value;
  }
  if (pods == 0) return {};
  // With a column of pods, `gpus` is of each.
  const auto each = rows.whole("gpus", 0, most_gpus);
  if (!each) return std::unexpected(each.error());
  job.pods = static_cast<std::int32_t>(std::min(pods, most_job_gpus));
  job.ask.gpus = static_cast<std::int32_t>(*each);
  return {};
}

}  // namespace

Result<Traced<Workload>> read_philly(std::string_view csv, const TraceRules& rules) {
  return read_jobs(csv, rules, {"timestamp", "duration", "num_gpus", "cluster"}, read_philly_job);
}

Result<Traced<Workload>> read_helios(std::string_view csv, const TraceRules& rules) {
  if (csv.substr(0, csv.find('\n')).contains("gpu_num")) {
    return read_jobs(csv, rules, {"job_id", "vc", "gpu_num", "submit_time", "duration"},
                     read_helios_log_job);
  }
  return read_jobs(csv, rules, {"job_id", "arrival_s", "service_sec", "gpu_count"},
                   [](const CsvRows& rows, TraceJob& job) {
                     job.name = rows.text("job_id");
                     job.queue = rows.has("vc") ? rows.text("vc") : "default";
                     return read_common(rows, job, "arrival_s", "service_sec", "gpu_count");
                   });
}

Result<Traced<Workload>> read_jobs_csv(std::string_view csv, const TraceRules& rules) {
  return read_jobs(csv, rules, {csv_columns.begin(), csv_columns.begin() + 4}, read_own_job,
                   rules.columns);
}

}  // namespace dray::simulate
