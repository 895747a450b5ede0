#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "dray/policy/config.h"

namespace dray::engine {

/// Of which owners pods are gangs in which queue, by the policy file: the queue's own list, or that
/// of the nearest queue above that has one. Without any: of all but Jobs, whose pods Kubernetes
/// takes for independent, too, where the Job does not say otherwise.
class GangRules {
 public:
  GangRules() = default;
  explicit GangRules(const policy::PolicyConfig& config);

  [[nodiscard]] bool allows(std::string_view queue, policy::GangOwner owner) const;

 private:
  std::map<std::string, std::set<policy::GangOwner>, std::less<>> lists_;  ///< of queues with one
};

}  // namespace dray::engine
