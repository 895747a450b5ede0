#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/gang.h"

namespace dray::engine {

/// Who says that pods belong together.
enum class GroupSource : std::uint8_t {
  none,              ///< a pod by itself
  pod_group,         ///< Kubernetes: spec.schedulingGroup
  kai,               ///< KAI: annotation pod-group-name
  coscheduling,      ///< label scheduling.x-k8s.io/pod-group
  old_coscheduling,  ///< labels pod-group.scheduling.sigs.k8s.io/{name,min-available}
  volcano,           ///< annotation scheduling.k8s.io/group-name
  job_set,           ///< label jobset.sigs.k8s.io/jobset-name
  owner,             ///< annotation kai.scheduler/batch-min-member on pods of one owner
};

/// What a pod is placed with. `name` is the group's, the owner's uid, or the pod's uid.
struct JobKey {
  GroupSource source = GroupSource::none;
  std::string namespace_name;
  std::string name;
  std::string part;  ///< of a JobSet that starts its Jobs in order: which

  [[nodiscard]] bool is_group() const { return source != GroupSource::none; }
  auto operator<=>(const JobKey&) const = default;
  bool operator==(const JobKey&) const = default;
};

/// A group, free of whose it is.
struct GroupForm {
  Uid uid;
  std::optional<Time> created;
  std::string queue;  ///< empty: what its pods say
  std::optional<std::int32_t> priority;
  std::optional<bool> preemptible;
  std::optional<Duration> evict_delay;
  std::optional<Duration> stale_after;
  policy::SubGroup root;  ///< its pod sets have no tasks yet

  bool operator==(const GroupForm&) const = default;
};

/// The group objects of every project that dray reads, and what pods say of their groups: labels,
/// annotations, owners.
class GroupBook {
 public:
  /// Whether the object is one that this keeps, and now differs from what was kept.
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& namespace_name, const std::string& name);

  [[nodiscard]] JobKey key_of(const Pod& pod) const;
  /// The group as it is now; `first` is any of its pods, for what only pods say. NotReady while the
  /// object is not there.
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_of(const JobKey& key,
                                                                    const Pod& first) const;
  /// The pod set of the form that the pod belongs to.
  [[nodiscard]] static std::string set_of(const JobKey& key, const Pod& pod);

  /// The Kubernetes PodGroup of that name, or null.
  [[nodiscard]] const PodGroup* pod_group(const std::string& namespace_name,
                                          const std::string& name) const;
  /// Node labels that PodGroups name as their topology: each is a topology of one level.
  [[nodiscard]] std::set<std::string> topology_keys() const;

 private:
  template <class T>
  using Table = std::map<std::pair<std::string, std::string>, T>;  // by namespace and name
  template <class T>
  static bool keep(Table<T>& table, const T& object);

  template <class T>
  [[nodiscard]] static const T* find(const Table<T>& table, const JobKey& key);
  [[nodiscard]] std::optional<std::int32_t> priority_of(const std::string& class_name) const;
  template <class Group>
  [[nodiscard]] GroupForm form_of_group(const Group& group) const;
  [[nodiscard]] GroupForm form(const PodGroup& group) const;
  [[nodiscard]] GroupForm form(const KaiPodGroup& group) const;
  [[nodiscard]] GroupForm form(const VolcanoGroup& group) const;

  Table<PodGroup> pod_groups_;
  Table<KaiPodGroup> kai_groups_;
  Table<CoschedulingGroup> coscheduling_groups_;
  Table<VolcanoGroup> volcano_groups_;
  Table<JobSet> job_sets_;
  Table<PriorityClass> priority_classes_;
};

/// The pod set of pods that name none.
inline constexpr const char* default_pod_set = "default";

}  // namespace dray::engine
