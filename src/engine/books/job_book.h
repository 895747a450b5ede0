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
#include "dray/planner/job_list.h"
#include "dray/planner/plan.h"
#include "dray/policy/policy.h"
#include "engine/books/eviction_memory.h"
#include "engine/books/group_book.h"
#include "engine/books/job_index.h"
#include "engine/books/job_lists.h"
#include "engine/books/queue_counts.h"
#include "engine/books/queue_users.h"
#include "engine/books/running_minimum.h"
#include "engine/books/unformed_pods.h"
#include "engine/books/vain_evictions.h"

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
    bool denied = false;    ///< the API server will not have it placed: nobody goes for its sake
  };
  using View = std::function<MemberView(const Pod&)>;

  explicit JobBook(View view) : view_(std::move(view)) {}

  /// `default_queue_only`: the policy has no queues of its own, whatever pods say of theirs.
  void set_policy(std::shared_ptr<const policy::Policy> policy, bool default_queue_only);

  /// Group objects: true if anything changed. put() and touch() the pods that speak of it.
  [[nodiscard]] bool observe(const KubeObject& object);
  [[nodiscard]] bool forget(Kind kind, const std::string& namespace_name, const std::string& name);
  [[nodiscard]] const GroupBook& groups() const { return groups_; }

  /// A pod of dray's is there, or another than before.
  void put(const std::shared_ptr<const Pod>& pod, Time now);
  void erase(const Uid& pod);
  /// What the view says of the pod may be different now.
  void touch(const Uid& pod);

  /// Makes what has changed anew: job_of() and find() are up to date.
  void refresh(Time now);
  /// All jobs with a member that waits, is placed or is leaving, sorted by uid.
  [[nodiscard]] const planner::JobList& jobs(Time now);
  /// See JobLists.
  [[nodiscard]] const planner::JobList& holders(Time now);
  [[nodiscard]] bool read_ahead(std::size_t most) { return lists_.read_ahead(most); }
  /// When a pod that is leaving counts as stuck: jobs() is different then.
  [[nodiscard]] std::optional<Time> next_change() const;

  /// The job that the pod belongs to, as last made; null before that, and for pods that wait for
  /// their group's object.
  [[nodiscard]] std::shared_ptr<const planner::Job> job_of(const Uid& pod) const;
  [[nodiscard]] std::shared_ptr<const planner::Job> find(const Uid& job) const {
    return index_.find(job);
  }
  /// See JobIndex.
  [[nodiscard]] std::vector<std::shared_ptr<const planner::Job>> named(
      const std::string& name) const {
    return index_.named(name);
  }
  [[nodiscard]] bool has_groups() const;
  /// As jobs were last made.
  [[nodiscard]] const QueueCounts& queue_counts() const { return queue_counts_; }
  /// The queue that the pod would be in by itself.
  [[nodiscard]] policy::QueueName queue_for(const Pod& pod) const;

  /// Waiting pods that are in no job, as jobs were last made.
  [[nodiscard]] const UnformedPods& unformed() const { return unformed_; }
  [[nodiscard]] UnformedPods& unformed() { return unformed_; }

  /// Pods of the job were evicted, as was decided at `since`; if it was not only moved, to make
  /// room for that other.
  void evicted(const planner::Job& job, const planner::Job* made_room_for, Time since, Time now);
  void evicted(const planner::Job& job, const planner::Job* made_room_for, Time now) {
    evicted(job, made_room_for, now, now);
  }
  /// Others were evicted for the job, or moved.
  void made_room_for(const Uid& job);
  /// kube-scheduler did not take a pod to its place, or did: by this evictions for its workload
  /// are paused, or not any more.
  void place_refused(const Uid& pod, Time now);
  void bound(const Uid& pod);
  /// As Plan::stale says: the gangs that are stale now, and since when.
  void set_stale(const std::vector<planner::StaleGang>& stale);

 private:
  struct Entry {
    JobKey key;
    std::set<Uid> pods;
    std::shared_ptr<const planner::Job> job;     ///< null: not made yet, or nothing to place
    std::optional<planner::NotReady> not_ready;  ///< the group's object is missing, or its queue
    std::shared_ptr<const policy::Policy> queued_by;  ///< what its job's queue was chosen by
    RunningMinimum minimum;                           ///< of gangs by their owner
  };
  struct Known {
    std::shared_ptr<const Pod> pod;
    JobKey key;
    Time first_seen;
  };

  void make(Entry& entry, Time now);
  [[nodiscard]] GroupForm form_alone(const Pod& pod) const;
  [[nodiscard]] std::expected<GroupForm, planner::NotReady> form_of(const Entry& entry) const;
  void add_members(const Entry& entry, planner::Job& job, Time now);
  void set_times(const Entry& entry, planner::Job& job);
  [[nodiscard]] std::string queue_of(const Pod& pod) const;
  [[nodiscard]] bool may_be_gang(const Pod& pod, policy::GangOwner owner) const;
  void choose_queue(Entry& entry, planner::Job& job, const std::string& of_group) const;
  [[nodiscard]] bool preemptible(const Pod& pod, std::int32_t priority) const;
  void replace(Entry& entry, std::shared_ptr<const planner::Job> job);
  void wake_stuck(Time now);

  View view_;
  GroupBook groups_{
      [this](const Pod& pod, policy::GangOwner owner) { return may_be_gang(pod, owner); }};
  std::shared_ptr<const policy::Policy> policy_;
  struct QueueRules {
    QueueUsers users;
    GangRules gangs;
  } rules_;
  bool default_queue_only_ = true;
  std::map<Uid, Known> pods_;
  std::map<JobKey, Entry> entries_;
  std::set<JobKey> changed_;
  UnformedPods unformed_;
  JobIndex index_;
  JobLists lists_{[this](const Uid& job) { return find(job); }};
  QueueCounts queue_counts_;
  std::set<std::pair<Time, Uid>> stuck_at_;
  struct Remembered {
    EvictionMemory evicted;
    VainEvictions in_vain;
  } remembered_;
  std::map<Uid, Time> stale_since_;
};

}  // namespace dray::engine
