#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/cluster/event.h"
#include "dray/model/object.h"
#include "dray/simulate/cluster.h"
#include "dray/simulate/workload.h"

namespace dray::simulate {

/// What a cluster did with the jobs of a workload, whoever decided. Times since the beginning of
/// the record.
struct RecordedRun {
  struct Job {
    std::optional<Duration> started;
    std::optional<Duration> ended;   ///< or the end of the record, if it still ran then
    std::vector<std::string> nodes;  ///< of each pod that had one

    bool operator==(const Job&) const = default;
  };
  std::vector<Job> jobs;  ///< by job of the workload
  Duration length{0};     ///< of the record

  bool operator==(const RecordedRun&) const = default;
};

/// A cluster and its load, as a record has them.
struct RecordedLoad {
  Cluster cluster;
  Workload workload;
  RecordedRun run;
};

/// Makes a load of what was seen of a cluster, in the order in which it was seen. A job is a group
/// of pods (engine/pod_groups.h) or a pod by itself that asks for GPUs. Jobs that the record begins
/// with are submitted at its beginning. One thread at a time.
class LoadReader {
 public:
  LoadReader();
  ~LoadReader();
  LoadReader(const LoadReader&) = delete;
  LoadReader& operator=(const LoadReader&) = delete;

  /// Who records begins, or begins anew: all objects are listed, then comes synced().
  void begin(Time now);
  /// All objects of the beginning were seen: what was known before and was not is gone.
  void synced(Time now);
  /// An object, as it is from now on.
  void see(const KubeObject& object, Time now);
  /// It is not there any more.
  void gone(const cluster::ObjectGone& gone, Time now);
  /// It is recorded still.
  void passed(Time now);

  /// The load of what was seen. `gpus`: a DeviceClass or a node's resource; empty: what the pods
  /// ask for, and where some ask for devices and some for a device plugin's resource all are
  /// counted as the latter. What is left out is told in `warnings`.
  [[nodiscard]] Result<RecordedLoad> load(const std::string& gpus,
                                          std::vector<std::string>& warnings) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::simulate
