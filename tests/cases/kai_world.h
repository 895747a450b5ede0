#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/planner/plan.h"
#include "tests/cases/runner.h"

namespace dray::cases {

/// A recorded scheduling case of KAI as dray's objects: its GPUs, fractions, gpu-memory and MIG
/// profiles are devices of one synthetic slice a node, what its tasks ask for are claims. Between
/// rounds it does what KAI's test harness does.
class KaiWorld {
 public:
  explicit KaiWorld(const Json& json);

  /// What a round's plan works on.
  [[nodiscard]] planner::PlanInput input(const planner::Actions& actions);
  void apply(const planner::Plan& plan);
  /// Those who leave are gone and wait again, those who start run.
  void settle(Duration pause);

  struct Task {
    const Json* json = nullptr;
    std::string uid;
    std::string job;
    std::string status;
    std::string node;
    std::vector<std::string> claims;
    std::vector<DeviceId> devices;  ///< that it has, or is promised
    bool shares = false;            ///< asks for parts of devices
    bool gone = false;
  };
  [[nodiscard]] const std::map<std::string, Task>& tasks() const { return tasks_; }
  /// Devices that were shared at the start, as KAI calls them.
  [[nodiscard]] const std::map<DeviceId, std::string>& groups() const { return groups_; }

  /// Why the last plan let the job wait.
  [[nodiscard]] const std::string& log() const { return log_; }
  [[nodiscard]] std::string reason_of(const std::string& job) const;

  std::size_t binds = 0;
  std::size_t evictions = 0;
  std::size_t pipelines = 0;

 private:
  struct Claim {
    ResourceClaim object;
    bool shared = false;
  };

  void read_policy();
  void read_nodes();
  void read_dra();
  void read_tasks();
  void read_numa();
  void add_zone_claim(Task& task, const std::string& name_space);
  [[nodiscard]] std::vector<planner::RefusedNode> refused_by_pods() const;
  void add_device_claim(Task& task, const Json& gpu, const std::string& name_space);
  void allocate_running();
  void release(Task& task);
  [[nodiscard]] std::shared_ptr<const Pod> pod_of(const Task& task, const Json& job) const;
  [[nodiscard]] policy::SubGroup gang_of(const Json& gang, const Json& job) const;
  [[nodiscard]] std::shared_ptr<const planner::Job> job_of(const Json& job) const;

  const Json& json_;
  Time now_;
  bool sharing_ = false;
  bool numa_ = false;
  double device_memory_ = 100;
  std::shared_ptr<const policy::Policy> policy_;
  std::vector<Node> nodes_;
  std::vector<ResourceSlice> slices_;
  std::vector<DeviceClass> classes_;
  std::map<std::string, Claim> claims_;
  std::map<std::string, Task> tasks_;
  std::map<DeviceId, std::string> groups_;
  std::map<std::string, Time> stale_;
  std::vector<planner::Hold> holds_;
  std::map<std::string, std::string> reasons_;
  std::string log_;  ///< who was evicted for whom
};

}  // namespace dray::cases
