#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/model/object.h"
#include "dray/policy/policy.h"

namespace dray::engine {

/// The policy in force: what the policy file says, with the queues and topologies that stand in
/// objects.
class PolicySource {
 public:
  PolicySource();

  /// Null: no file; one queue, no limits.
  void set_config(std::shared_ptr<const policy::PolicyConfig> config);
  /// True if the policy may be another one now.
  bool observe(const KubeObject& object);
  bool forget(Kind kind, const std::string& name);
  /// Node labels that groups name as a topology of their own; true if they changed.
  bool set_topology_keys(std::set<std::string> keys);

  /// Made from all that was told; what cannot be used is left out (a tree with a cycle: the last
  /// good one stays), and problem() says so.
  [[nodiscard]] const std::shared_ptr<const policy::Policy>& policy();
  /// The policy has one queue for all, whatever pods say of theirs.
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

 private:
  void make();
  [[nodiscard]] std::vector<policy::QueueConfig> kai_queues(
      const policy::PolicyConfig& config) const;

  std::shared_ptr<const policy::PolicyConfig> config_;
  std::map<std::string, KaiQueue> queues_;
  std::map<std::string, KaiTopology> topologies_;
  std::set<std::string> topology_keys_;
  std::shared_ptr<const policy::Policy> policy_;
  bool stale_ = true;
  bool open_ = true;
  std::string problem_;
};

/// A KAI Queue in the words of the policy file; `counts_gpu`: the policy says what a gpu is. As in
/// KAI, -1 is no bound and a resource that is not written may not be used at all.
[[nodiscard]] policy::QueueConfig queue_config(const KaiQueue& queue, bool counts_gpu);

}  // namespace dray::engine
