#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "dray/planner/job.h"
#include "dray/planner/plan.h"
#include "dray/policy/policy.h"
#include "engine/books/group_book.h"

namespace dray::engine {

/// Pods as jobs: the one form in which the planner sees gangs of every project and pods by
/// themselves. Incremental: a job is made anew only when something of it changed, and stays the
/// same pointer where that made no difference.
class JobBook {
 public:
  /// Where a pod is now; asked when its job is made.
  struct MemberView {
    planner::MemberState state = planner::MemberState::waiting;
    std::optional<NodeName> node;
    bool promised = false;  ///< was lifted before a restart
  };
  using View = std::function<MemberView(const Pod&)>;

  explicit JobBook(View view) : view_(std::move(view)) {}

  /// `default_queue_only`: the policy has no queues of its own, whatever pods say of theirs.
  void set_policy(std::shared_ptr<const policy::Policy> policy, bool default_queue_only);

  /// Group objects: true if anything changed.
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& namespace_name, const std::string& name);
  [[nodiscard]] const GroupBook& groups() const { return groups_; }

  /// A pod of dray's is there, or another than before.
  void put(const std::shared_ptr<const Pod>& pod, Time now);
  void erase(const Uid& pod);
  /// What the view says of the pod may be different now.
  void touch(const Uid& pod);

  /// Makes what has changed anew: job_of() and find() are up to date.
  void refresh(Time now);
  /// All jobs with a member that waits, is placed or is leaving, sorted by uid.
  [[nodiscard]] const std::vector<std::shared_ptr<const planner::Job>>& jobs(Time now);
  /// When a pod that is leaving counts as stuck: jobs() is different then.
  [[nodiscard]] std::optional<Time> next_change() const;

  /// The job that the pod belongs to, as last made; null before that, and for pods that wait for
  /// their group's object.
  [[nodiscard]] std::shared_ptr<const planner::Job> job_of(const Uid& pod) const;
  [[nodiscard]] std::shared_ptr<const planner::Job> find(const Uid& job) const;
  [[nodiscard]] bool has_groups() const;

  /// Waiting pods that are in no job yet, and why.
  [[nodiscard]] std::vector<std::pair<Uid, planner::NotReady>> unformed() const;

  /// Pods of the job were evicted; if it was not only moved, to make room for that other.
  void evicted(const planner::Job& job, const planner::Job* made_room_for, Time now);
  /// As Plan::stale says: the gangs that are stale now, and since when.
  void set_stale(const std::vector<planner::StaleGang>& stale);

 private:
  struct Entry {
    JobKey key;
    std::set<Uid> pods;
    std::shared_ptr<const planner::Job> job;     ///< null: not made yet, or nothing to place
    std::optional<planner::NotReady> not_ready;  ///< the group's object is missing
  };
  struct Known {
    std::shared_ptr<const Pod> pod;
    JobKey key;
    Time first_seen;
  };

  void regroup_all();
  void make(Entry& entry, Time now);
  [[nodiscard]] static GroupForm form_alone(const Pod& pod);
  void add_members(const Entry& entry, planner::Job& job, Time now);
  void set_times(const Entry& entry, planner::Job& job) const;
  [[nodiscard]] std::string queue_of(const Pod& pod) const;
  [[nodiscard]] bool preemptible(const Pod& pod, std::int32_t priority) const;
  [[nodiscard]] static std::string lineage(const JobKey& key, const Pod& pod);
  void replace(Entry& entry, std::shared_ptr<const planner::Job> job);
  void wake_stuck(Time now);

  View view_;
  GroupBook groups_;
  std::shared_ptr<const policy::Policy> policy_;
  bool default_queue_only_ = true;
  std::map<Uid, Known> pods_;
  std::map<JobKey, Entry> entries_;
  std::set<JobKey> changed_;
  std::map<Uid, std::shared_ptr<const planner::Job>> by_uid_;
  std::vector<std::shared_ptr<const planner::Job>> all_;
  bool all_stale_ = true;  ///< `all_` is to be made again
  std::set<std::pair<Time, Uid>> stuck_at_;
  struct Past {
    Time evicted;
    std::vector<planner::EvictedFor> evicted_for;
  };
  std::map<std::string, Past> pasts_;  ///< by lineage
  std::map<Uid, Time> stale_since_;
};

}  // namespace dray::engine
