#pragma once

#include <string>
#include <vector>

#include "dray/base/error.h"
#include "dray/base/time.h"
#include "dray/model/object.h"
#include "dray/policy/config.h"

namespace dray::app {

/// What a queue may hold of a resource where every queue asks for all that there is.
struct FullShare {
  std::string queue;
  std::string resource;
  double share = 0;  ///< in the resource's unit: devices, cores, bytes
  double total = 0;  ///< what the cluster has of it
};

/// The shares of all queues in these objects, by queue and resource. Past usage does not count. An
/// Error says why the policy cannot be used.
[[nodiscard]] Result<std::vector<FullShare>> full_shares(const std::vector<KubeObject>& objects,
                                                         const policy::PolicyConfig& config,
                                                         Time now);

}  // namespace dray::app
