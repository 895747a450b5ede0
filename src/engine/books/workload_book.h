#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/policy/gang.h"
#include "dray/policy/queue_config.h"
#include "engine/books/job_key.h"
#include "engine/books/owner_marks.h"

namespace dray::engine {

/// How far a Job is.
struct JobProgress {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  std::int32_t succeeded = 0;       ///< as its status says
  std::int32_t failed_indexes = 0;  ///< for good (backoffLimitPerIndex)
  bool over = false;                ///< its condition Complete or Failed is True

  bool operator==(const JobProgress&) const = default;

  /// How many pods its controller still has at a time. `seen`: pods that have succeeded, of which
  /// the status may not know yet.
  [[nodiscard]] std::int32_t pods_left(std::int32_t seen = 0) const;
};

/// The subgroups of a LeaderWorkerSet's replicas.
struct LeaderWorkerSubgroups {
  std::int32_t size = 0;        ///< pods of each; 0: there are none
  bool without_leader = false;  ///< the leader is in none
  std::string topology;         ///< node label that each agrees in; empty: none

  bool operator==(const LeaderWorkerSubgroups&) const = default;
};

/// What owns pods, as far as it tells how many of them start together.
struct Workload {
  /// What the object itself says of that.
  enum class Says : std::uint8_t {
    nothing,  ///< its queue decides
    gang,     ///< a gang, whatever its queue says
    single,   ///< each pod for itself, whatever its queue says
  };
  Uid uid;
  std::optional<Time> created;
  Says says = Says::nothing;
  /// How many of which kind; a kind is what part_of() gives for its pods. None: `minimum` of all.
  std::vector<std::pair<std::string, std::int32_t>> parts;
  std::int32_t minimum = 0;
  policy::TopologyConstraint topology;  ///< of all pods
  std::optional<JobProgress> job;       ///< of a Job
  bool leader_first = false;            ///< a LeaderWorkerSet's workers come after their leader
  LeaderWorkerSubgroups subgroups;
  OwnerMarks marks;
  std::string problem;  ///< what cannot be honoured, for people; its pods wait

  /// Whether each subgroup of a LeaderWorkerSet's replica has to agree in a node label.
  [[nodiscard]] bool has_subgroups() const {
    return subgroups.size > 0 && !subgroups.topology.empty() && !leader_first;
  }

  bool operator==(const Workload&) const = default;
};

/// The owners of pods that are watched: Jobs, LeaderWorkerSets, RayClusters, training jobs; and
/// what Kubernetes' own Workloads say of any controller's pods.
class WorkloadBook {
 public:
  /// Whether it is one of them, and now says something else than before.
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& namespace_name, const std::string& name);
  /// The one that the key speaks of, or null. Of several of Kubernetes' Workloads that name one
  /// controller, the first by name; of those with several templates none, as only PodGroups say
  /// whose pods are which.
  [[nodiscard]] const Workload* find(const JobKey& key) const;
  /// The object itself, or null. A Workload of Kubernetes counts only with one template.
  [[nodiscard]] const Workload* object(Kind kind, const std::string& namespace_name,
                                       const std::string& name) const;
  /// Whom a Workload of Kubernetes says to make the pods; empty: nobody, or it is not there.
  [[nodiscard]] std::string controller_of(const std::string& namespace_name,
                                          const std::string& name) const;

  /// Whose gangs the source's are, for the queues' rules; nothing: it is not an owner's.
  [[nodiscard]] static std::optional<policy::GangOwner> owner_of(GroupSource source);
  /// The kind of pod within its workload; empty: it has no kinds.
  [[nodiscard]] static std::string part_of(const JobKey& key, const Pod& pod);
  /// `LeaderWorkerSet`: for people.
  [[nodiscard]] static std::string kind_name(const JobKey& key);

 private:
  using Key = std::tuple<Kind, std::string, std::string>;  // kind, namespace, name
  /// Kind as in JobKey's part, namespace, name.
  using Controller = std::tuple<std::string, std::string, std::string>;

  bool observe_said(const KubeWorkload& object);
  bool forget_said(const Key& key);

  std::map<Key, Workload> workloads_;
  std::map<Controller, std::map<std::string, Workload>> said_;  ///< by the Workload's name
  std::map<Key, Controller> controllers_;                       ///< of each that is in `said_`
};

}  // namespace dray::engine
