#pragma once

#include <cstdint>
#include <string>

#include "dray/model/pod_group.h"
#include "dray/sim/owned_pods.h"

namespace dray::sim {

/// How long pods run for whose end others wait, and that do not say it.
inline constexpr int assumed_run_seconds = 60;

/// For which others the pods of an object wait, as annotations of theirs: controllers create pods
/// in steps where the object says so.
class PodSteps {
 public:
  /// `known`: false: all pods are there at once, and no pod has an annotation.
  PodSteps(const PodOwner& owner, bool known);

  /// Of a JobSet: the pod of that number in the Job `index` of a kind.
  [[nodiscard]] Labels of_job(const std::string& kind, std::int32_t index, std::int32_t pod) const;
  /// Of a LeaderWorkerSet: the leader is 0.
  [[nodiscard]] Labels of_replica(std::int32_t replica, std::int32_t pod) const;
  /// Of a StatefulSet.
  [[nodiscard]] Labels of_ordinal(std::int32_t ordinal) const;
  /// Of a training job.
  [[nodiscard]] Labels of_training(bool launcher) const;

 private:
  [[nodiscard]] std::string step(const std::string& name) const;
  [[nodiscard]] std::int64_t pods_at_once_of(const std::string& kind) const;
  [[nodiscard]] std::int64_t pods_in_all_of(const std::string& kind) const;
  [[nodiscard]] std::string after_others(const std::string& kind) const;
  [[nodiscard]] bool others_wait_for_end_of(const std::string& kind) const;

  const PodOwner& owner_;
  const bool known_;
  JobSet set_;  ///< of a JobSet: its kinds of Jobs
};

/// A note for people where pods are taken to end after assumed_run_seconds; empty: none are.
[[nodiscard]] std::string assumed_ends(const PodOwner& owner);

}  // namespace dray::sim
