#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "dray/cluster/node_fit.h"
#include "dray/cluster/snapshot.h"
#include "dray/planner/plan.h"
#include "dray/planner/pod_claims.h"

namespace dray::planner {

/// What a pod takes: of the queues' resources, and of its node for packing.
struct Need {
  policy::Amounts counts;
  double devices = 0;
  double milli_cpu = 0;
  cluster::NodeUse use;  ///< of its node, devices apart

  bool operator==(const Need&) const = default;
};

/// Pods that fit the same nodes, whatever their names.
struct Shape {
  std::shared_ptr<const Pod> pod;  ///< one of them
  cluster::NodeFit fit;
  PodClaims claims;  ///< of that one: what they ask for counts
  std::vector<std::string> class_resources;
  Need need;
  bool partial = false;  ///< asks for a part of a device
  /// Its claims have devices, or other users: only this pod is like this, and only now.
  bool singular = false;
  std::uint32_t number = 0;
};

/// A member of a job, as a plan sees it.
struct PlanTask {
  const Member* member = nullptr;
  policy::TaskState state = policy::TaskState::other;
  std::optional<cluster::NodeIndex> node;
  const Need* need = nullptr;    ///< null: not known (NotReady)
  const Shape* shape = nullptr;  ///< of waiting ones, and of those that a plan evicts
  PodClaims claims;
  std::optional<NotReady> not_ready;
  policy::GangTask* slot = nullptr;  ///< in the job's gang, where that is kept

  [[nodiscard]] const Pod& pod() const { return *member->pod; }
  /// It has its place by this plan only: nobody has to be evicted for another to get it.
  [[nodiscard]] bool just_placed() const { return member->state == MemberState::waiting; }
};

/// A job, as a plan sees it. What the plan changes, it changes back.
struct PlanJob {
  std::shared_ptr<const Job> job;
  std::optional<policy::QueueIndex> queue;
  std::vector<PlanTask> tasks;
  std::optional<policy::SubGroup> gang;  ///< absent: a single pod
  policy::Amounts held;                  ///< of placed tasks
  policy::Amounts leaving;               ///< of those that still have their room
  std::uint32_t order = 0;               ///< among all by uid
  std::size_t placed = 0;
  std::size_t waiting = 0;

  void set_state(PlanTask& task, policy::TaskState state);
  /// Shapes of tasks that the last plan evicted, or thought of evicting, end with it.
  void forget_victims();
  [[nodiscard]] policy::GangPhase phase() const;
  [[nodiscard]] bool has_minimum() const;
  /// Places in `tasks` of the next chunk; empty: nothing that could be placed.
  [[nodiscard]] std::vector<std::uint32_t> next_chunk(bool simulated = false) const;
  [[nodiscard]] policy::Eviction next_victims() const;
  [[nodiscard]] policy::Amounts counts_of(std::span<const std::uint32_t> chunk,
                                          std::size_t resources) const;
};

/// All jobs, kept from plan to plan: what did not change costs a comparison of pointers.
class PlanJobs {
 public:
  void update(const PlanInput& input, const policy::Policy& policy);

  [[nodiscard]] std::span<PlanJob* const> all() const { return order_; }
  [[nodiscard]] PlanJob* find(const Uid& uid) const;
  /// What the queues hold and ask for, summed per leaf in the order of uids.
  void count(policy::QueueTree& tree);
  /// What jobs hold of nodes, those included that are leaving.
  [[nodiscard]] const policy::Amounts& held() const { return held_; }
  [[nodiscard]] std::span<PlanJob* const> of_queue(policy::QueueIndex queue) const {
    return leaves_[queue.get()].jobs;
  }
  /// The shape of a pod as it waits; for one that has devices, as if it had none.
  [[nodiscard]] const Shape* shape_of(PlanTask& task);
  [[nodiscard]] std::size_t shapes() const { return shapes_.size(); }

 private:
  struct Leaf {
    std::vector<PlanJob*> jobs;
    bool stale = true;
    policy::Amounts held, held_nonpreemptible, requested, present;
  };

  void forget();
  std::unique_ptr<PlanJob> make(std::shared_ptr<const Job> job);
  void read_claims(PlanTask& task);
  void refresh_waiting(PlanJob& job);
  const Need* placed_need(const PlanTask& task);
  const Need* intern(Need need);
  [[nodiscard]] Need pod_need(const Pod& pod) const;
  const Need* copied_need(const std::shared_ptr<const Pod>& pod);
  /// `as_asked`: whatever devices its claims have.
  [[nodiscard]] Need need_of(const PlanTask& task, bool as_asked = false);
  [[nodiscard]] const Device* find_device(const DeviceId& id);

  std::shared_ptr<const cluster::Snapshot> snapshot_;
  std::shared_ptr<const policy::Policy> policy_;
  const policy::Policy* rules_ = nullptr;
  std::uint64_t class_epoch_ = 0;
  std::vector<std::unique_ptr<PlanJob>> jobs_;
  std::vector<PlanJob*> order_;
  std::vector<Leaf> leaves_;
  policy::Amounts held_;
  std::vector<std::unique_ptr<Need>> needs_;
  std::shared_ptr<const Pod> copied_;  ///< the last one whose requests were read, and what they are
  Need copied_need_;
  const Need* copied_interned_ = nullptr;
  std::unordered_map<std::string, std::unique_ptr<Shape>> shapes_;
  std::vector<std::unique_ptr<Shape>> singular_;
  static constexpr std::uint32_t singular_bit = 0x8000'0000U;
  std::uint32_t next_shape_ = 0;
  std::uint32_t next_singular_ = 0;
  std::vector<ClaimKey> counted_;       ///< shared claims of the job at hand
  std::map<DeviceId, Device> devices_;  ///< made again from what is published, for counting
};

}  // namespace dray::planner
