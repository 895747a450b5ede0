#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "dray/base/error.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// How strictly a trace is read.
struct TraceRules {
  bool lenient = false;  ///< a row that cannot be read is left out and counted
  /// Of read_jobs_csv(): what the file calls a column, by the name that is read.
  std::map<std::string, std::string, std::less<>> columns = {};
};

/// The columns that read_jobs_csv() reads, of which the first four have to be there.
inline constexpr std::array<std::string_view, 8> csv_columns{
    "name", "submit", "run_time", "gpus", "queue", "pods", "cpu_milli", "memory_mib"};

/// What was left out of a trace.
struct SkippedRows {
  std::size_t count = 0;
  std::string first;  ///< what was wrong with the first: `12:7: num_gpu: expected …`

  bool operator==(const SkippedRows&) const = default;
};

/// What was read of a file, and what of it was not.
template <class T>
struct Traced {
  T value;
  SkippedRows skipped;
};

// All errors begin with line and column, from 1: `12:7: num_gpu: expected a whole number, found
// "x"`.

/// Nodes of Alibaba's openb trace: columns sn, cpu_milli, memory_mib, gpu, model.
[[nodiscard]] Result<Traced<std::vector<GpuNode>>> read_openb_nodes(std::string_view csv,
                                                                    const TraceRules& rules = {});
/// Pods of the openb trace, in the order of the file: columns name, cpu_milli, memory_mib, num_gpu,
/// gpu_milli, gpu_spec, creation_time and deletion_time in seconds. The queue is the column qos.
[[nodiscard]] Result<Traced<Workload>> read_openb_pods(std::string_view csv,
                                                       const TraceRules& rules = {});

/// Jobs of the Philly trace: columns timestamp, duration (s), num_gpus, cluster (the queue).
[[nodiscard]] Result<Traced<Workload>> read_philly(std::string_view csv,
                                                   const TraceRules& rules = {});
/// Jobs of the Helios trace: HeliosData's cluster_log.csv (columns job_id, vc, gpu_num, cpu_num,
/// submit_time, duration), or condensed: job_id, arrival_s, service_sec, gpu_count; vc, if there,
/// is the queue.
[[nodiscard]] Result<Traced<Workload>> read_helios(std::string_view csv,
                                                   const TraceRules& rules = {});
/// Jobs of one's own: columns name, submit and run_time (s; 0: ends at once), gpus; and where they
/// are there queue, pods (gpus is of each then), cpu_milli and memory_mib of each pod.
[[nodiscard]] Result<Traced<Workload>> read_jobs_csv(std::string_view csv,
                                                     const TraceRules& rules = {});
// Jobs of more than eight GPUs without a column of pods are of pods of at most eight each.

/// In which order jobs arrive, and which node wins where scores are equal.
struct ArrivalOrder {
  std::vector<std::uint32_t> jobs;   ///< places in Workload::jobs; one may come often
  std::vector<std::uint32_t> ranks;  ///< of each node, all different: the lowest wins

  bool operator==(const ArrivalOrder&) const = default;
};

/// The orders of a file with two lines a seed, `SEED,pods,ROW,…` and `SEED,nodes,RANK,…`: the one
/// of `seed`, for so many rows and nodes. Fails where the file has no such seed.
[[nodiscard]] Result<ArrivalOrder> read_order(std::string_view csv, std::uint64_t seed,
                                              std::size_t rows, std::size_t nodes);
/// The seeds of such a file, in its order.
[[nodiscard]] Result<std::vector<std::uint64_t>> seeds_of(std::string_view csv);

/// Jobs and nodes in an order of this seed, and so many more copies of jobs, drawn at random, that
/// they ask for `demand` times the cluster's GPUs; jobs are taken out where they ask for more.
[[nodiscard]] ArrivalOrder draw_order(const Workload& workload, const std::vector<GpuNode>& nodes,
                                      double demand, std::uint64_t seed);

}  // namespace dray::simulate
