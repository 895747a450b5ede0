#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/base/time.h"
#include "dray/engine/pod_groups.h"
#include "dray/model/object.h"

namespace dray::simulate {

/// Whether the pod comes with its node: a DaemonSet's, or the kubelet's own.
[[nodiscard]] bool is_of_node(const Pod& pod);

/// A pod from when it was made until it was gone.
struct PodLife {
  std::shared_ptr<const Pod> pod;  ///< as last seen
  std::optional<engine::PodGroupFacts> group;
  std::string queue;
  Time submitted;
  std::optional<Time> bound;
  std::optional<Time> ended;
  /// By DeviceClass, of its claims: those that another pod does not count.
  std::map<std::string, std::int64_t> devices;
};

/// The lives of all pods of a record. One thread at a time.
class RecordedPods {
 public:
  /// Times of what is already there when a listing begins are those of the objects.
  void begin();
  /// What was not listed again is gone.
  void synced(Time now);
  void see(const KubeObject& object, Time now);
  void gone(Kind kind, const std::string& namespace_name, const std::string& name, Time now);

  [[nodiscard]] const std::map<Uid, PodLife>& lives() const { return lives_; }

 private:
  using Name = std::pair<std::string, std::string>;  // namespace and name

  void see_pod(const Pod& pod, Time now);
  void see_group(const KubeObject& object, Time now);
  void look_again(PodLife& life);
  void count_devices(PodLife& life);
  void end(const Name& name, Time now);

  bool listing_ = true;
  engine::PodGroups groups_;
  std::map<Uid, Time> made_;  ///< groups that were seen in the second in which they were made
  std::map<Uid, PodLife> lives_;
  std::map<Name, Uid> alive_;
  std::set<Name> unconfirmed_;  ///< alive, and not yet in the new list
  std::map<Name, std::shared_ptr<const ResourceClaim>> claims_;
  std::map<Uid, Uid> counted_by_;  ///< the pod that counts the claim
};

}  // namespace dray::simulate
