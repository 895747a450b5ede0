#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/planner/pod_claims.h"
#include "dray/policy/gang.h"
#include "dray/policy/queue_config.h"
#include "engine/books/gang_rules.h"
#include "engine/books/group_pods.h"
#include "engine/books/job_key.h"
#include "engine/books/workload_book.h"

namespace dray::engine {

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
  /// Minimums count members that have succeeded; false: they leave out what is over already.
  bool counts_succeeded = true;
  std::optional<VolcanoNetworkTopology> network_topology;  ///< to be translated by the policy

  bool operator==(const GroupForm&) const = default;
};

/// The group objects of every project that dray reads, and what pods say of their groups: labels,
/// annotations, owners.
class GroupBook {
 public:
  /// Whether pods of such an owner are a gang in the pod's queue.
  using Gangs = std::function<bool(const Pod&, policy::GangOwner)>;

  /// What an owner of pods bears; valid until the next change of the book.
  struct Owner {
    const Labels* labels = nullptr;
    const Labels* annotations = nullptr;
  };

  /// By the rule of queues that say nothing.
  GroupBook();
  explicit GroupBook(Gangs gangs) : gangs_(std::move(gangs)) {}

  /// Whether the object is one that this keeps, and now differs from what was kept.
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& namespace_name, const std::string& name);

  [[nodiscard]] JobKey key_of(const Pod& pod) const;
  /// The names of the group objects that the pod speaks of, whether they are there and whatever
  /// they say.
  [[nodiscard]] static std::set<std::string> group_names(const Pod& pod);
  /// The group as it is now, for what controllers create now: members of a later stage are not
  /// counted. NotReady while the object is not there, or says what cannot be honoured.
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_of(const JobKey& key,
                                                                    const GroupPods& pods) const;
  /// The same, of a group of which one pod is known.
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_of(const JobKey& key,
                                                                    const Pod& only) const {
    return form_of(key, GroupPods(only));
  }
  /// The marks of the objects that own the pod, as far as they are watched: the topmost first.
  [[nodiscard]] std::vector<Owner> owners_of(const Pod& pod) const;
  /// The topology in KAI's annotations of what owns the pod, the topmost first, else of the pod.
  [[nodiscard]] policy::TopologyConstraint topology_by_marks(const Pod& pod) const;
  /// The pod set of the form that the pod belongs to.
  [[nodiscard]] std::string set_of(const JobKey& key, const Pod& pod) const;

  /// By which name pods speak of the object: its own, or (of a Workload) its controller's.
  [[nodiscard]] std::string spoken_of_as(Kind kind, const std::string& namespace_name,
                                         const std::string& name) const;

  /// The Kubernetes PodGroup of that name, or null.
  [[nodiscard]] const PodGroup* pod_group(const std::string& namespace_name,
                                          const std::string& name) const;
  /// Node labels that PodGroups name as their topology: each is a topology of one level.
  [[nodiscard]] std::set<std::string> topology_keys() const;
  /// Moves whenever topology_keys() does.
  [[nodiscard]] std::uint64_t topology_version() const { return topology_version_; }

 private:
  template <class T>
  using Table = std::map<std::pair<std::string, std::string>, T>;  // by namespace and name
  template <class T>
  static bool keep(Table<T>& table, const T& object);
  bool keep_pod_group(const PodGroup& group);
  bool forget_pod_group(const std::pair<std::string, std::string>& key);
  void count_topology(const std::vector<std::string>& labels, bool more);
  [[nodiscard]] std::vector<std::string> topology_labels(Kind kind,
                                                         const std::string& namespace_name,
                                                         const std::string& name) const;

  template <class T>
  [[nodiscard]] static const T* find(const Table<T>& table, const JobKey& key) {
    const auto found = table.find({key.namespace_name, key.name});
    return found == table.end() ? nullptr : &found->second;
  }
  [[nodiscard]] std::optional<std::int32_t> priority_of(const std::string& class_name) const;
  template <class Group>
  [[nodiscard]] GroupForm form_of_group(const Group& group) const;
  [[nodiscard]] GroupForm form(const PodGroup& group) const;
  [[nodiscard]] GroupForm form(const KaiPodGroup& group) const;
  [[nodiscard]] GroupForm form(const VolcanoGroup& group) const;
  [[nodiscard]] GroupForm form(const CoschedulingGroup& group) const;
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form(const JobSet& set,
                                                                 const JobKey& key,
                                                                 const GroupPods& pods) const;
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form(const Workload& workload,
                                                                 const JobKey& key,
                                                                 const GroupPods& pods) const;
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_by_object(
      const JobKey& key, const GroupPods& pods) const;
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_by_marks(const JobKey& key,
                                                                          const Pod& first) const;
  void leave_out_later(policy::SubGroup& root, const GroupPods& pods) const;
  [[nodiscard]] bool is_gang(const JobKey& key, const Pod& pod) const;
  [[nodiscard]] bool said_by_workload(const Pod& pod) const;

  Gangs gangs_;
  Table<PodGroup> pod_groups_;
  Table<KaiPodGroup> kai_groups_;
  Table<CoschedulingGroup> coscheduling_groups_;
  Table<VolcanoGroup> volcano_groups_;
  Table<JobSet> job_sets_;
  WorkloadBook workloads_;
  Table<PriorityClass> priority_classes_;
  std::map<std::string, int> topology_uses_;  ///< objects that name the label
  std::uint64_t topology_version_ = 0;
};

/// The pod set of pods that name none.
inline constexpr const char* default_pod_set = "default";

}  // namespace dray::engine
