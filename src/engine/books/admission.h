#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "dray/base/time.h"
#include "dray/cluster/event.h"
#include "dray/cluster/state.h"
#include "dray/policy/policy.h"
#include "engine/books/budget_book.h"
#include "engine/books/group_members.h"
#include "engine/books/job_book.h"
#include "engine/books/policy_source.h"
#include "engine/books/unreadable_book.h"

namespace dray::engine {

/// Which pods are jobs, in which groups and queues, under which policy; and which bypass dray.
class Admission {
 public:
  struct Options {
    std::string scheduler_name;
    std::string gate;
  };
  /// What others know of a pod.
  struct View {
    std::function<std::optional<NodeName>(const Uid&)> reserved_node;
    std::function<bool(const Uid&)> evicting;
    std::function<bool(const Uid&)> denied = [](const Uid&) { return false; };
  };
  /// What an object changed; each includes those before it.
  enum class Change : std::uint8_t {
    none,
    plans,   ///< what plans may do (disruption budgets)
    group,   ///< what makes the pods of this one group a job: readmit its members()
    pods,    ///< what makes a pod a job: call readmit()
    policy,  ///< the policy in force, too
  };

  Admission(Options options, cluster::ClusterState& cluster, View view);
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// Groups, queues, topologies, budgets; other objects change nothing here.
  [[nodiscard]] Change observe(const KubeObject& object);
  [[nodiscard]] Change forget(const cluster::ObjectGone& gone);
  [[nodiscard]] Change set_config(std::shared_ptr<const policy::PolicyConfig> config);
  /// Looks at every pod again: rare.
  void readmit(Time now);
  /// The group by whose name pods speak of the object, as it is known now.
  [[nodiscard]] GroupMembers::Group group_of(Kind kind, const std::string& namespace_name,
                                             const std::string& name) const {
    return {namespace_name, jobs_.groups().spoken_of_as(kind, namespace_name, name)};
  }
  /// Dray's pods that speak of groups.
  [[nodiscard]] const GroupMembers& members() const { return members_; }
  /// Looks at one pod again.
  void readmit(const Pod& pod, Time now);
  /// Before a plan: the topologies that groups name by now.
  void refresh_topologies();

  /// Keeps the pod among the jobs, or out of them.
  void put(const Pod& pod, Time now);
  void erase(const Uid& pod);

  /// Nothing to decide for it: no devices, no gang, and no queue that counts what it asks for.
  [[nodiscard]] bool bypasses(const Pod& pod) const;
  /// Whether dray schedules it.
  [[nodiscard]] bool ours(const Pod& pod) const {
    return pod.scheduler_name == options_.scheduler_name;
  }

  /// Members that wait for a claim may have it now: their jobs are made anew.
  void retry_blocked();

  [[nodiscard]] JobBook& jobs() { return jobs_; }
  [[nodiscard]] const JobBook& jobs() const { return jobs_; }
  [[nodiscard]] BudgetBook& budgets() { return budgets_; }
  /// Objects of which nothing is known but that they are there.
  [[nodiscard]] UnreadableBook& unreadable() { return unreadable_; }
  [[nodiscard]] const UnreadableBook& unreadable() const { return unreadable_; }
  [[nodiscard]] const std::shared_ptr<const policy::Policy>& policy() const { return policy_; }
  /// One queue for all, whatever pods say of theirs.
  [[nodiscard]] bool open() const { return policies_.open(); }
  /// Why objects are left out of the policy; empty: none is.
  [[nodiscard]] const std::string& problem() const { return policies_.problem(); }

 private:
  void policy_moved();
  [[nodiscard]] static Change group_moved(Kind kind);
  [[nodiscard]] bool counts_for_queues(const Pod& pod) const;
  [[nodiscard]] JobBook::MemberView member_view(const Pod& pod);

  Options options_;
  cluster::ClusterState& cluster_;
  View view_;
  PolicySource policies_;
  std::shared_ptr<const policy::Policy> policy_;  ///< in force
  JobBook jobs_;
  GroupMembers members_;
  BudgetBook budgets_;
  UnreadableBook unreadable_;
  std::set<Uid> blocked_;         ///< members of gangs that wait for a claim
  std::uint64_t topologies_ = 0;  ///< version of those that groups name
};

}  // namespace dray::engine
