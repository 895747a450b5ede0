#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "dray/base/time.h"
#include "dray/model/object.h"

namespace dray::engine {

/// The pods that start together with a pod.
struct PodGroupFacts {
  std::string name;          ///< of the group, unique in the namespace
  std::string queue;         ///< that the group's object names; empty: none
  std::int32_t minimum = 1;  ///< pods without which none starts; more than there are: all
  /// When the group's object was made, where Kueue has its pods made later.
  std::optional<Time> waiting_since;

  bool operator==(const PodGroupFacts&) const = default;
};

/// Which pods belong together by the group objects, owners and marks of every project that dray
/// reads, and of Kueue, for who looks on beside another scheduler. One thread at a time.
class PodGroups {
 public:
  PodGroups();
  ~PodGroups();
  PodGroups(const PodGroups&) = delete;
  PodGroups& operator=(const PodGroups&) = delete;

  /// Group objects and owners of pods; others change nothing.
  void observe(const KubeObject& object);
  /// It is gone; nothing if it was not observed.
  void forget(Kind kind, const std::string& namespace_name, const std::string& name);

  /// The pod's group; nothing: it is by itself, or its group's object is not known yet. Kueue
  /// admits all pods of a Job with a queue of its own at once, so they are a group.
  [[nodiscard]] std::optional<PodGroupFacts> group_of(const Pod& pod) const;
  /// The queue that the group, the pod or its owner names (labels of dray, KAI and Kueue), else the
  /// pod's namespace.
  [[nodiscard]] std::string queue_of(const Pod& pod) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dray::engine
